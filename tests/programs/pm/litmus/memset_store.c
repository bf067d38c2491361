// memset is a sequence of stores.
// OUTCOMES: 0 0 0; 7 0 0; 7 7 0; 7 7 7
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  memset(line, 7, 20);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d %d", line[0].byte[7], line[0].byte[15], line[0].byte[19]);
}

PM_TEST(1)
