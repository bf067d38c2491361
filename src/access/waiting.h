/* Waiting (spin) loops of ordinary programs: a partial order reduction for threads that wait for another one to change
 * something.
 *
 * A *look* is a load of such a loop.  A thread that comes to the same look again, with the same registers and stack and
 * without having stored anything, has gone *round* the loop and changed nothing: it will do so for ever unless somebody
 * stores to what it looked at on the way.  Until then it is no option of the schedule.  The comparison is exact; a loop
 * that counts its rounds is never taken for waiting.
 *
 * What is not seen is state that code which was not instrumented keeps to itself.  World memory. */
#ifndef ACCESS_WAITING_H
#define ACCESS_WAITING_H

#include "thread/thread.h"

/* Why rounds may be left out: a round that has changed nothing could as well not have happened.  Whatever the thread
 * does when something has changed, it also does if it looks for the first time then, and if every schedule is explored
 * that is one of them.  So in such a search a thread that has gone round does not go on any more (turn.late); the
 * others do, because what they do decides about when it could have looked.
 *
 * Once it is known that a look in that state leads nowhere (explore/futile.h) the thread does not look at all
 * (turn.futile) until something has changed, so that the execution comes to a proper end and need not be given up.  It
 * looks all the same if the search has planned that before it was known (door->demands).  What the look could have seen
 * earlier is planned as if the thread waited for a lock (turn_tell_futile). */

/* check: the current thread is about to take its turn.  looked: it has looked, and found o->before. */
void waiting_check(struct thread *self);
void waiting_looked(const struct operation *o);
/* It has looked at memory that no other thread has touched so far.  True: it does so again and again, so another thread
 * probably will.  stores_alone: it has stored to such memory, for which it does not wait then. */
bool waiting_looks_alone(uintptr_t address, bool atomic);
void waiting_stores_alone(uintptr_t address);
void waiting_leave(void); /* it has stored something, or done anything else: no round any more */
/* A round may take locks: if the thread holds at its end what it held at its beginning and has stored nothing, nobody
 * noticed, unless somebody tried one of these locks meanwhile.  passes: it is about to take or release a lock; passed:
 * it has; finds_taken: it has tried one that is taken, or the like. */
void waiting_passes(void);
void waiting_passed(const struct operation *o);
void waiting_finds_taken(const struct operation *o);
void waiting_end(struct thread *self); /* the thread goes on; does not return if it hangs */

/* The current thread stores there. */
void waiting_stores(const struct operation *o);

/* It has stored what was there already, which does not end a round: nobody sees a difference, as long as nobody else
 * changes what is there. */
void waiting_stored_same(const struct operation *o);

/* Some thread's store there has become visible. */
void waiting_changed(const struct operation *o);

/* An execution begins.  What is known about futile looks is dropped if the search has started again: it relies on what
 * threads share. */
void waiting_begin(void);

/* A part of a search begins.  Which execution shows something, and how it is told, must not depend on the parts that
 * its worker has explored before. */
void waiting_forget(void);

/* Some thread waits for time to pass.  How many rounds other threads have gone decides when it does, so that from now
 * on no look is left out; if that is new, the search starts again. */
void waiting_for_time(void);

/* Nobody can go on until time has passed: threads that have gone round could not have looked later, and go on. */
void waiting_time_passes(void);

/* Nobody can go on: let a thread look although it is known to be futile, to see that it waits for ever.  False: there
 * is none. */
bool waiting_finds_out(void);

/* Nobody will ever change what the thread waits for: it hangs, which is reported when it goes on.  And: was that said
 * of it? */
void waiting_is_hopeless(struct thread *t);
bool waiting_was_hopeless(const struct thread *t);

#endif
