// Each flush covers more.
// OUTCOMES: x=0 y=0; x=1 y=0; x=2 y=0; x=2 y=1
// COUNTS: 6 executions, 5 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clwb(&X);
  X = 2;
  clwb(&X);
  _mm_sfence();
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(4)
