// OPTIONS:
// OUTCOMES: busy; free; released
// COUNTS: 5 executions, 5 runs, 4 failure points
// Whether a mutex can be had at once tells whether its owner has failed.
#include "../cxl.h"

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  if (tidemark_machine() == 0) {
    pthread_mutex_lock(m);
    yield_rounds(2);
    pthread_mutex_unlock(m);
    return 0;
  }
  if (pthread_mutex_trylock(m))
    SHOW("%s", "busy");
  else
    SHOW("%s", tidemark_mutex_owner_failed(m) ? "released" : "free");
}
