/* A thread locks what it holds already: an error-checking mutex tells it so, and a robust recursive one is left locked twice.
 * Others could still have come first. */
#define _GNU_SOURCE
#include "twin.h"
#include <errno.h>

static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, robust;
static int checked_first, left_behind;

static void *one(void *unused) {
  pthread_mutex_lock(&checked);
  if (!checked_first)
    checked_first = 1;
  assert(pthread_mutex_lock(&checked) == EDEADLK);
  assert(pthread_mutex_trylock(&checked) == EBUSY);
  struct timespec now = {0};
  assert(pthread_mutex_timedlock(&checked, &now) == EDEADLK);
  pthread_mutex_unlock(&checked);
  pthread_mutex_lock(&robust);
  pthread_mutex_lock(&robust);
  return unused;
}

static void *two(void *unused) {
  pthread_mutex_lock(&checked);
  if (!checked_first)
    checked_first = 2;
  pthread_mutex_unlock(&checked);
  left_behind = pthread_mutex_lock(&robust) == EOWNERDEAD;
  if (left_behind)
    pthread_mutex_consistent(&robust);
  pthread_mutex_unlock(&robust);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attr);
  run_both(one, two);
#ifndef FIXED
  if (checked_first == 1 && left_behind)
    assert(!"one, one");
  if (checked_first == 1)
    assert(!"one, two");
  if (left_behind)
    assert(!"two, one");
  assert(!"two, two");
#endif
}
