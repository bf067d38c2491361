// M8: M7 with clflushopt: it may come after the flag.
// OUTCOMES: 000; 001; 010; 011; 100; 101; 110; 111
// COUNTS: 14 executions, 10 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  clflushopt(&X);
  Y = 1;
}

THREAD(second) {
  if (Y)
    Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d%d", (int)X, (int)Y, (int)Z);
}

CRASH_TEST(3, first, second)
