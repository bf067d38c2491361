// Atomics of different sizes on the same memory, as in the queue lock of the Linux kernel.
// CHECK sc: verified
// CHECK x86tso: verified
// CHECK aarch64: verified
// CHECK riscv: verified
// CHECK aarch64 -DRELAXED: violated 54
// CHECK x86tso -DRELAXED: verified
// CHECK aarch64 -DBYTES: violated 45
// CHECK sc -DBYTES: violated 45
// CHECK aarch64 -DLOST: violated 55
// ERROR rc11: mixed_atomics.c:28:8: an atomic access to memory that is also accessed in other sizes
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
union word {
  _Atomic uint32_t whole;
  struct { _Atomic uint8_t locked, pending; _Atomic uint16_t tail; } part;
};
static union word lock, flags, sums;
static int counter, done[2];
#ifdef RELAXED
#define UNLOCKING memory_order_relaxed
#else
#define UNLOCKING memory_order_release
#endif
static int inside(void) {
  uint32_t unlocked = 0;
  if (!atomic_compare_exchange_strong_explicit(&lock.whole, &unlocked, 1, memory_order_acquire,
                                               memory_order_relaxed))
    return 0;
  counter++;
  atomic_store_explicit(&lock.part.locked, 0, UNLOCKING);
  return 1;
}
static void publish(void) {
#ifdef BYTES
  atomic_store_explicit(&flags.part.locked, 1, memory_order_release);
  atomic_store_explicit(&flags.part.pending, 1, memory_order_release);
#else
  atomic_store_explicit(&flags.whole, 0x101, memory_order_relaxed);
#endif
}
static void look(void) {
  if (atomic_load_explicit(&flags.part.locked, memory_order_acquire))
    assert(atomic_load_explicit(&flags.part.pending, memory_order_relaxed));
}
void thread0(void) { done[0] = inside(); publish(); atomic_fetch_add(&sums.whole, 0x10000); }
void thread1(void) { done[1] = inside(); look(); atomic_fetch_add(&sums.part.tail, 1); }
void final(void) {
  uint32_t sum = 0x20000;
#ifdef LOST
  sum = 0x10000;
#endif
  assert(counter == done[0] + done[1]);
  assert(atomic_load(&sums.whole) == sum);
}
