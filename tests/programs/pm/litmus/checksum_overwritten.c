// What is overwritten while a checksum is computed is the program's own, whatever the checksum says:
// only what was read is forgotten when it is wrong.
// OUTCOMES: 7
// COUNTS: 3 executions, 3 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_checksum_begin(&X, 16);
  uint64_t sum = X + X2;
  X = 7;
  tidemark_checksum_end(sum == 100);
  tidemark_outcome("%d", (int)X);
}

PM_TEST(1)
