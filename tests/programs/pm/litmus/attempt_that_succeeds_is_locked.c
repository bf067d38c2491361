// An attempt that has the lock executes a locked instruction, which completes a clwb.
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"
#include <semaphore.h>

static void before(union pm_line *line) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  X = 1;
  clwb(&X);
  sem_trywait(&semaphore);
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
