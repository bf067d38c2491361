// Stores stay in the buffer beyond a sched_yield, also after a lock operation.
// OUTCOMES: a=0 b=0; a=0 b=1; a=1 b=0; a=1 b=1
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

THREAD(first) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  X = 1;
  sched_yield();
  a = (int)Y;
}

THREAD(second) {
  Y = 1;
  _mm_mfence();
  b = (int)X;
}

static void after(union pm_line *line) {
  tidemark_outcome("a=%d b=%d", a, b);
}

RUN_TEST(2, first, second)
