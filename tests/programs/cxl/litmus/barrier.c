// OPTIONS: --failures=0
// OUTCOMES: 1
// COUNTS: 1 executions, 1 runs, 0 failure points
// OPTIONS:
// OUTCOMES: 0; 1
// FINDINGS: deadlock
// COUNTS: 6 executions, 6 runs, 4 failure points
// A barrier in shared memory between two machines.  It is no flush, and it waits for ever for a
// machine that has failed.
#include "../cxl.h"

int main(void) {
  pthread_barrier_t *b = (pthread_barrier_t *)cxl_word(64);
  if (tidemark_machine() == 0) {
    pthread_barrierattr_t a;
    pthread_barrierattr_init(&a);
    pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(b, &a, 2);
    yield_rounds(1);
    X = 1;
    pthread_barrier_wait(b);
    return 0;
  }
  pthread_barrier_wait(b);
  SHOW("%lu", NUMBER(X));
}
