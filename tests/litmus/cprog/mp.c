// CHECK sc: verified
// CHECK x86tso: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK riscv: verified
// CHECK lkmm: verified
// CHECK rc11 -DR=memory_order_relaxed: violated
// CHECK rc11 -DW=memory_order_relaxed: violated
// CHECK aarch64 -DR=memory_order_relaxed: violated 28
// CHECK aarch64 -DW=memory_order_relaxed: violated 28
// CHECK riscv -DW=memory_order_relaxed: violated 28
// CHECK x86tso -DW=memory_order_relaxed -DR=memory_order_relaxed: verified
// CHECK rc11 -DFENCES: verified
// CHECK aarch64 -DFENCES: verified
// CHECK riscv -DFENCES: verified
#include <assert.h>
#include <stdatomic.h>
#ifndef R
#define R memory_order_acquire
#endif
#ifndef W
#define W memory_order_release
#endif
static int data;
static atomic_bool ready;
#ifndef FENCES
void thread0(void) { data = 42; atomic_store_explicit(&ready, 1, W); }
void thread1(void) { if (atomic_load_explicit(&ready, R)) assert(data == 42); }
#else
void thread0(void) {
  data = 42;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
}
void thread1(void) {
  if (atomic_load_explicit(&ready, memory_order_relaxed)) {
    atomic_thread_fence(memory_order_acquire);
    assert(data == 42);
  }
}
#endif
