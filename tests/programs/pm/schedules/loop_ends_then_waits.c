// A loop that ends by itself, and then, in the same place, waits for another thread.
// OUTCOMES: 0; 1
// COUNTS: 39 executions, 39 runs, 13 failure points
#include "../threads.h"

static void look(union pm_line *line, int times) {
  for (int i = 0; times ? i < times : !__atomic_load_n(&X, __ATOMIC_ACQUIRE); i++)
    __atomic_load_n(&X, __ATOMIC_ACQUIRE);
}

THREAD(first) {
  look(line, 12);
  look(line, 0);
}

THREAD(second) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(2, first, second)
