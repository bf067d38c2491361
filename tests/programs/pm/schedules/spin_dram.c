// Waiting for an atomic flag in ordinary memory: stores to PM are out of the buffer before it.
// OUTCOMES: 00; 10; 11
// COUNTS: 5 executions, 5 runs, 3 failure points
#include "../threads.h"

static atomic_int flag;

THREAD(first) {
  X = 1;
  clflush(&X);
  atomic_store_explicit(&flag, 1, memory_order_release);
}

THREAD(second) {
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    ;
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
