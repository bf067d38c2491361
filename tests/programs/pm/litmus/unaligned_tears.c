// A store across an 8-byte boundary tears, lower part first.
// OUTCOMES: 0 0; 22222222 0; 22222222 11111111
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  *(any64 *)&line[0].byte[4] = 0x1111111122222222;
}

static void after(union pm_line *line) {
  tidemark_outcome("%x %x", line[0].half[1], line[0].half[2]);
}

PM_TEST(1)
