// A load or store that crashes is the program's: how the checker carries it out is not on the stack.
// RUN: %tidemark_cc -O1 %s -o %t && (%tidemark check --model=sc --json=%t.json %t > %t.txt 2>&1; test $? = 1)
// RUN: %FileCheck %s < %t.txt && (! grep -i memmove %t.txt %t.json)
// CHECK: segmentation fault: read of address 0x0 (null pointer)
// CHECK-NEXT: crashes.c:12:10
#include <pthread.h>

static int one = 1, *_Atomic number;

static void *reads(void *unused) {
  (void)unused;
  return *number ? NULL : &one;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reads, NULL);
  number = &one;
  pthread_join(thread, NULL);
}
