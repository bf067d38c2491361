// A signal that wakes somebody has a locked instruction, which waits for earlier flushes; also if
// that somebody began to wait only just before.  (A signal that comes too early wakes nobody.)
// OUTCOMES: 00; 10; 11
// FINDINGS: deadlock
// COUNTS: 7 executions, 5 runs, 3 failure points
#include "../threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

THREAD(first) {
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&condition, &lock);
  Y = 1;
  pthread_mutex_unlock(&lock);
}

THREAD(second) {
  X = 1;
  clwb(&X);
  pthread_cond_signal(&condition);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
