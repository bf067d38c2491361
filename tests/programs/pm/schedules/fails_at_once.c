// Whether others touch what a thread has read is not known when it fails: they may come first.
// OUTCOMES: 0; 1; 2
// FINDINGS: assertion; abort
// COUNTS: 23 executions, 9 runs, 12 failure points
#include "../threads.h"
#include <stdlib.h>

THREAD(first) {
  tidemark_assert(Y);
}

THREAD(second) {
  if (X && !Z)
    abort();
}

THREAD(third) {
  X = 1;
  Y = 1;
  clflush(&X);
  if (X == 1)
    X = 2;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(3, first, second, third)
