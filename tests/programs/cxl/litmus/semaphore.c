// OPTIONS:
// OUTCOMES: posted 0; posted 1; too late 0; too late 1
// COUNTS: 7 executions, 7 runs, 4 failure points
// OPTIONS: --failures=0
// OUTCOMES: posted 1
// COUNTS: 1 executions, 1 runs, 0 failure points
// A semaphore in shared memory, waited for with a deadline: the poster may have failed.
#include "../cxl.h"
#include <semaphore.h>
#include <time.h>

int main(void) {
  sem_t *s = (sem_t *)cxl_word(64);
  if (tidemark_machine() == 0) {
    sem_init(s, 1, 0);
    yield_rounds(1);
    X = 1;
    sem_post(s);
    return 0;
  }
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec++;
  int status = sem_timedwait(s, &t);
  SHOW("%s %lu", status ? "too late" : "posted", NUMBER(X));
}
