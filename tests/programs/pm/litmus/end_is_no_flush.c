// The end of the program is no flush, and the very first store can be lost.
// OUTCOMES: x=0; x=1
// COUNTS: 3 executions, 3 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)X);
}

PM_TEST(4)
