// P9: a flush covers the whole line, whichever address it is given.
// OUTCOMES: x=0 x'=0 y=0; x=1 x'=0 y=0; x=1 x'=1 y=0; x=1 x'=1 y=1
// COUNTS: 6 executions, 5 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  X2 = 1;
  clflushopt(&X);
  _mm_sfence();
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d x'=%d y=%d", (int)X, (int)X2, (int)Y);
}

PM_TEST(4)
