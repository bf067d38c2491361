// The stores of a thread that ends with a full buffer reach the cache one by one.
// OUTCOMES: 00; 10; 11
// COUNTS: 6 executions, 4 runs, 3 failure points
#include "../threads.h"

static int a, b;

THREAD(first) {
  b = (int)Y;
  a = (int)X;
  if (b && !a)
    tidemark_assert(0);
}

THREAD(second) {
  X = 1;
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", a, b);
}

RUN_TEST(2, first, second)
