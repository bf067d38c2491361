/* Rounds of waiting loops in which a thread has looked in vain, in executions that follow traces (schedule.rounds).
 *
 * A thread that comes back to a look (a load, or a locked instruction that stored nothing) with the
 * same registers and stack, and has stored nothing anywhere meanwhile, stands where it stood: the
 * looks in between could as well not have happened.  What it does when it finds something else it also
 * does in an execution in which it comes later, and that is explored, too.  So it does not go on
 * (thread.turn.waits), and the others do: what they do decides about when it could have come.
 * docs/decisions.md says why no failure is lost.  World memory.
 *
 *      looks since the thread last stored      l1  l2  l3 | l2 again, in the state of l2
 *                                                  ^ the round in vain: l2 l3
 *
 * Not seen is what code that was not instrumented keeps to itself. */
#ifndef ACCESS_VAIN_H
#define ACCESS_VAIN_H

#include "thread/thread.h"

/* Somebody has looked at something, in this execution. */
extern bool vain_begun;

/* The current thread is about to look (its registers are in `entered`), as thread.next says; it has its turn,
 * and looks. */
void vain_check(struct thread *self);
void vain_looks(struct thread *self);

/* It has done something else, or is about to. */
void vain_leave(void);

/* Somebody changes what is there; its own store leaves a buffer: its thread has seen it for long. */
void vain_changed(uintptr_t address, size_t size, const struct thread *leaves_buffer_of);

#endif
