// glibc locks a mutex with plain instructions while the process has only one thread.
// OUTCOMES: x=0 y=0; x=1 y=0; x=0 y=1; x=1 y=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void before(union pm_line *line) {
  pthread_mutex_lock(&mutex);
  X = 1;
  clwb(&X);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  Y = 1;
  pthread_mutex_unlock(&mutex);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
