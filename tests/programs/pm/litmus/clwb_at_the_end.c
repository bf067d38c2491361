// The end of the program is no fence.
// OUTCOMES: x=0; x=1
// COUNTS: 3 executions, 3 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clwb(&X);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)X);
}

PM_TEST(4)
