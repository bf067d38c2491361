// Two threads fail, independently of each other: both are found, and what a third one stores can be lost.
// OUTCOMES: 0; 1
// FINDINGS: assertion; abort
// COUNTS: 10 executions, 6 runs, 8 failure points
#include "../threads.h"
#include <stdlib.h>

THREAD(first) {
  tidemark_assert(Y);
}

THREAD(second) {
  if (!Z)
    abort();
}

THREAD(third) {
  X = 1;
  clflush(&X);
  Y = 1;
  Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(3, first, second, third)
