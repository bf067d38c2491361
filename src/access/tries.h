/* Loops that try to take a lock, fail, and try again (pthread_mutex_trylock, std::lock), in ordinary programs.
 *
 * Such loops have no end: two threads that each hold what the other one tries for can step back and come again for
 * ever, and so the search would.  A thread that tries for the same lock again in the same state (registers, stack, what
 * it holds, and nothing stored elsewhere since) has failed once; after that it goes on only when the lock is free, or
 * when nobody else can.  A loop that counts its attempts, or gives a permit away in each, is never in the same state
 * again.
 *
 * Other locks that it takes and releases between two attempts somebody might find taken or free by trying for them; that
 * he could have seen another round is noted (ordinary.tries_limited).  World memory. */
#ifndef ACCESS_TRIES_H
#define ACCESS_TRIES_H

#include "thread/thread.h"

static inline bool tries_is(const struct operation *o) {
  return o->kind == OPERATION_LOCK &&
         (o->lock == OPERATION_LOCK_TRY || o->lock == OPERATION_LOCK_TRY_READ);
}

void tries_announce(const struct operation *o); /* the current thread is about to try */
void tries_end(struct operation *o);            /* and tries now */
void tries_pass(const struct operation *o);     /* it takes or releases a lock, without trying */
/* It has stored something that is not on its stack, or done something else that others notice. */
void tries_forget(void);

/* Has the thread failed to take the lock before, in the state in which it is now? */
bool tries_wait(const struct thread *t);

/* The thread to go on if all that can go on try in vain. */
struct thread *tries_choose(struct thread *running, struct thread *ready);
/* Nobody else can go on: the thread tries again.  After many times that is a hang. */
void tries_go_on(struct thread *t);

/* Everybody was stuck, and the thread has stepped back since: it is about to take a lock that somebody who has not could
 * have now.  That one comes first: otherwise all would be as it was before, for ever, and that is no hang.  Nothing is
 * lost, because a round that changes nothing could as well not have been made. */
bool tries_gives_way(const struct thread *t);
void tries_happened(const struct operation *o); /* something has, of whatever thread */

void tries_init(void);

#endif
