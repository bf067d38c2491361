// A recovery that counts its runs can fail, too.
// OPTIONS: --failures=2
// OUTCOMES: x=0 runs=0; x=1 runs=0; x=0 runs=1; x=1 runs=1
// COUNTS: 7 executions, 7 runs, 1 failure points
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
