// OUTCOMES: 0; 22
// COUNTS: 3 executions, 3 runs, 1 failure points
/* That a mutex was destroyed is in its bytes, too: locking it is EINVAL. */
#include "../pm.h"
#include <pthread.h>

int main(void) {
  pthread_mutex_t *m = tidemark_region("mutex", sizeof *m);
  if (tidemark_failures()) {
    tidemark_outcome("%d", pthread_mutex_lock(m));
    return 0;
  }
  pthread_mutex_init(m, NULL);
  pthread_mutex_destroy(m);
  return 0;
}
