// OPTIONS:
// OUTCOMES: 0; 1
// COUNTS: 6 executions, 6 runs, 4 failure points
// A read-write lock of a failed machine is released, too: nobody waits for ever.
#include "../cxl.h"

int main(void) {
  pthread_rwlock_t *l = (pthread_rwlock_t *)cxl_word(64);
  if (tidemark_machine() == 0) {
    pthread_rwlock_wrlock(l);
    yield_rounds(1);
    X = 1;
    clflush(&X);
    pthread_rwlock_unlock(l);
    return 0;
  }
  pthread_rwlock_rdlock(l);
  SHOW("%lu", NUMBER(X));
  pthread_rwlock_unlock(l);
}
