// cmpxchg16b is atomic, and a fence.
// FLAGS: -mcx16
// OUTCOMES: 0 0 0; 0 0 1; 5 6 1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

typedef unsigned __int128 u128;

static void before(union pm_line *line) {
  Y = 1;
  clwb(&Y);
  __sync_bool_compare_and_swap((u128 *)line, (u128)0, (u128)6 << 64 | 5);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d %d", (int)X, (int)X2, (int)Y);
}

PM_TEST(2)
