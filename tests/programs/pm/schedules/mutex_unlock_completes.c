// Unlocking a mutex has a locked instruction: clwb before it is enough for the next owner.
// OUTCOMES: 00; 10; 11
// COUNTS: 7 executions, 5 runs, 3 failure points
#include "../threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(first) {
  pthread_mutex_lock(&lock);
  X = 1;
  clwb(&X);
  pthread_mutex_unlock(&lock);
}

THREAD(second) {
  pthread_mutex_lock(&lock);
  if (X)
    Y = 1;
  pthread_mutex_unlock(&lock);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
