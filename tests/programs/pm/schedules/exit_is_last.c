// A thread that goes on while main returns: whatever it does by then, or would have done, can be lost.
// OUTCOMES: 00; 10; 11
// COUNTS: 4 executions, 4 runs, 2 failure points
#include "../threads.h"

static void *beside(void *argument) {
  union pm_line *line = argument;
  X = 1;
  clflush(&X);
  Y = 1;
  return NULL;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

int main(void) {
  union pm_line *line = pm_lines(3);
  if (tidemark_failures() == 0) {
    pthread_t thread;
    Z = 1;
    pthread_create(&thread, NULL, beside, line);
  } else {
    after(line);
  }
  return 0;
}
