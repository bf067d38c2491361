// M12 with a compare-and-swap that fails: it waits for the store buffer, too.
// OUTCOMES: 00; 01; 10
// COUNTS: 8 executions, 6 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  __sync_val_compare_and_swap(&X2, 5, 6);
  if (!Y)
    Z = 1;
}

THREAD(second) {
  Y = 1;
  __sync_val_compare_and_swap(&line[1].word[1], 5, 6);
  if (!X)
    W = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)Z, (int)W);
}

CRASH_TEST(4, first, second)
