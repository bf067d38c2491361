// M13: M12 with mfence.
// OUTCOMES: 00; 01; 10
// COUNTS: 8 executions, 6 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  _mm_mfence();
  if (!Y)
    Z = 1;
}

THREAD(second) {
  Y = 1;
  _mm_mfence();
  if (!X)
    W = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)Z, (int)W);
}

CRASH_TEST(4, first, second)
