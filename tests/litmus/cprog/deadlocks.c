// Locks that write while they wait, taken in different orders: nothing ever changes again.
// HANG rc11
// HANG sc
// HANG aarch64
// ENDS rc11 -DORDERED
// HANG rc11 -DFLAG
// HANG sc -DTHREE
// ENDS sc -DTHREE -DORDERED
#include <stdatomic.h>
static atomic_int a, b;

static void lock(atomic_int *l) {
#ifdef FLAG
  while (atomic_fetch_or(l, 1))
    ;
#else
  while (atomic_exchange_explicit(l, 1, memory_order_acquire))
    ;
#endif
}

static void unlock(atomic_int *l) {
  atomic_store_explicit(l, 0, memory_order_release);
}

static void take_both(atomic_int *first, atomic_int *second) {
  lock(first);
  lock(second);
  unlock(second);
  unlock(first);
}

void thread0(void) {
  take_both(&a, &b);
}

void thread1(void) {
#ifdef ORDERED
  take_both(&a, &b);
#else
  take_both(&b, &a);
#endif
}

#ifdef THREE
void thread2(void) {
  lock(&a);
  unlock(&a);
}
#endif
