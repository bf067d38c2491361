/* Three threads take one lock, each in its own way of waiting, and one of them does not (FIXED: all do).  A look in vain
 * is no execution by itself: there is one for each order. */
#include "twin.h"
#include <sched.h>

static atomic_int lock;
static int count;

static void leave(void) {
  count++;
  atomic_store(&lock, 0);
}

static void *yields(void *unused) {
  for (;;) {
    int free = 0;
    if (atomic_compare_exchange_strong(&lock, &free, 1))
      break;
    sched_yield();
  }
  leave();
  return unused;
}

static void *looks_first(void *unused) {
  while (atomic_exchange(&lock, 1))
    while (atomic_load(&lock))
      __builtin_ia32_pause();
  leave();
  return unused;
}

static void *pauses(void *unused) {
#ifdef FIXED
  while (atomic_exchange(&lock, 1))
    __builtin_ia32_pause();
#endif
  leave();
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, yields, NULL);
  run_both(looks_first, pauses);
  pthread_join(other, NULL);
  assert(count == 3);
}
