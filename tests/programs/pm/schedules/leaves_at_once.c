// _exit does not wait for the others, who may have come first.
// OUTCOMES: 0; 1; saw 0; saw 1
// OPTIONS: --allow-empty
// COUNTS: 6 executions, 4 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  tidemark_outcome("saw %d", (int)X);
  _exit(0);
}

THREAD(second) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(2, first, second)
