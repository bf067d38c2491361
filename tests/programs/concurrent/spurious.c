/* A wait that is not in a loop: right as long as nobody wakes up without a reason (--spurious). */
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *waits(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (!ready)
    pthread_cond_wait(&changed, &lock);
#else
  if (!ready)
    pthread_cond_wait(&changed, &lock);
#endif
  assert(ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *tells(void *unused) {
  pthread_mutex_lock(&lock);
  ready = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(waits, tells);
}
