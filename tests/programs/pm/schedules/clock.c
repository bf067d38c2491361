// Time passes for each thread by itself; who learns of another one is never earlier than that was.
// OUTCOMES: 0; 1
// COUNTS: 12 executions, 6 runs, 4 failure points
#include "../threads.h"
#include <time.h>

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

THREAD(first) {
  for (int i = 0; i < 3; i++)
    now();
  Y = (uint64_t)now();
  X = 1;
}

THREAD(second) {
  now();
  if (X)
    tidemark_assert((uint64_t)now() > Y);
}

THREAD(third) {
  long before = now();
  usleep(10);
  tidemark_assert(now() - before >= 10000);
  if (X)
    tidemark_assert((uint64_t)now() > Y);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(3, first, second, third)
