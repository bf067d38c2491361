/* Waiting loops in pm executions that follow traces (schedule.rounds): the counterpart of waiting.h.
 *
 * A *look* is a load, or a locked instruction that stored nothing.  A thread that comes back to a look with the same
 * registers and stack, and has stored nothing anywhere meanwhile, stands where it stood: the looks in between, a
 * *round*, could as well not have happened.  What the thread does when it finds something else, it also does in an
 * execution in which it looks later, and that is explored, too.  So it does not go on (thread.turn.waits), and the
 * others do: what they do decides about when it could have looked.  docs/decisions.md (2026-11-16, "who
 * has looked in vain does not go on, with failures, too") says why no failure is lost.
 *
 *      looks since the thread last stored      l1  l2  l3 | l2 again, in the same state
 *                                                  ^ the round: l2 l3
 *
 * What is not seen is state that code which was not instrumented keeps to itself.  World memory. */
#ifndef ACCESS_VAIN_H
#define ACCESS_VAIN_H

#include "process/world.h"
#include "thread/thread.h"

struct intern;
struct str;

/* Some thread has looked at something in this execution. */
extern bool vain_begun;

/* check: the current thread is about to look, as thread.next says (its registers are in `entered`); is it a round?
 * looks: it has its turn, and looks. */
void vain_check(struct thread *self);
void vain_looks(struct thread *self);

/* It does something else than look: rounds begin anew. */
void vain_leave(void);

/* These bytes change, so threads that have looked there may go on.  leaves_buffer_of: by a store that leaves this
 * thread's buffer, which the thread itself has seen before; or NULL. */
void vain_changed(uintptr_t address, size_t size, const struct thread *leaves_buffer_of);

/* For standing.h: append where the thread stands and what it has looked at since it last stored, as bytes that are
 * equal where that is the same.  Each look is a number of `parts`, which is valid in that epoch.  Its stack below the
 * program's frames is left out of the world (gaps).  False: the thread does not stand before a look. */
bool vain_put(struct thread *t, struct intern *parts, uint32_t epoch, struct str *out,
              world_gap_list *gaps);

#endif
