// Figs. 2 and 3 of the Jaaru paper: both words of a line come from one write-back.
// OUTCOMES: x=2 y=1; x=2 y=3; x=4 y=3; x=4 y=5; x=6 y=5; x=0 y=0; x=0 y=1
// COUNTS: 9 executions, 8 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X2 = 1;
  X = 2;
  clflush(&X);
  X2 = 3;
  X = 4;
  X2 = 5;
  X = 6;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)X2);
}

PM_TEST(1)
