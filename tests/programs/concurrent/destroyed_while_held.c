/* A mutex is destroyed, and made anew, while another thread may hold it. */
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *uses(void *unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, uses, NULL);
#ifdef FIXED
  pthread_join(other, NULL);
#endif
  pthread_mutex_destroy(&lock);
  pthread_mutex_init(&lock, NULL);
  uses(NULL);
#ifndef FIXED
  pthread_join(other, NULL);
#endif
}
