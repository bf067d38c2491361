// CHECK sc: violated 24
// CHECK rc11: violated 24
// CHECK sc -DRIGHT: verified
/* One of two ways to a store is never taken, for it comes through a pointer that is always null: the
 * store happens on the other. */
#include <assert.h>
#include <stdatomic.h>
static atomic_int x, a = 1, b = 2;
static _Atomic(atomic_int *) nowhere;
static __attribute__((noinline)) void choose(atomic_int **way) {
  atomic_int *q = atomic_load(&nowhere);
  if (atomic_load(&x) == 0 || (q && atomic_load(q) == 7))
    *way = &b;
}
void thread0(void) { atomic_store(&x, 1); }
void thread1(void) {
  atomic_int *way = &a;
  choose(&way);
  int seen = atomic_load(way);
#ifdef RIGHT
  assert(seen == 1 || seen == 2);
#else
  /* either can be seen */
  assert(seen == 1);
#endif
}
