// Two threads fail, independently of each other: both are found, and what a third one stores can be lost.
// OUTCOMES: 0; 1
// FINDINGS: assertion; abort
// COUNTS: 12 executions, 6 runs, 4 failure points
#include "../threads.h"
#include <stdlib.h>

THREAD(first) {
  if (X)
    tidemark_assert(Y);
}

THREAD(second) {
  if (X && !Z)
    abort();
}

THREAD(third) {
  X = 1;
  clflush(&X);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(3, first, second, third)
