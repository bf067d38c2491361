// The end of a thread completes its flushes.  It is no line of the program, and no instruction of it.
// RUN: %tidemark_cc -O1 -g -mclwb %s -o %t -pthread
// RUN: %tidemark check %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// RUN: %tidemark check --schedule=all %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// CHECK: error[assertion]
// CHECK: note: the power failed at the end of a thread
#include <immintrin.h>
#include <pthread.h>
#include <tidemark.h>

static long *data;

static void *store(void *unused) {
  *data = 1;
  _mm_clwb(data);
  return unused;
}

int main(void) {
  data = tidemark_region("data", sizeof *data);
  if (tidemark_failures() == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, store, NULL);
    pthread_join(thread, NULL);
  } else {
    tidemark_assert(*data);
  }
}
