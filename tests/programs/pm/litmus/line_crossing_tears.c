// The parts of a store that crosses lines persist independently.
// OUTCOMES: 0 0; 22222222 0; 0 11111111; 22222222 11111111
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  *(any64 *)&line[0].byte[60] = 0x1111111122222222;
}

static void after(union pm_line *line) {
  tidemark_outcome("%x %x", line[0].half[15], line[1].half[0]);
}

PM_TEST(2)
