// OPTIONS:
// OUTCOMES: 0 0 0; 0 0 1; 0 1 0; 0 1 1
// COUNTS: 6 executions, 6 runs, 4 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0 0; 0 0 1; 0 1 0; 0 1 1
// COUNTS: 6 executions, 6 runs, 4 failure points
// A plain mutex of a failed machine is released, and the next owner can find out.
#include "../cxl.h"

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  if (tidemark_machine() == 0) {
    pthread_mutex_lock(m);
    yield_rounds(1);
    X = 1;
    clflush(&X);
    pthread_mutex_unlock(m);
    return 0;
  }
  int status = pthread_mutex_lock(m);
  int failed = tidemark_mutex_owner_failed(m);
  unsigned long x = X;
  pthread_mutex_unlock(m);
  SHOW("%d %d %lu", status, failed, x);
}
