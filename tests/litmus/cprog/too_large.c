// CHECK sc: violated 8
// CHECK rc11: violated 8
#include <assert.h>
#include <stdatomic.h>
static atomic_int x, a, b = 2;
void thread0(void) {}
void thread1(void) {
  atomic_int *q = atomic_load((_Atomic(atomic_int *) *)&b), *way = &a;
  if (atomic_load(&x) == 0 || (q && atomic_load(q) == 7))
    way = &b;
  assert(atomic_load(way) == 1);
}
