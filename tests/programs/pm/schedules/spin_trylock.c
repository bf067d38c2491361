// A mutex that is tried again and again: to try it in vain waits like a load.
// OUTCOMES: x=2 a=1; x=2 a=2
// COUNTS: 24 executions, 13 runs, 12 failure points
#include "../threads.h"

static int a;

static void enter(void *mutex) {
  while (pthread_mutex_trylock(mutex))
    ;
}

static void leave(void *mutex) {
  pthread_mutex_unlock(mutex);
}

THREAD(first) {
  enter(&Y);
  X = X + 1;
  leave(&Y);
}

THREAD(second) {
  enter(&Y);
  X = X + 1;
  a = (int)X;
  leave(&Y);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d a=%d", (int)X, a);
}

RUN_TEST(2, first, second)
