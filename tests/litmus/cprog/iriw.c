// CHECK sc: verified
// CHECK x86tso: verified
// CHECK aarch64: verified
// CHECK rc11: violated 23
// CHECK rc11 -DORDER=memory_order_seq_cst -DWORDER=memory_order_seq_cst: verified
// CHECK aarch64 -DORDER=memory_order_relaxed: violated 23
#include <assert.h>
#include <stdatomic.h>
#ifndef ORDER
#define ORDER memory_order_acquire
#endif
#ifndef WORDER
#define WORDER memory_order_release
#endif
static atomic_int x, y;
static int a, b, c, d;
void thread0(void) { atomic_store_explicit(&x, 1, WORDER); }
void thread1(void) { atomic_store_explicit(&y, 1, WORDER); }
void thread2(void) { a = atomic_load_explicit(&x, ORDER); b = atomic_load_explicit(&y, ORDER); }
void thread3(void) { c = atomic_load_explicit(&y, ORDER); d = atomic_load_explicit(&x, ORDER); }
void final(void) {
  int seen = a == 1 && b == 0 && c == 1 && d == 0;
  assert(!seen);
}
