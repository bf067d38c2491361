// cmpxchg16b at an address that is not a multiple of 16 faults, also if it would change nothing.
// FLAGS: -mcx16
// OUTCOMES: stored
// FINDINGS: illegal-access 1
// COUNTS: 2 executions, 2 runs, 1 failure points
#include "../pm.h"

typedef unsigned __int128 u128;

static void before(union pm_line *line) {
  X = 1;
  tidemark_outcome("stored");
}

static void after(union pm_line *line) {
  uintptr_t p = (uintptr_t)&X2;
  u128 old = __sync_val_compare_and_swap((u128 *)p, (u128)3, (u128)4);
  tidemark_outcome("%d", (int)old);
}

PM_TEST(1)
