/* A mutex whose address another thread gets before it is known to be initialised: with a relaxed store (FIXED: release).
 * Neither the mutex nor the creation of threads orders what is beside it. */
#include "twin.h"

#ifdef FIXED
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif

static pthread_mutex_t lock;
static _Atomic(pthread_mutex_t *) known;
static int beside;

static void *nothing(void *unused) {
  return unused;
}

static void *makes(void *unused) {
  pthread_t t;
  beside = 1;
  pthread_create(&t, NULL, nothing, NULL);
  pthread_mutex_init(&lock, NULL);
  atomic_store_explicit(&known, &lock, STORE);
  pthread_join(t, NULL);
  return unused;
}

static void *uses(void *unused) {
  pthread_t t;
  pthread_mutex_t *m = atomic_load_explicit(&known, LOAD);
  if (!m)
    return unused;
  pthread_create(&t, NULL, nothing, NULL);
  assert(beside == 1);
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
  pthread_join(t, NULL);
  return unused;
}

int main(void) {
  run_both(makes, uses);
}
