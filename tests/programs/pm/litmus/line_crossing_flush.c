// A flush of the first line covers only the first part.
// OUTCOMES: 0 0 0; 2 0 0; 0 1 0; 2 1 0; 2 0 1; 2 1 1
// COUNTS: 9 executions, 7 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  *(any64 *)&line[0].byte[60] = 0x0000000100000002;
  clflush(&line[0].byte[60]);
  Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%x %x %x", line[0].half[15], line[1].half[0], (int)Z);
}

PM_TEST(3)
