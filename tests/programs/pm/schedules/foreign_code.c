// Code that was not built with tidemark-cc has turns of its own: what it does, and the draining of
// the buffer that comes before, can happen after anything the other thread does.
// OUTCOMES: x=0 z=0; x=0 z=1; x=1 z=0; x=1 z=1
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"
#include <math.h>

static volatile double one = 1;
static int x, z;

THREAD(first) {
  X = 1;
  frexp(one, (int *)&Z); /* libc stores a 1 there */
}

THREAD(second) {
  x = X;
  z = Z;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d z=%d", x, z);
}

RUN_TEST(3, first, second)
