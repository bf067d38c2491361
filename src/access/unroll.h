/* --unroll=N, a loop bound: a thread of an ordinary program that comes to the same load, with its stack at the same
 * height, more than N times does not go on.  For loops that do not wait for others.  World memory. */
#ifndef ACCESS_UNROLL_H
#define ACCESS_UNROLL_H

#include "thread/thread.h"

extern struct unroll {
  uint32_t most; /* 0: any number */
  bool cut;      /* some execution was cut off, so the search is not complete; host memory */
} unroll;

/* The thread is about to take its turn.  True: it does not go on any more. */
bool unroll_ends(struct thread *self);

#endif
