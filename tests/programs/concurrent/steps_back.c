/* Two threads take two locks in different orders, and one of them steps back while it cannot have its second (FIXED);
 * otherwise it keeps the first.  When both are stuck it gives back what the other one waits for, which then goes on:
 * that the same could happen for ever is no hang. */
#include "twin.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *steps_back(void *unused) {
  pthread_mutex_lock(&a);
  while (pthread_mutex_trylock(&b)) {
#ifdef FIXED
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&a);
#endif
  }
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

static void *tries_too(void *unused) {
  pthread_mutex_lock(&b);
  while (pthread_mutex_trylock(&a)) {
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&b);
  }
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

static void *waits(void *unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

int main(void) {
  run_both(steps_back, waits);
  run_both(steps_back, tries_too);
}
