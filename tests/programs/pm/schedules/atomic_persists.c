// What one thread stores and flushes under a lock is seen by the other under the lock as a whole:
// z implies x and y.
// OUTCOMES: 000; 010; 100; 110; 111
// COUNTS: 11 executions, 7 runs, 3 failure points
#include "../threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(first) {
  pthread_mutex_lock(&lock);
  X = 1;
  Y = 1;
  clflushopt(&X);
  _mm_sfence();
  clflushopt(&Y);
  _mm_sfence();
  pthread_mutex_unlock(&lock);
}

THREAD(second) {
  pthread_mutex_lock(&lock);
  if (X) {
    Z = 1;
    clflushopt(&Z);
    _mm_sfence();
  }
  pthread_mutex_unlock(&lock);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d%d", (int)X, (int)Y, (int)Z);
}

CRASH_TEST(3, first, second)
