// Bytes from two executions in one word, the older ones never read in between.
// OPTIONS: --failures=2
// OUTCOMES: 0; 11111111; 22; 11111122; 2222; 11112222
// COUNTS: 9 executions, 9 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  line[0].half[0] = 0x11111111;
}

static void after(union pm_line *line) {
  if (tidemark_failures() == 1) {
    line[0].byte[0] = 0x22;
    line[0].byte[1] = 0x22;
  }
  tidemark_outcome("%x", line[0].half[0]);
}

PM_TEST(1)
