// A thread that sleeps is seen at every stage before it, and the sleep may be over before others go
// on.
// OUTCOMES: a=0 b=0; a=0 b=1; a=1 b=0; a=1 b=1
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"

static int a, b;

THREAD(first) {
  X = 1;
  Y = 1;
  usleep(1);
}

THREAD(second) {
  a = (int)X;
  b = (int)Y;
}

static void after(union pm_line *line) {
  tidemark_outcome("a=%d b=%d", a, b);
}

RUN_TEST(2, first, second)
