// A copy onto itself, one word up: the old contents arrive, in pieces.
// OUTCOMES: 1 2 0; 1 1 0; 1 1 2
// COUNTS: 6 executions, 5 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  X2 = 2;
  clflush(&X);
  memmove(&X2, &X, 16);
}

static void after(union pm_line *line) {
  tidemark_assume(X2 != 0);
  tidemark_outcome("%d %d %d", (int)X, (int)X2, (int)line[0].word[2]);
}

PM_TEST(1)
