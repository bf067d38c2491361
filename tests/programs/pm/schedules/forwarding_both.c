// Both threads see their own store first (n6 of the x86-TSO paper): x=1 is read from the buffer, the
// other's y=2 is not there yet, and x ends as 1.
// OUTCOMES: x=1 a=1 b=0; x=1 a=1 b=2; x=2 a=1 b=0; x=2 a=1 b=2; x=2 a=2 b=2
// COUNTS: 12 executions, 7 runs, 6 failure points
#include "../threads.h"

static int a, b;

THREAD(first) {
  X = 1;
  a = (int)X;
  b = (int)Y;
}

THREAD(second) {
  Y = 2;
  X = 2;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d a=%d b=%d", (int)X, a, b);
}

RUN_TEST(2, first, second)
