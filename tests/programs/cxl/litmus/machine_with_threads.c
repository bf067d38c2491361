// OPTIONS:
// OUTCOMES: 0 0; 0 1; 0 2; 1 0; 1 1; 1 2; 2 0; 2 1; 2 2
// COUNTS: 23 executions, 23 runs, 4 failure points
// OPTIONS: --gpf
// OUTCOMES: 0 0; 1 0; 1 1; 2 1; 2 2
// COUNTS: 7 executions, 7 runs, 6 failure points
// A machine fails with all its threads: two that store alternately, each to a line of its own.
#include "../cxl.h"

static void *count(void *word) {
  volatile uint64_t *p = word;
  for (uint64_t i = 1; i <= 2; i++) {
    *p = i;
    yield_rounds(1);
  }
  return NULL;
}

int main(void) {
  if (tidemark_machine() == 0) {
    pthread_t t;
    pthread_create(&t, NULL, count, (void *)&Z);
    count((void *)&X);
    pthread_join(t, NULL);
    return 0;
  }
  yield_rounds(6);
  unsigned long x = X, z = Z;
  SHOW("%lu %lu", x, z);
}
