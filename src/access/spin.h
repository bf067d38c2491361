/* Waiting (spin) loops in the pm and cxl models, recognised by what a thread looks at.
 *
 * While nothing changes, going round such a loop once more leads nowhere, and there is no end of it: the thread is left
 * out of the schedule until something changes (thread->spin.waits).  A loop that ends by itself must not be taken for
 * one. So before a thread is left out it goes on alone for a while; if it does anything else than look at the same few
 * places, the execution starts again (spin_ended), and that loop is not taken for waiting any more.
 *
 * docs/semantics.md ("Threads and schedules") has the limits.  vain.h is exact, and used where executions follow
 * traces. */
#ifndef ACCESS_SPIN_H
#define ACCESS_SPIN_H

#include "thread/thread.h"

/* The current thread is about to load, or to execute a locked instruction that perhaps changes nothing.  True: it does
 * so at once, without a scheduling point, because it is tried whether its loop ends by itself. */
bool spin_look(const struct operation *o);

/* The same for a thread that has come back to a look in the same state (vain.h). */
bool spin_in_vain(void);

/* It is about to do something else that others could notice. */
void spin_leave(void);

/* It waits for a lock or the like, or has ended. */
void spin_blocks(void);

/* Is a loop being tried?  Then this thread does what it did in the rounds before. */
bool spin_is_alone(void);

/* It lets others go first (sched_yield, pause, sleep). */
void spin_yield(void);

/* Something changed that a waiting thread may be waiting for. */
void spin_changed(void);

/* A machine has failed: what its threads left, and that they are gone, may be what others wait for. */
void spin_machine_failed(void);

/* Traces: the value is about to be stored there, in watched memory or (size 0) where the current operation is; threads
 * that wait and have looked there go on. */
void spin_stored(uintptr_t address, int size, uint64_t value);

/* Host side.  begin: an execution begins.  ended: must it start again, because a loop ended that was taken for
 * waiting? */
void spin_begin(void);
bool spin_ended(void);

/* If no thread waits in a loop, and none is being tried, what was seen of their looks does not decide about what can
 * happen: add it to the gaps of a state, and return true. */
bool spin_add_gaps(world_gap_list *gaps);

/* Which loops are not taken for waiting, as text, for other workers and replays; and know these, and no others. */
struct str;
void spin_tell(struct str *out);
void spin_hear(const char *text);

void spin_share(void); /* register what a run changes, for --isolate */

#endif
