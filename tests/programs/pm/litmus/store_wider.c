// A store of eight aligned bytes is atomic, however it is read.
// OUTCOMES: 0 0 0 0; 4030201 605 7 8
// COUNTS: 3 executions, 3 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 0x0807060504030201;
}

static void after(union pm_line *line) {
  uint8_t last = line[0].byte[7];
  tidemark_outcome("%x %x %x %x", line[0].half[0], line[0].quarter[2], line[0].byte[6], last);
}

PM_TEST(1)
