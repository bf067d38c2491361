/* Looks that lead nowhere: a thread in that state which finds that there comes back to where it has been, with nothing
 * changed.  Such a look need not happen, nor be planned: it could as well come later (access/waiting.h).
 *
 *      looks 1        o -- look ----> o                 the same state again
 *      looks 3        b -- look -- look -- [look] --> b   the last one is known; it is in vain if what the
 *                                                        others have seen is still there, and the first of
 *                                                        them was made in state b
 *
 * A state is a hash of registers and stack.  Host memory. */
#ifndef EXPLORE_FUTILE_H
#define EXPLORE_FUTILE_H

#include "base/map.h"
#include "base/vec.h"
#include "event/operation.h"

struct futile_round {
  uint64_t begin; /* the state in which it begins, and ends */
  uint32_t looks;
};

struct futile {
  struct map looks; /* 1 + which round */
  VEC(struct futile_round) rounds;
};

/* The look, which has found `before`, was the last one of such a round. */
void futile_learn(struct futile *f, const struct operation *o, struct futile_round round);

/* The round whose last look it would be, if it found that; NULL: none is known, or it is not one of operation.rounds, and
 * would not be seen if it happened. */
const struct futile_round *futile_find(const struct futile *f, const struct operation *o,
                                       const uint64_t found[2]);

void futile_forget(struct futile *f);

#endif
