// Waiting for a thread that waits for a deadline: the deadline comes.
// OUTCOMES: x=1
// COUNTS: 22 executions, 14 runs, 11 failure points
#include "../threads.h"
#include <semaphore.h>
#include <time.h>

static sem_t never;
static atomic_int flag;

THREAD(first) {
  while (!atomic_load(&flag))
    ;
}

THREAD(second) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 5;
  sem_timedwait(&never, &deadline);
  X = 1;
  atomic_store(&flag, 1);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d", (int)X);
}

RUN_TEST(1, first, second)
