// A load wider than the stores it reads.
// OUTCOMES: 0; 1; 201; 30201; 4030201
// COUNTS: 6 executions, 6 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  for (int i = 0; i < 4; i++)
    line[0].byte[i] = (uint8_t)(i + 1);
}

static void after(union pm_line *line) {
  tidemark_outcome("%x", line[0].half[0]);
}

PM_TEST(1)
