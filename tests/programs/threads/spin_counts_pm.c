// The same in persistent memory (spin_counts.c): a lock there, and how often somebody has looked at it.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for s in all bounded:1; do %tidemark check --schedule=$s --max-executions=100 %t > %t.out 2>&1; test $? = 5 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK-NOT: error
// CHECK: nothing was found so far
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>

static struct shared {
  atomic_int locked;
  int looks;
  _Alignas(64) int value;
} *shared;

static void *work(void *unused) {
  while (atomic_exchange(&shared->locked, 1))
    shared->looks++;
  shared->value++;
  _mm_clflush(&shared->value);
  shared->locked = 0;
  return unused;
}

int main(void) {
  shared = tidemark_region("shared", sizeof *shared);
  if (tidemark_failures())
    return shared->value > 2;
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
