// Loops without an end, and calls that end by counting.
// CHECK sc -DSERVER=1: violated 19
// CHECK sc -DSERVER=5: bounded
// CHECK sc --unroll=1 -DCALLS=7: verified
// CHECK sc --unroll=1 -DCALLS=7 -DWRONG=1: violated 25
// CHECK sc --unroll=1 -DCALLS=atomic_load(&flag): bounded
// ERROR sc -DCOUNTING: more than 500000 instructions
#ifndef WRONG
#define WRONG -1
#endif
#include <assert.h>
#include <stdatomic.h>
static atomic_int flag, seen;
#ifdef SERVER
void thread0(void) { for (;;) if (atomic_load(&flag)) atomic_fetch_add(&seen, 1); }
void thread1(void) {
  atomic_store(&flag, 1);
  int n = atomic_load(&seen);
  assert(n != SERVER);
}
#elif defined CALLS
static int sum(int n) { return n > 0 ? n + sum(n - 1) : 0; }
void thread0(void) {
  int n = sum(CALLS);
  assert(n != WRONG * 28);
}
void thread1(void) { atomic_store(&flag, 7); }
#else
void thread0(void) { for (long i = 0; i < 100000000; i++) assert(i >= 0); }
#endif
