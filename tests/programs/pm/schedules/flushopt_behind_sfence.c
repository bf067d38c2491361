// A clflushopt behind an sfence that is still in the buffer may come before another thread's store.
// OUTCOMES: 000; 001; 010; 011; 100; 101; 110; 111
// COUNTS: 26 executions, 12 runs, 6 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
}

THREAD(second) {
  Y = 1;
  _mm_sfence();
  clflushopt(&X);
  uint64_t a = X;
  _mm_sfence();
  Z = a;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d%d", (int)X, (int)Y, (int)Z);
}

CRASH_TEST(3, first, second)
