// A sequentially consistent store is a locked instruction: it completes flushes.
// OUTCOMES: 00; 10; 11
// COUNTS: 6 executions, 5 runs, 3 failure points
#include "../threads.h"

static atomic_int flag;

THREAD(first) {
  X = 1;
  clwb(&X);
  atomic_store(&flag, 1);
}

THREAD(second) {
  if (atomic_load(&flag))
    Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
