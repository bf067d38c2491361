/* A thread ends and leaves its robust mutex locked: the next owner is told so, and all that the dead one did happens
 * before.  That is a step, before or after somebody who only tries.  The bug is not to expect it (FIXED: it is). */
#include "twin.h"
#include <errno.h>

static pthread_mutex_t lock;
static int count;

static void own(int how) {
  if (how == EOWNERDEAD)
    pthread_mutex_consistent(&lock);
  count++;
}

static void *leaves(void *unused) {
  own(pthread_mutex_lock(&lock));
  return unused;
}

static void *tries(void *unused) {
  int how = pthread_mutex_trylock(&lock);
#ifndef FIXED
  assert(how != EOWNERDEAD);
#endif
  if (how == EBUSY)
    return unused;
  own(how);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  run_both(leaves, tries);
}
