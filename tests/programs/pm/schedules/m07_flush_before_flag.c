// M7: what was flushed before the flag is persistent for whoever sees the flag.
// OUTCOMES: 000; 100; 101; 110; 111
// COUNTS: 9 executions, 7 runs, 4 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  clflush(&X);
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
