// A failure before the first store, in a program that has none.
// OPTIONS: --allow-empty
// OUTCOMES: x=0
// COUNTS: 2 executions, 2 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  (void)line;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)X);
}

PM_TEST(1)
