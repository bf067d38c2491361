// Waiting with _mm_pause() in the loop.
// OUTCOMES: x=1
// COUNTS: 3 executions, 4 runs, 2 failure points
#include "../threads.h"

static atomic_int flag;

THREAD(first) {
  X = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
}

THREAD(second) {
  while (!atomic_load_explicit(&flag, memory_order_acquire))
    _mm_pause();
  Z = X;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)Z);
}

RUN_TEST(3, first, second)
