// A mutex in persistent memory that a failure leaves locked: no flush helps, and the help says what does.
// RUN: %tidemark_cc %s -o %t && (%tidemark check %t > %t.txt 2>&1; test $? = 1)
// RUN: %FileCheck %s < %t.txt
// CHECK: waits for a mutex that was locked when the power failed
// CHECK: help: nobody unlocks it after a failure: initialise it anew when the program starts
#include <immintrin.h>
#include <pthread.h>
#include <tidemark.h>

int main(void) {
  pthread_mutex_t *mutex = tidemark_region("mutex", sizeof *mutex);
  pthread_mutex_lock(mutex);
  _mm_clflush(mutex);
  pthread_mutex_unlock(mutex);
}
