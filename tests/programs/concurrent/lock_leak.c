/* A way out of a function that forgets the lock; nobody wants it any more. */
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool known;

static void *learns(void *unused) {
  pthread_mutex_lock(&lock);
#ifndef FIXED
  if (atomic_load(&known))
    return unused;
#endif
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *tells(void *unused) {
  atomic_store(&known, true);
  return unused;
}

int main(void) {
  run_both(learns, tells);
}
