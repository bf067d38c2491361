/* A signal that comes before anybody waits for it. */
#include "twin.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
#ifdef FIXED
  while (!ready)
#endif
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *signals(void *unused) {
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_both(waits, signals);
}
