// The order of the stores counts, not that of their addresses.
// OUTCOMES: 0; 300; 10300; 10302
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  line[0].byte[1] = 3;
  line[0].byte[2] = 1;
  line[0].byte[0] = 2;
}

static void after(union pm_line *line) {
  tidemark_outcome("%x", line[0].half[0]);
}

PM_TEST(1)
