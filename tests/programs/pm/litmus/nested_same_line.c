// The stores of a recovery come after those of the execution before it, in the same line.
// OPTIONS: --failures=2
// OUTCOMES: 0 0; 1 0; 2 0; 0 4; 1 5; 2 6
// COUNTS: 10 executions, 10 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  X = 2;
}

static void after(union pm_line *line) {
  int x = (int)X, x2 = (int)X2;
  X2 = (uint64_t)x + 4;
  tidemark_outcome("%d %d", x, x2);
}

PM_TEST(1)
