// The same with C11 atomics that ask for no order at all.
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  uint64_t expected = 5;
  X = 1;
  clwb(&X);
  __atomic_compare_exchange_n(&W, &expected, 6, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(4)
