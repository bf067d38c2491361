// P17: a flush covers what came before it, perhaps also what came after.
// OUTCOMES: x=0 y=0; x=1 y=0; x=2 y=0; x=1 y=1; x=2 y=1
// COUNTS: 8 executions, 6 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clflushopt(&X);
  X = 2;
  _mm_sfence();
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(4)
