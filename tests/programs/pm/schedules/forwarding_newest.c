// Of two buffered stores to a byte the newer one is read.
// OUTCOMES: a=2 b=102
// COUNTS: 2 executions, 3 runs, 1 failure points
#include "../threads.h"

static int a, b;

THREAD(first) {
  X = 0x101;
  line[0].byte[0] = 2;
  a = line[0].byte[0];
  b = (int)X;
}

THREAD(second) {
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("a=%d b=%x", a, b);
}

RUN_TEST(2, first, second)
