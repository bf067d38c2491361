// M4: a flush covers whatever is in the line, whoever wrote it.
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"
#include <sched.h>

static volatile int stored, done;

static void *first(void *argument) {
  union pm_line *line = argument;
  X = 1;
  stored = 1;
  while (!done)
    sched_yield();
  return NULL;
}

static void before(union pm_line *line) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, line);
  while (!stored)
    sched_yield();
  clwb(&X);
  _mm_sfence();
  Y = 1;
  done = 1;
  pthread_join(thread, NULL);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
