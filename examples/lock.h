/* A lock in one word of persistent or shared memory: 0, or the number of the machine that holds it
 * plus 1.  It lives there only because the object that it guards does.
 *
 * Persistent memory: there is one machine.  The word is never flushed on purpose, but its line may
 * be written back while the lock is held, so it means nothing after a failure: recovery must set
 * every lock word to 0 before the first thread starts.
 *
 * Shared memory: the owner may fail while others wait.  Whoever finds its machine failed takes the
 * lock over and is told so, because what the lock guards may be half-changed: the new owner
 * repairs it.  If the new owner fails as well, the next one repairs again.
 *
 * An owner can be found only if its store to the lock word was not lost with the machine's cache.
 * Where there is something to repair, the owner makes the word durable before it changes anything
 * on other lines (lock_announce).  A release need not be durable: at worst somebody repairs what is
 * whole. */
#ifndef EXAMPLES_LOCK_H
#define EXAMPLES_LOCK_H

#include "persist.h"
#include <sched.h>
#include <stdbool.h>
#include <tidemark.h>

enum lock_result {
  LOCK_BUSY,
  LOCK_ACQUIRED,
  LOCK_TAKEN_OVER, /* acquired from a failed machine: repair */
};

/* The lock word of a lock that this machine holds. */
static inline uint64_t lock_mine(void) {
  return (uint64_t)tidemark_machine() + 1;
}

/* Is this the lock word of a lock that a failed machine holds? */
static inline bool lock_is_orphan(uint64_t word) {
  return word != 0 && word <= (uint64_t)tidemark_machines() && word != lock_mine() &&
         tidemark_machine_failed((int)word - 1);
}

static inline enum lock_result lock_try_acquire(_Atomic uint64_t *lock) {
  uint64_t word = load(lock);
  bool orphan = lock_is_orphan(word);
  if (word != 0 && !orphan)
    return LOCK_BUSY;
  if (!atomic_compare_exchange_strong(lock, &word, lock_mine())) /* BUG_LOCK_NOT_RESET: */
    return LOCK_BUSY;
  return orphan ? LOCK_TAKEN_OVER : LOCK_ACQUIRED;
}

/* True if the lock was taken over. */
static inline bool lock_acquire(_Atomic uint64_t *lock) {
  enum lock_result result;
  while ((result = lock_try_acquire(lock)) == LOCK_BUSY)
    sched_yield();
  return result == LOCK_TAKEN_OVER;
}

static inline void lock_announce(const _Atomic uint64_t *lock) {
#ifdef CXL
  persist(lock, sizeof *lock);
#else
  (void)lock;
#endif
}

static inline void lock_release(_Atomic uint64_t *lock) {
  store(lock, 0);
}

#endif
