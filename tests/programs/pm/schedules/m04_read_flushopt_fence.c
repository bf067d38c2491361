// M4: M3 with a fence.
// OUTCOMES: 00; 10; 11
// COUNTS: 7 executions, 5 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
}

THREAD(second) {
  if (X) {
    clflushopt(&X);
    _mm_sfence();
    Y = 1;
  }
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
