/* Loops in which a thread of an ordinary program waits for another one to change something.
 *
 * A thread that comes to the same load again, with the same registers and stack and without having
 * stored anything, has gone round a loop that changes nothing: it will do so for ever unless somebody
 * stores to what it looked at on the way.  Until then it is left out of the schedule.  The comparison
 * is exact; a loop that counts its rounds is never taken for waiting.
 *
 * Not seen is what code that was not instrumented keeps to itself. */
#ifndef ACCESS_WAITING_H
#define ACCESS_WAITING_H

#include "thread/thread.h"

/* A round in vain could as well not have happened: whatever the thread does when something has changed it also
 * does if it comes later, and looks for the first time.  If every schedule is explored that is one of them, so
 * that a thread which has looked in vain does not go on any more (turn.late).  The others do: what they do
 * decides about when it could have come.
 *
 * Once it is known that a look in that state leads nowhere, the thread does not look (turn.futile) until something has
 * changed: then the execution comes to a proper end.  It does so only if it was planned before that was known.
 * What such a look could have seen earlier is planned as if the thread waited for a lock (turn_tell_futile). */

/* The current thread is about to take its turn; has looked at something with that result; has stored
 * something or done anything else. */
void waiting_check(struct thread *self);
void waiting_looked(const struct operation *o);
/* It has looked at something that nobody else has touched so far.  True: again and again, as if it waited
 * for somebody to do so. */
bool waiting_looks_alone(uintptr_t address);
void waiting_stores_alone(uintptr_t address); /* what it stores to itself it does not wait for */
void waiting_leave(void);
/* It is about to take or to release a lock; has done so; looks whether one is taken, or the like.  A round may
 * take locks: who holds in the end what he held at the beginning, and has stored nothing, was noticed by nobody, unless
 * somebody looked in the meantime. */
void waiting_passes(void);
void waiting_passed(const struct operation *o);
void waiting_finds_taken(const struct operation *o);
void waiting_end(struct thread *self); /* it goes on; does not return if that is hopeless */

/* The current thread stores there. */
void waiting_stores(const struct operation *o);

/* Somebody stored there. */
void waiting_changed(const struct operation *o);

/* An execution begins.  What is known of looks in vain relies on what threads share. */
void waiting_begin(void);

/* Nobody goes on, until time has passed: whoever has looked in vain could not have come later. */
void waiting_time_passes(void);

/* Nobody goes on: a thread looks although it is in vain.  False: there is none. */
bool waiting_finds_out(void);

/* Nobody will ever change anything: let it find out. */
void waiting_is_hopeless(struct thread *t);
bool waiting_was_hopeless(const struct thread *t);

#endif
