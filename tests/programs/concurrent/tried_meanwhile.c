/* Somebody tries in vain for a recursive mutex whose holder locks it once more afterwards, and could have tried when it is
 * released. */
#define _GNU_SOURCE
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static atomic_int other;
static bool released;

static void *holds(void *unused) {
  pthread_mutex_lock(&lock);
  atomic_store_explicit(&other, 1, memory_order_relaxed);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  released = true;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *tries(void *unused) {
  atomic_store_explicit(&other, 2, memory_order_relaxed);
  if (pthread_mutex_trylock(&lock))
    return unused;
#ifndef FIXED
  assert(!released);
#endif
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(holds, tries);
}
