// A recovery that stores nothing can fail like any other.
// OPTIONS: --failures=2
// OUTCOMES: failures=1 x=0; failures=1 x=1; failures=2 x=0; failures=2 x=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("failures=%d x=%d", tidemark_failures(), (int)X);
}

PM_TEST(1)
