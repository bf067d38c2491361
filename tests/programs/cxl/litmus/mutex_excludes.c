// OPTIONS: --machines=3
// OUTCOMES: 0 0; 1 0; 1 1; 2 0; 2 1; 2 2
// COUNTS: 38 executions, 31 runs, 8 failure points
// OPTIONS: --machines=3 --failures=0
// OUTCOMES: 2 2
// COUNTS: 1 executions, 1 runs, 0 failure points
// Three machines add under one mutex, with a switch inside the critical section.
#include "../cxl.h"

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  if (tidemark_machine() < 2) {
    pthread_mutex_lock(m);
    uint64_t sum = X;
    yield_rounds(2);
    X = sum + 1;
    clflush(&X);
    pthread_mutex_unlock(m);
    return 0;
  }
  yield_rounds(12);
  pthread_mutex_lock(m);
  unsigned long x = X;
  pthread_mutex_unlock(m);
  SHOW("%lu %d", x, 2 - tidemark_machine_failed(0) - tidemark_machine_failed(1));
}
