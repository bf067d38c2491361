// What is still in the thread's buffer may be in the cache, and overwritten, when it is read.
// OUTCOMES: x=1 a=1; x=1 a=3; x=3 a=3
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"

static int a;

THREAD(first) {
  X = 1;
}

THREAD(second) {
  X = 3;
  a = (int)X;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d a=%d", (int)X, a);
}

RUN_TEST(1, first, second)
