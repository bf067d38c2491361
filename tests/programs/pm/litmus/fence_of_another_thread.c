// M9: a fence completes only its own thread's clwb.  The first thread is still alive and has
// executed no locked instruction after its clwb when the second goes on.
// OUTCOMES: x=0 y=0; x=1 y=0; x=0 y=1; x=1 y=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"
#include <sched.h>

static volatile int flushed, done;

static void *first(void *argument) {
  union pm_line *line = argument;
  X = 1;
  clwb(&X);
  flushed = 1;
  while (!done)
    sched_yield();
  return NULL;
}

static void before(union pm_line *line) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, line);
  while (!flushed)
    sched_yield();
  _mm_sfence();
  Y = 1;
  done = 1;
  pthread_join(thread, NULL);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
