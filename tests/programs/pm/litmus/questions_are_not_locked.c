// Calls that only ask something contain no locked instruction.
// OUTCOMES: x=0 y=0; x=1 y=0; x=0 y=1; x=1 y=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"
#include <sched.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void nothing(void) {
}

static void before(union pm_line *line) {
  pthread_key_t key;
  pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
  pthread_key_create(&key, NULL);
  pthread_once(&once, nothing);
  X = 1;
  clwb(&X);
  pthread_once(&once, nothing);
  pthread_setspecific(key, pthread_getspecific(key));
  pthread_cond_signal(&nobody_waits);
  sched_yield();
  Y = pthread_equal(pthread_self(), pthread_self()) != 0;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
