// A copy inside persistent memory after the failure copies what was read.
// OUTCOMES: 0 0; 1 0; 1 2
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  X2 = 2;
}

static void after(union pm_line *line) {
  memmove(&Y, &X, 16);
  tidemark_outcome("%d %d", (int)line[1].word[0], (int)line[1].word[1]);
}

PM_TEST(2)
