// OUTCOMES: free
// COUNTS: 2 executions, 2 runs, 1 failure points
/* Who may have left it locked is forgotten when it is initialised. */
#include "../pm.h"
#include <pthread.h>

int main(void) {
  pthread_mutex_t *m = tidemark_region("mutex", sizeof *m);
  pthread_mutex_init(m, NULL);
  int busy = pthread_mutex_trylock(m);
  clflush(m);
  if (tidemark_failures())
    tidemark_outcome(busy ? "busy" : "free");
  return 0;
}
