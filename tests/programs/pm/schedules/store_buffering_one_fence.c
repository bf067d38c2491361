// M12 with one mfence: not enough.
// OUTCOMES: 00; 01; 10; 11
// COUNTS: 13 executions, 8 runs, 4 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  _mm_mfence();
  if (!Y)
    Z = 1;
}

THREAD(second) {
  Y = 1;
  if (!X)
    W = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)Z, (int)W);
}

CRASH_TEST(4, first, second)
