// P13, P14: two flushes under one fence are both complete after it, in any order before it.
// OUTCOMES: x=0 y=0 z=0; x=1 y=0 z=0; x=0 y=1 z=0; x=1 y=1 z=0; x=1 y=1 z=1
// COUNTS: 7 executions, 6 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  Y = 1;
  clflushopt(&X);
  clflushopt(&Y);
  _mm_sfence();
  Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d z=%d", (int)X, (int)Y, (int)Z);
}

PM_TEST(4)
