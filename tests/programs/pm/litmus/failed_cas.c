// A failed compare-and-swap completes earlier clwb like a successful one.
// OUTCOMES: x=0 w=0 y=0; x=1 w=0 y=0; x=1 w=0 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clwb(&X);
  __sync_bool_compare_and_swap(&W, 5, 6);
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d w=%d y=%d", (int)X, (int)W, (int)Y);
}

PM_TEST(4)
