// Unlocking a spin lock is a plain store: what it protects is visible, but clwb is not complete.
// OUTCOMES: 00; 01; 10; 11
// COUNTS: 8 executions, 6 runs, 2 failure points
#include "../threads.h"

static pthread_spinlock_t lock;

THREAD(first) {
  pthread_spin_lock(&lock);
  X = 1;
  clwb(&X);
  pthread_spin_unlock(&lock);
}

THREAD(second) {
  pthread_spin_lock(&lock);
  if (X)
    Y = 1;
  pthread_spin_unlock(&lock);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
