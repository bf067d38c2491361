/* Two threads step back from locks that the others have (FIXED), or the last one keeps what it has.  Whoever goes on when
 * all are stuck may have been planned to do something else. */
#include "twin.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int last, seen;

static void take(pthread_mutex_t *first, pthread_mutex_t *second, bool keeps) {
  pthread_mutex_lock(first);
  while (pthread_mutex_trylock(second)) {
    if (keeps)
      continue;
    pthread_mutex_unlock(first);
    pthread_mutex_lock(first);
  }
}

static void give(pthread_mutex_t *first, pthread_mutex_t *second) {
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void *one(void *unused) {
  last = 1;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  seen = last;
  give(&a, &b);
  return unused;
}

static void *two(void *unused) {
  last = 2;
  take(&b, &a, false);
  give(&b, &a);
  return unused;
}

static void *three(void *unused) {
#ifdef FIXED
  take(&b, &a, false);
#else
  take(&b, &a, true);
#endif
  last = 3;
  give(&b, &a);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  run_both(two, three);
  pthread_join(t, NULL);
  assert(seen);
}
