// A thread reads its own store before others see it: it may find its own, and not yet the other's.
// OUTCOMES: a=1 b=0; a=1 b=1
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"

static int a, b;

THREAD(first) {
  X = 1;
  a = (int)X;
  b = (int)Y;
}

THREAD(second) {
  Y = 1;
  _mm_mfence();
  if (X == 0)
    _mm_sfence();
}

static void after(union pm_line *line) {
  tidemark_outcome("a=%d b=%d", a, b);
}

RUN_TEST(2, first, second)
