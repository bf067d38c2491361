// One load that reads two lines.
// OUTCOMES: 0; aa; bb00; bbaa
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  line[0].byte[63] = 0xaa;
  line[1].byte[0] = 0xbb;
}

static void after(union pm_line *line) {
  tidemark_outcome("%x", *(any16 *)&line[0].byte[63]);
}

PM_TEST(2)
