/* The clock of ordinary programs: logical time, as Lamport clocks have it.
 *
 * What a thread reads from the clock must not depend on the order of independent steps, otherwise one schedule could
 * not stand for its class.  So each thread has a time of its own, which advances with its looks at the clock and its
 * pauses; from every thread it depends on (a lock that the other has held, a value it has stored, its creation) it
 * learns how late it is at least.  So no clock goes back between a store and a load of it.  World memory. */
#ifndef ACCESS_TIMES_H
#define ACCESS_TIMES_H

#include "thread/thread.h"

void times_init(void);

/* The current thread has operated on a lock or the like there: it learns the time of those who did before, and leaves
 * its own. */
void times_meet(uintptr_t address);
/* learn: it loads from there.  tell: a store that was made at that time has become visible there. */
void times_learn(uintptr_t address);
void times_tell(uintptr_t address, uint64_t time);

/* The current thread is told the time, and may decide by it: it does not go round a loop in the same state (waiting.h,
 * tries.h). */
void times_told(void);

/* For t, which the current thread creates or wakes, it is at least as late as for the current thread. */
void times_woken(struct thread *t);

#endif
