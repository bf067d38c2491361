// P16: clflush of the same line does its work.
// OUTCOMES: x=0 z=0; x=1 z=0; x=1 z=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clflushopt(&X);
  clflush(&X);
  Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d z=%d", (int)X, (int)Z);
}

PM_TEST(4)
