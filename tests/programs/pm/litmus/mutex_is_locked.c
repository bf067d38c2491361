// Locking a mutex is a locked instruction (in a process with one thread a libc may do without).
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *second(void *argument) {
  union pm_line *line = argument;
  X = 1;
  clwb(&X);
  pthread_mutex_lock(&mutex);
  Y = 1;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void before(union pm_line *line) {
  pthread_t thread;
  pthread_create(&thread, NULL, second, line);
  pthread_join(thread, NULL);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
