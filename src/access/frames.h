/* Stacks of other threads, in ordinary programs (--model=sc, --model=tso): use of variables whose function has returned,
 * or whose thread has ended.
 *
 * A thread that does not run stands at its next step, so what lies below the program's part of its stack has no owner
 * any more: our own frames are there.  That it returns is no step: a use is found if the thread has come that far in
 * one of the executions that are explored, and it goes on for as long as it can in the first.  Uses by the thread itself
 * are not found, nor those by threads that go on after main has called pthread_exit, whose stack stays on Linux. */
#ifndef ACCESS_FRAMES_H
#define ACCESS_FRAMES_H

#include "event/operation.h"
#include "process/layout.h"
#include <stdbool.h>

/* Do these bytes belong to nobody any more?  o: of the current thread, or of its store buffer. */
bool frames_look(const struct operation *o);
static inline bool frames_are_gone(const struct operation *o) {
  return o->address - LAYOUT_STACK_BASE < LAYOUT_STACK_END - LAYOUT_STACK_BASE && frames_look(o);
}

/* The current thread stops there. */
_Noreturn void frames_stop(const struct operation *o);

#endif
