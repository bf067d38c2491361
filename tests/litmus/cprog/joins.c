// What a value depends on is decided on the path that was taken, and a branch that has met the other
// one again orders nothing.
// CHECK aarch64: violated 32
// CHECK riscv: violated 32
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64 -DALWAYS: verified
// CHECK aarch64 -DMET: violated 32
// CHECK aarch64 -DINSIDE: verified
#include <assert.h>
#include <stdatomic.h>
static atomic_int x, y, z;
void thread0(void) {
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  int s = atomic_load_explicit(&y, memory_order_relaxed), seen = s;
#if defined MET || defined INSIDE
  if (s && r == 0)
    atomic_store_explicit(&z, 4, memory_order_relaxed);
#ifdef INSIDE
  if (s)
#endif
    atomic_store_explicit(&x, 42, memory_order_relaxed);
#else
#ifndef ALWAYS
  if (r == 0) {
    atomic_store_explicit(&z, 4, memory_order_relaxed);
    s = 42;
  }
#endif
  atomic_store_explicit(&x, s, memory_order_relaxed);
#endif
  assert(seen != 42);
}
void thread1(void) {
  int a = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&y, a, memory_order_relaxed);
}
