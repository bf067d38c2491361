// Three failures.
// OPTIONS: --failures=3
// OUTCOMES: x=0 runs=0; x=1 runs=0; x=0 runs=1; x=1 runs=1; x=0 runs=2; x=1 runs=2
// COUNTS: 15 executions, 13 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
}

static void after(union pm_line *line) {
  int x = (int)X, runs = (int)Y;
  Y++;
  clflush(&Y);
  tidemark_outcome("x=%d runs=%d", x, runs);
}

PM_TEST(2)
