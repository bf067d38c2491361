// P7: clflushopt and a locked instruction do.
// OUTCOMES: x=0 w=0 y=0; x=1 w=0 y=0; x=1 w=1 y=0; x=1 w=0 y=1; x=1 w=1 y=1
// COUNTS: 7 executions, 6 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clflushopt(&X);
  __sync_bool_compare_and_swap(&W, 0, 1);
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d w=%d y=%d", (int)X, (int)W, (int)Y);
}

PM_TEST(4)
