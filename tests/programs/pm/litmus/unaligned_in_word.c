// An unaligned store within eight aligned bytes does not tear.
// OUTCOMES: 0; 444433330000; 444433332222
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  *(any32 *)&line[0].byte[2] = 0x44443333;
  *(any16 *)&line[0].byte[0] = 0x2222;
}

static void after(union pm_line *line) {
  tidemark_outcome("%llx", (unsigned long long)X);
}

PM_TEST(1)
