// What C's atomics become follows from the names that a model uses, and does not define itself.
// CHECK x86tso: verified
// CHECK ../models/locked.cat: verified
// CHECK ../models/locked.cat -DSTORES: verified
// CHECK ../models/locked.cat -DSTORES -DORDER=memory_order_release: violated
// CHECK ../models/own-names.cat: verified
// CHECK ../models/own-names.cat -DORDER=memory_order_relaxed: violated
// CHECK ../models/own-names.cat -DSTORES: violated
// ERROR ../models/inner.cat: targets.c:26:3: this read-modify-write would not be atomic: the model 'Armv8, as far as
// CHECK ../models/inner.cat -DSTORES: violated
// CHECK ../models/halves.cat -DMP -DORDER=memory_order_acq_rel: verified
// CHECK ../models/halves.cat -DMP -DORDER=memory_order_acquire: violated
// CHECK riscv -DMP -DORDER=memory_order_acquire: verified
// CHECK riscv -DMP -DORDER=memory_order_release: violated
#include <assert.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif
static atomic_int x, y;
static int r0, r1;
static void write(atomic_int *at) {
#ifdef STORES
  atomic_store_explicit(at, 1, ORDER);
#else
  atomic_exchange_explicit(at, 1, ORDER);
#endif
}
#ifdef MP /* what follows an exchange that acquires is not seen before what the exchange writes */
void thread0(void) {
  write(&x);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
}
void thread1(void) {
  r0 = !atomic_load_explicit(&y, memory_order_acquire);
  r1 = atomic_load_explicit(&x, memory_order_relaxed);
}
#else
void thread0(void) {
  write(&x);
  r0 = atomic_load_explicit(&y, memory_order_relaxed);
}
void thread1(void) {
  write(&y);
  r1 = atomic_load_explicit(&x, memory_order_relaxed);
}
#endif
void final(void) { assert(r0 || r1); }
