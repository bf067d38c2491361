// A release store comes after earlier stores, and does not complete flushes.
// OUTCOMES: 00; 01; 10; 11
// COUNTS: 8 executions, 6 runs, 2 failure points
#include "../threads.h"

static atomic_int flag;

THREAD(first) {
  X = 1;
  clwb(&X);
  atomic_store_explicit(&flag, 1, memory_order_release);
}

THREAD(second) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) {
    tidemark_assert(X == 1);
    Y = 1;
  }
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
