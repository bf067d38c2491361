// A finding in the middle of a loop that ends by itself, and its replay.
// OUTCOMES: sum=0; sum=1; sum=2; sum=3; sum=4; sum=5; sum=6; sum=8
// FINDINGS: assertion
// COUNTS: 18 executions, 20 runs, 9 failure points
#include "../threads.h"

static int sum;

THREAD(first) {
  for (int i = 0; i < 8; i++)
    sum += (int)X;
}

THREAD(second) {
  X = 1;
}

static void after(union pm_line *line) {
  (void)line;
  tidemark_assert(sum != 7);
  tidemark_outcome("sum=%d", sum);
}

RUN_TEST(1, first, second)
