// C6: 6 states.
// OUTCOMES: 000; 010; 100; 101; 110; 111
// COUNTS: 17 executions, 9 runs, 5 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  Y = 1;
}

THREAD(second) {
  uint64_t a = Y;
  clflushopt(&X);
  _mm_sfence();
  Z = a;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d%d", (int)X, (int)Y, (int)Z);
}

CRASH_TEST(3, first, second)
