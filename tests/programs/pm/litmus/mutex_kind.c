// OUTCOMES: not yet; recursive
// COUNTS: 3 executions, 3 runs, 1 failure points
/* What pthread_mutex_init stored is there if something later on its line is. */
#include "../pm.h"
#include <pthread.h>

struct state {
  pthread_mutex_t mutex;
  uint64_t ready;
};

int main(void) {
  struct state *s = tidemark_region("state", sizeof *s);
  if (!s->ready) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s->mutex, &a);
    s->ready = 1;
    clflush(s);
    if (tidemark_failures())
      tidemark_outcome("not yet");
    return 0;
  }
  pthread_mutex_lock(&s->mutex);
  tidemark_assert(pthread_mutex_lock(&s->mutex) == 0);
  pthread_mutex_unlock(&s->mutex);
  pthread_mutex_unlock(&s->mutex);
  tidemark_outcome("recursive");
  return 0;
}
