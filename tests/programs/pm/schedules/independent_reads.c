// Two stores are seen in one order by all: y before x by the third thread, so y by the first.
// OUTCOMES: 00; 10; 11
// COUNTS: 14 executions, 8 runs, 7 failure points
#include "../threads.h"

static int a, b, c;

THREAD(first) {
  X = 1;
  _mm_mfence();
  a = (int)Y;
}

THREAD(second) {
  Y = 1;
}

THREAD(third) {
  b = (int)Y;
  _mm_mfence();
  c = (int)X;
  if (b && !c)
    Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", a, (int)Z);
}

RUN_TEST(3, first, second, third)
