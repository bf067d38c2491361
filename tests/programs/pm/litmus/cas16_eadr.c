// cmpxchg16b is atomic with persistent caches, too.
// FLAGS: -mcx16
// OPTIONS: --eadr
// OUTCOMES: 0 0; 5 6
// COUNTS: 3 executions, 3 runs, 1 failure points
#include "../pm.h"

typedef unsigned __int128 u128;

static void before(union pm_line *line) {
  __sync_bool_compare_and_swap((u128 *)line, (u128)0, (u128)6 << 64 | 5);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d", (int)X, (int)X2);
}

PM_TEST(1)
