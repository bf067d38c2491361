// A seq_cst load is a plain mov.
// OUTCOMES: x=0 y=0; x=1 y=0; x=0 y=1; x=1 y=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clwb(&X);
  if (__atomic_load_n(&W, __ATOMIC_SEQ_CST) == 0)
    Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(4)
