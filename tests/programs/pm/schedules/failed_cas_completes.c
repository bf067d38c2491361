// A failed compare-and-swap waits for the thread's flushes.
// OUTCOMES: 00; 10; 11
// COUNTS: 4 executions, 4 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  clwb(&X);
  __sync_val_compare_and_swap(&Z, 5, 6);
  Y = 1;
}

THREAD(second) {
  line[3].word[0] = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(4, first, second)
