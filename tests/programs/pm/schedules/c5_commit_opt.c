// C5: 5 states.
// OUTCOMES: 0 0 0; 0 7 0; 42 0 0; 42 7 0; 42 7 1
// COUNTS: 11 executions, 7 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  X = 42;
  Y = 7;
}

THREAD(second) {
  if (Y) {
    clflushopt(&X);
    clflushopt(&Y);
    _mm_sfence();
    Z = 1;
  }
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d %d", (int)X, (int)Y, (int)Z);
}

CRASH_TEST(3, first, second)
