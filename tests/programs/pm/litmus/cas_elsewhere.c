// A locked instruction on ordinary memory is a fence, too.
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  int counter = 0;
  X = 1;
  clwb(&X);
  __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(4)
