/* A lock in one word of persistent memory.
 *
 * It lives there only because the object that it guards does.  It is never flushed on purpose, but
 * its line may be written back while it is held, so it means nothing after a failure: recovery
 * must set every lock word to 0 before the first thread starts. */
#ifndef EXAMPLES_SPINLOCK_H
#define EXAMPLES_SPINLOCK_H

#include "persist.h"
#include <sched.h>
#include <stdbool.h>

static inline bool spinlock_try_acquire(_Atomic uint64_t *lock) {
  uint64_t unlocked = 0;
  return load(lock) == 0 &&
         atomic_compare_exchange_strong(lock, &unlocked, 1); /* BUG_LOCK_NOT_RESET: never reset */
}

static inline void spinlock_acquire(_Atomic uint64_t *lock) {
  while (!spinlock_try_acquire(lock))
    sched_yield();
}

static inline void spinlock_release(_Atomic uint64_t *lock) {
  store(lock, 0);
}

#endif
