// P8: a locked instruction waits for the flush before its own store.
// OUTCOMES: x=0 w=0; x=1 w=0; x=1 w=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clflushopt(&X);
  __sync_bool_compare_and_swap(&W, 0, 1);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d w=%d", (int)X, (int)W);
}

PM_TEST(4)
