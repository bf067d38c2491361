// A lock word with a locked and a pending bit, in the manner of Linux's queued spinlock; the third
// contender spins on the word.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK lkmm: verified
// CHECK rc11 -DUNLOCK=memory_order_relaxed: violated
// CHECK aarch64 -DUNLOCK=memory_order_relaxed: violated
#include <assert.h>
#include <stdatomic.h>
#ifndef UNLOCK
#define UNLOCK memory_order_release
#endif
enum { LOCKED = 1, PENDING = 0x100 };
static atomic_int word;
static int count;
static void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong_explicit(&word, &seen, LOCKED, memory_order_acquire, memory_order_relaxed))
    return;
  if (atomic_fetch_or_explicit(&word, PENDING, memory_order_acquire) & PENDING) {
    do { /* somebody else is pending: wait until the word is free */
      seen = 0;
    } while (!atomic_compare_exchange_weak_explicit(&word, &seen, LOCKED, memory_order_acquire, memory_order_relaxed));
    return;
  }
  while (atomic_load_explicit(&word, memory_order_acquire) & LOCKED) {
  }
  atomic_fetch_add_explicit(&word, LOCKED - PENDING, memory_order_relaxed);
}
static void unlock(void) { atomic_fetch_sub_explicit(&word, LOCKED, UNLOCK); }
static void add(void) { lock(); count++; unlock(); }
void thread0(void) { add(); }
void thread1(void) { add(); }
void thread2(void) { add(); }
void final(void) { assert(count == 3); }
