// M1: a value that another thread has read need not be persistent.
// OUTCOMES: 00; 01; 10; 11
// COUNTS: 8 executions, 6 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
}

THREAD(second) {
  if (X)
    Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
