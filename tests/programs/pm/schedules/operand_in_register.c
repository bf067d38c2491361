// What a locked instruction stores may be in a register only: the threads come to the same state in all but that, by
// both orders of what they do to x.
// OUTCOMES: 0 0; 0 70; 0 71; 1 0; 1 70; 11 0; 11 71; 12 0; 12 70; 12 71; 13 0; 13 70; 13 71; 14 0; 14 70; 15 0; 15 70; 15 71; 30 0; 30 70; 30 71; 31 0; 31 70; 31 71; 32 0; 32 70; 32 71
// COUNTS: 234 executions, 53 runs, 26 failure points
#include "../threads.h"

THREAD(first) {
  (void)atomic_load((_Atomic uint64_t *)&Y);
  atomic_exchange((_Atomic uint64_t *)&Z, atomic_fetch_add((_Atomic uint64_t *)&X, 1) + 70);
  atomic_fetch_add((_Atomic uint64_t *)&Y, atomic_fetch_add((_Atomic uint64_t *)&X, 1));
}

THREAD(second) {
  atomic_exchange((_Atomic uint64_t *)&Y, atomic_exchange((_Atomic uint64_t *)&W, 3) + 30);
  atomic_fetch_add((_Atomic uint64_t *)&X, 1);
  atomic_exchange((_Atomic uint64_t *)&Y, atomic_exchange((_Atomic uint64_t *)&X, 1) + 10);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d", (int)Y, (int)Z);
}

CRASH_TEST(4, first, second)
