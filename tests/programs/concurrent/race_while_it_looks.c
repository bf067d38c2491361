/* A store that races only with looks in vain: whoever sees the last value is behind it. */
#include "twin.h"

static _Atomic int state;

static void *waits(void *unused) {
  for (int i = 1; i <= 2; i++)
    while (atomic_load_explicit(&state, memory_order_acquire) < i * 2)
      ;
  return unused;
}

static void *goes_on(void *unused) {
  for (int i = 1; i <= 2; i++) {
#ifdef FIXED
    atomic_store_explicit(&state, i * 2 - 1, memory_order_relaxed);
#else
    *(int *)&state = i * 2 - 1;
#endif
    atomic_store_explicit(&state, i * 2, memory_order_release);
  }
  return unused;
}

int main(void) {
  run_both(waits, goes_on);
}
