// Which loads a recovery does depends on what it has read.
// OUTCOMES: none; a 1; b 1; b 0
// COUNTS: 6 executions, 5 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  Y = 1;
  clflush(&Y);
  X = 1;
  Z = 1;
  X = 2;
}

static void after(union pm_line *line) {
  switch (X) {
  case 0:
    tidemark_outcome("none");
    break;
  case 1:
    tidemark_outcome("a %d", (int)Y);
    break;
  default:
    tidemark_outcome("b %d", (int)Z);
  }
}

PM_TEST(3)
