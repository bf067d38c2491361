/* The fewest full fences that make a program store-buffer safe: a minimum hitting set, found lazily.
 *
 * Fences change no sequentially consistent execution, only whether the monitor (store_buffer.h) still objects to it.
 * So executions are looked at as they come: one to which the monitor objects, although the chosen fences are in it,
 * yields a set of places of which one is needed; and the fewest places that hit all these sets are chosen next (branch
 * and bound).  Once every execution has been seen without a new set, no smaller choice exists: each set is necessary,
 * and the choice suffices.
 *
 * A place is behind a line: a thread passes it when it goes on from there to another line.  Host memory. */
#ifndef ANALYSIS_FENCES_H
#define ANALYSIS_FENCES_H

#include "base/vec.h"
#include "event/operation.h"
#include <stddef.h>

struct fences_place {
  const struct abi_site *site; /* the first that was seen on the line */
  bool stores;                 /* behind a store there is always a statement */
  bool chosen;
};

typedef VEC(uint32_t) fences_set; /* of places, ascending */

struct fences {
  VEC(struct fences_place) places;
  VEC(fences_set) needed; /* of each set one place is needed */
  bool hopeless;          /* there is an execution that no fence at any place helps */
};

/* Look at an execution of the program.  True: other fences are chosen now. */
bool fences_consider(struct fences *f, const struct operation *operations, size_t count);

#endif
