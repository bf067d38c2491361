// P2: stores to one line persist in order.
// OUTCOMES: x=0 x'=0; x=1 x'=0; x=1 x'=1
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  X2 = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d x'=%d", (int)X, (int)X2);
}

PM_TEST(4)
