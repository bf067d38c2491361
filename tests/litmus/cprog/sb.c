// CHECK sc: verified
// CHECK coherence -DFENCE: violated
// WARNS coherence -DFENCE: have no effect
// WARNS coherence: none
// WARNS sc -DFENCE: none
// WARNS coherence --target=sc -DFENCE: none
// CHECK x86tso: violated 26
// CHECK rc11: violated 26
// CHECK aarch64: violated 26
// CHECK x86tso -DORDER=memory_order_seq_cst: verified
// CHECK rc11 -DORDER=memory_order_seq_cst: verified
// CHECK aarch64 -DORDER=memory_order_seq_cst: verified
// CHECK riscv -DORDER=memory_order_seq_cst: verified
// CHECK x86tso -DFENCE: verified
// CHECK rc11 -DFENCE: verified
// CHECK aarch64 -DFENCE: verified
// CHECK riscv -DFENCE: verified
// CHECK lkmm -DFENCE: verified
// CHECK rc11 -DORDER=memory_order_release: violated 26
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
