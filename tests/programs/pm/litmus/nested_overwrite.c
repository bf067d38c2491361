// A recovery overwrites what it has read: a second failure may lose none, one or both of its
// stores, and what shows then is what the first recovery read.  tidemark_assume leaves the
// executions out that found the line between two stores.
// OPTIONS: --failures=2
// OUTCOMES: 0 0; 1 1; 2 2; 9 0; 9 9; 9 1; 9 2
// COUNTS: 17 executions, 15 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  X2 = 1;
  X = 2;
  X2 = 2;
}

static void after(union pm_line *line) {
  int x = (int)X, x2 = (int)X2;
  tidemark_assume(x == x2 || x == 9);
  X = 9;
  X2 = 9;
  clflush(&X);
  tidemark_outcome("%d %d", x, x2);
}

PM_TEST(1)
