/* Locks that a thread tries to take, fails, and tries again (pthread_mutex_trylock, std::lock).
 *
 * Such loops have no end: two threads that each hold what the other one tries for can step back and come again for ever, and so
 * the search would.  A thread that tries for the same lock in the same state, by its registers and stack and with nothing
 * else stored since, does so in vain once; after that it goes on when the lock is free, or when nobody else can.
 * A loop that counts its attempts is never in the same state again.  World memory. */
#ifndef ACCESS_TRIES_H
#define ACCESS_TRIES_H

#include "thread/thread.h"

static inline bool tries_is(const struct operation *o) {
  return o->kind == OPERATION_LOCK &&
         (o->lock == OPERATION_LOCK_TRY || o->lock == OPERATION_LOCK_TRY_READ);
}

void tries_announce(const struct operation *o); /* the current thread is about to try */
void tries_end(struct operation *o);            /* and does now */
void tries_forget(void); /* it has stored something elsewhere than on its stack */

/* Has it tried for this in vain, as it would now? */
bool tries_wait(const struct thread *t);

/* Nobody else can go on: it tries again.  After a while that is a hang. */
void tries_go_on(struct thread *t);

#endif
