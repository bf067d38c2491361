// Waiting for a flag in PM: terminates, and every store before the flag is seen.
// OUTCOMES: x=1
// COUNTS: 3 executions, 3 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  Y = 1;
}

THREAD(second) {
  while (!Y)
    ;
  Z = X;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)Z);
}

RUN_TEST(3, first, second)
