/* A thread is refused to unlock an error-checking mutex that nobody has ever locked, so whoever locks it next could have come
 * before that. */
#define _GNU_SOURCE
#include "twin.h"
#include <errno.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static atomic_int counter;

static void *looks(void *unused) {
  int seen = atomic_load(&counter);
  assert(pthread_mutex_unlock(&lock) == EPERM);
#ifdef FIXED
  (void)seen;
#else
  assert(!seen);
#endif
  return unused;
}

static void *counts(void *unused) {
  pthread_mutex_lock(&lock);
  atomic_fetch_add(&counter, 1);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(looks, counts);
}
