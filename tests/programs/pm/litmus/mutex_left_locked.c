// OUTCOMES: free; busy
// FINDINGS: deadlock 2
// COUNTS: 6 executions, 3 runs, 2 failure points
/* A mutex in persistent memory is bytes like others: locked when the power failed, it may still be
 * locked afterwards, and nobody will unlock it. */
#include "../pm.h"
#include <pthread.h>

struct counter {
  pthread_mutex_t mutex;
  _Alignas(64) uint64_t value;
};

int main(void) {
  struct counter *c = tidemark_region("counter", sizeof *c);
  if (tidemark_failures()) {
    int busy = pthread_mutex_trylock(&c->mutex);
    tidemark_outcome(busy ? "busy" : "free");
    if (busy)
      pthread_mutex_lock(&c->mutex);
    return 0;
  }
  pthread_mutex_lock(&c->mutex);
  c->value = 1;
  clflush(&c->value);
  pthread_mutex_unlock(&c->mutex);
  return 0;
}
