// Updates under a mutex are not lost, and persist in some order.
// OUTCOMES: x=0; x=1; x=2
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(first) {
  pthread_mutex_lock(&lock);
  X = X + 1;
  clflush(&X);
  pthread_mutex_unlock(&lock);
}

THREAD(second) {
  pthread_mutex_lock(&lock);
  X = X + 1;
  clflush(&X);
  pthread_mutex_unlock(&lock);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)X);
}

CRASH_TEST(1, first, second)
