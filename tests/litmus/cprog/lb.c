// CHECK sc: verified
// CHECK rc11: verified
// CHECK x86tso: verified
// CHECK aarch64: violated
// CHECK riscv: violated
// CHECK aarch64 -DDATA: verified
// CHECK aarch64 -DCONTROL: verified
// CHECK riscv -DDATA: verified
// CHECK lkmm: violated
// CHECK lkmm -DDATA: verified
// CHECK lkmm -DCONTROL: verified
#include <assert.h>
#include <stdatomic.h>
static atomic_int x, y;
static int r0, r1;
static void copy(atomic_int *from, atomic_int *to, int *seen) {
  int r = atomic_load_explicit(from, memory_order_relaxed);
#ifdef DATA
  atomic_store_explicit(to, r | 1, memory_order_relaxed);
#elif defined CONTROL
  if (r)
    atomic_store_explicit(to, 1, memory_order_relaxed);
#else
  atomic_store_explicit(to, 1, memory_order_relaxed);
#endif
  *seen = r;
}
void thread0(void) { copy(&x, &y, &r0); }
void thread1(void) { copy(&y, &x, &r1); }
void final(void) { assert(!(r0 && r1)); }
