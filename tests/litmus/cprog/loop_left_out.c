// A turn of a loop that no value of memory allows is left out.  What comes behind the loop does not depend on the
// branch that would have led there: both ways meet again.
// CHECK aarch64: violated 24
// CHECK riscv: violated 24
// CHECK aarch64 -DTAKEN: violated 24
// CHECK aarch64 -DINSIDE: verified
// CHECK rc11: verified
// CHECK sc: verified
#include <assert.h>
#include <stdatomic.h>
static atomic_int x, y, z, never;
void thread0(void) {
  int r = atomic_load_explicit(&never, memory_order_relaxed);
  int s = atomic_load_explicit(&y, memory_order_relaxed);
  for (int i = 0; i < 2; i++) {
    if (s || r == 0)
      break;
    atomic_store_explicit(&z, i, memory_order_relaxed);
  }
#ifdef INSIDE
  if (s)
#endif
    atomic_store_explicit(&x, 42, memory_order_relaxed);
  assert(s != 42);
}
void thread1(void) {
  int a = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&y, a, memory_order_relaxed);
#ifdef TAKEN
  atomic_store_explicit(&never, 1, memory_order_relaxed);
#endif
}
