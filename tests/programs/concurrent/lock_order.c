/* Two locks, taken in both orders. */
#include "twin.h"

static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER, y = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void *one(void *unused) {
  both(&x, &y);
  return unused;
}

static void *two(void *unused) {
#ifdef FIXED
  both(&x, &y);
#else
  both(&y, &x);
#endif
  return unused;
}

int main(void) {
  run_both(one, two);
}
