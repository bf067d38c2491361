/* What time it is in an ordinary program, where that is no matter of the schedule.
 *
 * Each thread has time of its own, which its looks at the clock and its pauses take; from whoever it depends on (a lock
 * that the other has held, a value it has stored, its creation) it learns how late it is at least.  So
 * schedules that differ only in the order of independent steps show the same time, and nobody's clock goes
 * back on the way from a store to a load of it.  World memory. */
#ifndef ACCESS_TIMES_H
#define ACCESS_TIMES_H

#include "thread/thread.h"

void times_init(void);

/* The current thread has done something to what is there, and learns from those who have before. */
void times_meet(uintptr_t address);
/* It loads from there; a store of that time has become visible there. */
void times_learn(uintptr_t address);
void times_tell(uintptr_t address, uint64_t time);

/* It is not earlier for this thread, which the current one creates or wakes. */
void times_woken(struct thread *t);

#endif
