/* A mutex is initialised when others may have it already.  The first schedule that is tried has the
 * initialisation first, and that it can come later must be seen all the same. */
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *initialises(void *unused) {
#ifndef FIXED
  pthread_mutex_init(&lock, NULL);
#endif
  return unused;
}

static void *uses(void *unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(initialises, uses);
}
