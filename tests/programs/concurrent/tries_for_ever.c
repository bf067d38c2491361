/* A lock is tried again and again whose holder waits for whoever tries. */
#include "twin.h"
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *unused) {
  while (pthread_mutex_trylock(&lock))
    sched_yield();
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, tries, NULL);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  pthread_join(thread, NULL);
}
