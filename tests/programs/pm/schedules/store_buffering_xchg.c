// M12 with stores that are locked instructions.
// OUTCOMES: 00; 01; 10
// COUNTS: 8 executions, 6 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  __atomic_store_n(&X, 1, __ATOMIC_SEQ_CST);
  if (!Y)
    Z = 1;
}

THREAD(second) {
  __atomic_store_n(&Y, 1, __ATOMIC_SEQ_CST);
  if (!X)
    W = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)Z, (int)W);
}

CRASH_TEST(4, first, second)
