// Waiting with a compare-and-swap of 16 bytes that puts back what is there.
// FLAGS: -mcx16
// OUTCOMES: x=1
// COUNTS: 5 executions, 4 runs, 3 failure points
#include "../threads.h"

static unsigned __int128 swap(union pm_line *line, int old, int new) {
  return __sync_val_compare_and_swap((unsigned __int128 *)line, (unsigned __int128)old,
                                     (unsigned __int128)new);
}

THREAD(first) {
  while (!swap(line, 0, 0))
    ;
}

THREAD(second) {
  swap(line, 0, 1);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)X);
}

RUN_TEST(1, first, second)
