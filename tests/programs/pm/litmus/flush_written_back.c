// A flush of a line that is written back already makes nothing certain: no failure before it is tried.
// OUTCOMES: 0 0; 1 0; 1 1; 1 2
// COUNTS: 6 executions, 5 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clflush(&X);
  Y = 1;
  clflush(&X);
  Y = 2;
  clflush(&Y);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d", (int)X, (int)Y);
}

PM_TEST(2)
