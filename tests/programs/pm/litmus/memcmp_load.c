// So does memcmp, in whichever line the difference is.
// OUTCOMES: same; different
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%s", memcmp(&line[0], &line[1], 64) ? "different" : "same");
}

PM_TEST(2)
