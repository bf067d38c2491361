// A thread that ends has no buffer any more: whoever joins it sees its stores.
// OUTCOMES: x=1 y=1
// COUNTS: 2 executions, 2 runs, 1 failure points
#include "../threads.h"

THREAD(first) {
  (void)line;
}

THREAD(second) {
  X = 1;
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

RUN_TEST(2, first, second)
