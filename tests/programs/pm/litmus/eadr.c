// Persistent caches: stores persist as they are made.
// OUTCOMES: x=0 y=0 x'=0; x=1 y=0 x'=0; x=1 y=1 x'=0; x=1 y=1 x'=1
// OPTIONS: --eadr
// COUNTS: 7 executions, 5 runs, 3 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  Y = 1;
  X2 = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d x'=%d", (int)X, (int)Y, (int)X2);
}

PM_TEST(4)
