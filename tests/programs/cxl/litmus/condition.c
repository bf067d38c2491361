// OPTIONS:
// OUTCOMES: 0 1; late 0; late 1
// COUNTS: 11 executions, 11 runs, 7 failure points
// OPTIONS: --failures=0
// OUTCOMES: 0 1
// COUNTS: 1 executions, 1 runs, 0 failure points
// A condition variable and its mutex in shared memory; the machine that should signal may fail with
// the mutex, before or after the signal.
#include "../cxl.h"
#include <errno.h>
#include <time.h>

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  pthread_cond_t *c = (pthread_cond_t *)cxl_word(96);
  if (tidemark_machine() == 0) {
    yield_rounds(1);
    pthread_mutex_lock(m);
    X = 1;
    pthread_cond_signal(c);
    pthread_mutex_unlock(m);
    return 0;
  }
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec++;
  int status = 0;
  pthread_mutex_lock(m);
  while (X == 0 && status == 0)
    status = pthread_cond_timedwait(c, m, &t);
  unsigned long x = X;
  pthread_mutex_unlock(m);
  SHOW("%s %lu", status == 0 ? "0" : status == ETIMEDOUT ? "late" : "?", x);
}
