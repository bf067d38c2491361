/* Threads that wait in loops for what never comes, because whoever would do it has failed (cxl model).
 *
 * A limit on steps that is not to end a long wait which does come to an end takes millions of them.  So once an
 * execution has gone on for a while without a store that changes anything, its state is kept and compared with what
 * follows: if it comes back, everything that happened in between happens again, for ever.  As in Brent's algorithm for
 * cycles the state that is kept is replaced by the one after twice as many steps.  A loop that counts its rounds, or
 * looks at the time, never comes back, and is left to the limits.
 *
 * A state is only compared with those at the same place: the same thread, at the same step of its code, as far in its
 * turn.
 *
 * Decisions begin all anew, but a loop may have some in each round: an exchange by one machine after that of another.  So
 * states at decisions are compared, too, with all of shared memory, once no byte of that has changed in a number of
 * them.  How many there were is part of the execution, and what is kept of the checkpoint, so that executions end in the
 * same place however the search comes there.
 *
 * With --isolate each decision is a process of its own.  States are kept in memory that is not shared (mem_begin_own), so
 * that each process knows those of the decisions that led to it, as it would know its own.  Host memory. */
#ifndef SEARCH_STANDSTILL_H
#define SEARCH_STANDSTILL_H

#include <stdbool.h>

struct abi_site;

/* What follows is not what came before: an execution begins, or a decision was taken. */
void standstill_begin(void);

/* door.steps, on a fiber: a step begins. */
void standstill_step(const struct abi_site *site);

/* Host side: has the running thread stopped there so that its state is looked at?  Do that; it goes on in any case, but
 * ends in a hang if the execution has no end. */
bool standstill_asked(void);
bool standstill_look(void);

/* Host side: a decision is about to be taken, beyond those in now.checkpoints. */
struct checkpoint;
void standstill_decide(struct checkpoint *c);
void standstill_forget(void); /* numbers of parts of the world become invalid */

/* Host side: a thread of another machine is about to go on. */
void standstill_turn(void);

#endif
