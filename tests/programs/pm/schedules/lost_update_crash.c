// A bug that needs a schedule and a failure: the flag is set for a value that the other thread has
// overwritten in the meantime.
// OUTCOMES: 00; 10; 11; 20
// FINDINGS: assertion
// COUNTS: 28 executions, 11 runs, 11 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  clflush(&X);
  if (X == 1)
    Y = 1;
}

THREAD(second) {
  X = 2;
}

static void after(union pm_line *line) {
  tidemark_assert(Y == 0 || X == 1);
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
