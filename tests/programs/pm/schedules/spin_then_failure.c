// An attempt in vain completes flushes, and a failure may come before or after it: which it was nobody can tell.
// OUTCOMES: 00; 10; 11
// COUNTS: 10 executions, 8 runs, 8 failure points
#include "../threads.h"

static void enter(_Atomic long *lock) {
  long expected = 0;
  while (!atomic_compare_exchange_strong(lock, &expected, 1)) {
    expected = 0;
    sched_yield();
  }
}

static void leave(_Atomic long *lock) {
  atomic_store_explicit(lock, 0, memory_order_release);
}

THREAD(first) {
  X = 1;
  clwb(&X);
  enter((_Atomic long *)&Z);
  Y = 1;
  leave((_Atomic long *)&Z);
}

THREAD(second) {
  enter((_Atomic long *)&Z);
  leave((_Atomic long *)&Z);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(3, first, second)
