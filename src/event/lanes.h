/* Threads that cannot overlap share a lane: who is created by a thread that has joined another one takes that one's.
 *
 * Clocks have a number for each lane instead of each thread.  Operations of one lane happen one after the
 * other, in the order of the execution.  Told operation by operation; what was told last can be taken back.
 * Host memory. */
#ifndef EVENT_LANES_H
#define EVENT_LANES_H

#include "base/vec.h"
#include "event/operation.h"

#define LANES_NONE UINT32_MAX

struct lanes_free {
  uint32_t lane, joiner; /* which thread has seen its end, */
  uint32_t position;     /* and where */
};

/* What an operation has changed. */
struct lanes_change {
  uint32_t thread;   /* whose first it was, or LANES_NONE */
  uint32_t taken_at; /* where its lane was in the list, or LANES_NONE: it is a new one */
  struct lanes_free from;
  bool freed; /* it has joined a thread, whose lane is the last of the list */
};

struct lanes {
  VEC(uint32_t) of;              /* by thread; LANES_NONE: it has none yet */
  VEC(struct lanes_free) unused; /* oldest first */
  uint32_t count;
};

/* The operation at that position.  creator: the thread of the operation o->after, or LANES_NONE. */
struct lanes_change lanes_add(struct lanes *l, const struct operation *o, uint32_t position,
                              uint32_t creator);
void lanes_take_back(struct lanes *l, const struct lanes_change *c);

#endif
