// OPTIONS:
// OUTCOMES: 0 0 0; 0 0 1; dead 1 0; dead 1 1
// COUNTS: 9 executions, 9 runs, 7 failure points
// OPTIONS: --gpf
// OUTCOMES: 0 0 0; 0 0 1; dead 1 0; dead 1 1
// COUNTS: 9 executions, 9 runs, 8 failure points
// The owner's machine fails while machine 1 waits for the robust mutex: EOWNERDEAD, and what the
// owner had not flushed may be gone.  "0 0 0": it failed before it had the mutex.
#include "../cxl.h"
#include <errno.h>

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  if (tidemark_machine() == 0) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(m, &a);
    pthread_mutex_lock(m);
    yield_rounds(1);
    X = 1;
    clflush(&X);
    pthread_mutex_unlock(m);
    return 0;
  }
  int status = pthread_mutex_lock(m);
  int failed = tidemark_mutex_owner_failed(m);
  if (status == EOWNERDEAD)
    pthread_mutex_consistent(m);
  unsigned long x = X;
  pthread_mutex_unlock(m);
  tidemark_assert(pthread_mutex_lock(m) == 0 && !tidemark_mutex_owner_failed(m));
  SHOW("%s %d %lu", status == 0 ? "0" : status == EOWNERDEAD ? "dead" : "?", failed, x);
}
