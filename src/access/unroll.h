/* --unroll=N: how often a thread of an ordinary program may come to the same load, with its stack at the same
 * height: loops that do not wait, and that are longer, are cut off there.  World memory. */
#ifndef ACCESS_UNROLL_H
#define ACCESS_UNROLL_H

#include "thread/thread.h"

extern struct unroll {
  uint32_t most; /* 0: any number */
  bool cut;      /* some execution; host memory */
} unroll;

/* The thread is about to take its turn.  True: it does not go on any more. */
bool unroll_ends(struct thread *self);

#endif
