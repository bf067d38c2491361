// Waiting for an answer with the question still in the store buffer: it drains, whatever the bound.
// OUTCOMES: x=1 y=1
// COUNTS: 4 executions, 4 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  while (!Y)
    ;
}

THREAD(second) {
  while (!X)
    ;
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

RUN_TEST(2, first, second)
