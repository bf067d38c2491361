// OPTIONS:
// OUTCOMES: posted; posted + 0 1; 110 0; 110 1
// COUNTS: 6 executions, 6 runs, 4 failure points
// OPTIONS: --schedule=all
// OUTCOMES: posted; posted + 0 1; 0 1 + posted; 110 0; 110 1
// COUNTS: 58 executions, 58 runs, 4 failure points
// The name of a semaphore is the same on all machines, like that of a shared-memory object.  A wait with a deadline ends
// when whoever could have posted it has failed, also if that happens while its stores leave the store buffer.
#include "../cxl.h"
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <time.h>

int main(void) {
  sem_t *s = sem_open("/ready", O_CREAT, 0600, 0);
  tidemark_assert(s != SEM_FAILED);
  if (tidemark_machine() == 0) {
    X = 1;
    clflush(&X);
    sem_post(s);
    SHOW("%s", "posted");
    return 0;
  }
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec++;
  int error = sem_timedwait(s, &time) ? errno : 0;
  SHOW("%d %lu", error, NUMBER(X));
}
