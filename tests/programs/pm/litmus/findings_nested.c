// The same at the second failure: a recovery that repairs the line but forgets to flush.
// OPTIONS: --failures=2
// OUTCOMES: x=0 done=0; x=1 done=0; x=1 done=1
// FINDINGS: assertion 1
// COUNTS: 9 executions, 7 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
}

static void after(union pm_line *line) {
  int x = (int)X, done = (int)Y;
  tidemark_assert(!done || x);
  tidemark_outcome("x=%d done=%d", x, done);
  X = 1;
  Y = 1;
  clflush(&Y);
}

PM_TEST(2)
