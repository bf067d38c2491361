// Write-to-read causality: who reads the second thread's store also sees the first one's.
// OUTCOMES: 00; 01; 11
// COUNTS: 10 executions, 6 runs, 5 failure points
#include "../threads.h"

static int a, b;

THREAD(first) {
  X = 1;
}

THREAD(second) {
  if (X)
    Y = 1;
}

THREAD(third) {
  a = (int)Y;
  b = (int)X;
  tidemark_assert(!a || b);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", a, b);
}

RUN_TEST(2, first, second, third)
