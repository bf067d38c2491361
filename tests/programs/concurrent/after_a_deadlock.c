/* The first schedule ends in a deadlock, another one in a failed assertion: both are found. */
#include "twin.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic int state;

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
#ifdef FIXED
  while (state == 0)
#else
  if (state == 0)
#endif
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
#ifndef FIXED
  assert(state == 0);
#endif
  return unused;
}

static void *changes(void *unused) {
#ifdef FIXED
  pthread_mutex_lock(&mutex);
#endif
  state = 1;
#ifdef FIXED
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}

int main(void) {
  run_both(waits, changes);
}
