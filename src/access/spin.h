/* Loops in which a thread waits for another one to change something it looks at.
 *
 * While nothing changes, going round such a loop once more leads nowhere, and there is no end of it:
 * the thread is left out of a schedule until something changes (thread->spin.waits).  A loop that
 * ends by itself must not be taken for one: before a thread is left out it goes on alone for a while.
 * If it does anything else than look at the same few places, that execution starts again, and the
 * loop is not taken for waiting there. */
#ifndef ACCESS_SPIN_H
#define ACCESS_SPIN_H

#include "thread/thread.h"

/* The current thread is about to load from there, or to execute a locked instruction that perhaps
 * changes nothing.  True: it must do so at once. */
bool spin_look(const struct operation *o);

/* The same for a thread that has come back to a look in vain (vain.h). */
bool spin_in_vain(void);

/* It is about to do something else that others could notice. */
void spin_leave(void);

/* It lets others go first (sched_yield, pause, sleep). */
void spin_yield(void);

/* Something changed that a waiting thread may be waiting for. */
void spin_changed(void);

/* A machine has failed: what its threads left, and that they are gone, may be what others wait for. */
void spin_machine_failed(void);

/* Traces: about to store that value there, in watched memory or (size 0) wherever the current operation
 * is; wakes those who wait and looked there. */
void spin_stored(uintptr_t address, int size, uint64_t value);

/* Host side.  ended: must this execution start again? */
void spin_begin(void);
bool spin_ended(void);

/* What loops are taken for, wherever they are met, as text; and take them for that, and nothing else. */
struct str;
void spin_tell(struct str *out);
void spin_hear(const char *text);

void spin_share(void); /* register what a run changes, for --isolate */

#endif
