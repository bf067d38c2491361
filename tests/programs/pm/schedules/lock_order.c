// Two mutexes in opposite order: a deadlock in some schedules only.
// OUTCOMES: done
// FINDINGS: deadlock
// COUNTS: 6 executions, 4 runs, 3 failure points
#include "../threads.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

THREAD(first) {
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  X = 1;
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
}

THREAD(second) {
  pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  X = 2;
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
}

static void after(union pm_line *line) {
  (void)line;
  tidemark_outcome("done");
}

RUN_TEST(1, first, second)
