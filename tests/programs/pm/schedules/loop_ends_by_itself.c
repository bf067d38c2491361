// A loop that looks at one place a number of times does not wait for anybody: the other thread may
// see what comes after it before it changes that place, or in the middle of it.
// OUTCOMES: sum=0 a=0; sum=0 a=1; sum=1 a=0; sum=2 a=0; sum=3 a=0; sum=4 a=0; sum=5 a=0; sum=6 a=0; sum=7 a=0; sum=8 a=0
// COUNTS: 20 executions, 22 runs, 10 failure points
#include "../threads.h"

static int sum, a;

THREAD(first) {
  for (int i = 0; i < 8; i++)
    sum += (int)X;
  Y = 1;
}

THREAD(second) {
  a = (int)Y;
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("sum=%d a=%d", sum, a);
}

RUN_TEST(2, first, second)
