/* Lanes: threads that cannot overlap share a component of vector clocks, which keeps clocks small.
 *
 * If a thread creates another one after it has joined a third, the new thread takes over the lane of the joined one:
 * all operations of a lane happen one after the other, in the order of the execution.
 *
 *      create A ... join A, create B ... join B        A and B are in one lane
 *
 * Told operation by operation; what was told last can be taken back.  Host memory. */
#ifndef EVENT_LANES_H
#define EVENT_LANES_H

#include "base/vec.h"
#include "event/operation.h"

#define LANES_NONE UINT32_MAX

/* A lane whose thread has ended. */
struct lanes_free {
  uint32_t lane, joiner; /* the thread that has joined it, */
  uint32_t position;     /* and with which operation */
};

/* What an operation has changed, to take it back. */
struct lanes_change {
  uint32_t thread;        /* it was the first operation of that thread; LANES_NONE: of none */
  uint32_t taken_at;      /* where the thread's lane was in `unused`; LANES_NONE: it is a new one */
  struct lanes_free from; /* what was there */
  bool freed;             /* it has joined a thread, whose lane is the last of `unused` now */
};

struct lanes {
  VEC(uint32_t) of;              /* by thread; LANES_NONE: it has none yet */
  VEC(struct lanes_free) unused; /* oldest first */
  uint32_t count;
};

/* The operation at that position, which comes after the one at after - 1 (dpor.h).  creator: the thread of that, or
 * LANES_NONE. */
struct lanes_change lanes_add(struct lanes *l, const struct operation *o, uint32_t after,
                              uint32_t position, uint32_t creator);
void lanes_take_back(struct lanes *l, const struct lanes_change *c);

#endif
