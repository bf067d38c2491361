// The source may say how often the next loop goes round at most.
// CHECK sc: violated 13
// CHECK sc -DTOO_FEW: bounded
// CHECK sc -DTOO_FEW --unroll=6: violated 13
#include <assert.h>
#include <stdatomic.h>
void __VERIFIER_loop_bound(int);
static atomic_int x;
static void count(int bound) {
  int seen = 0;
  __VERIFIER_loop_bound(bound);
  while (atomic_fetch_add(&x, 1) < 6)
    assert(++seen < 6);
}
#ifdef TOO_FEW
void thread0(void) { count(3); }
#else
void thread0(void) { count(6); }
#endif
void thread1(void) { atomic_fetch_add(&x, 1); }
