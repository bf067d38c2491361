// A flush of the next line does not.
// OUTCOMES: x=0 z=0; x=1 z=0; x=0 z=1; x=1 z=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  clflush(&line[0].byte[63] + 1);
  Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d z=%d", (int)X, (int)Z);
}

PM_TEST(4)
