// An update that another thread makes between load and store gets lost, in some schedules only.
// OUTCOMES: x=2
// FINDINGS: assertion
// COUNTS: 8 executions, 6 runs, 4 failure points
#include "../threads.h"

THREAD(first) {
  X = X + 1;
}

THREAD(second) {
  X = X + 1;
}

static void after(union pm_line *line) {
  tidemark_assert(X == 2);
  tidemark_outcome("x=%d", (int)X);
}

RUN_TEST(1, first, second)
