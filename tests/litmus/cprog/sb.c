// CHECK sc: verified
// CHECK x86tso: violated 21
// CHECK rc11: violated 21
// CHECK aarch64: violated 21
// CHECK x86tso -DORDER=memory_order_seq_cst: verified
// CHECK rc11 -DORDER=memory_order_seq_cst: verified
// CHECK aarch64 -DORDER=memory_order_seq_cst: verified
// CHECK riscv -DORDER=memory_order_seq_cst: verified
// CHECK x86tso -DFENCE: verified
// CHECK rc11 -DFENCE: verified
// CHECK aarch64 -DFENCE: verified
// CHECK riscv -DFENCE: verified
// CHECK lkmm -DFENCE: verified
// CHECK rc11 -DORDER=memory_order_release: violated 21
#include <assert.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
void final(void);
static int r0, r1; void final(void) { assert(r0 || r1); }
static atomic_int x, y;
static void fence(void) {
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
}
void thread0(void) {
  atomic_store_explicit(&x, 1, ORDER);
  fence();
  r0 = atomic_load_explicit(&y, ORDER == memory_order_release ? memory_order_acquire : ORDER);
}
void thread1(void) {
  atomic_store_explicit(&y, 1, ORDER);
  fence();
  r1 = atomic_load_explicit(&x, ORDER == memory_order_release ? memory_order_acquire : ORDER);
}
