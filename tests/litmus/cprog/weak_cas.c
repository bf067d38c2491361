// CHECK sc: verified
// CHECK sc -DSURE: violated 11
// CHECK rc11 -DSURE: violated 11
// CHECK rc11: verified
// ENDS rc11
// ENDS sc
#include <assert.h>
#include <stdatomic.h>
static atomic_int x;
#ifdef SURE
void thread0(void) { int e = 0; assert(atomic_compare_exchange_weak(&x, &e, 1)); }
#else
void thread0(void) {
  int e = 0;
  while (!atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_relaxed))
    e = 0;
  assert(atomic_load(&x) == 1);
}
#endif
void thread1(void) { int e = 5; assert(!atomic_compare_exchange_strong(&x, &e, 7) && e < 2); }
