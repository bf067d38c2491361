// What one recovery has read of the first execution, the next one reads, too.
// OPTIONS: --failures=2
// OUTCOMES: x=0 y=0; x=1 y=0; x=0 y=10; x=1 y=11
// COUNTS: 7 executions, 7 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
}

static void after(union pm_line *line) {
  int x = (int)X, y = (int)Y;
  Y = (uint64_t)x + 10;
  tidemark_outcome("x=%d y=%d", x, y);
}

PM_TEST(2)
