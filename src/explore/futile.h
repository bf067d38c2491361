/* Looks of waiting loops that lead nowhere, learnt over a search: a partial order reduction for spin loops.
 *
 * A *look* is a load of a loop that waits.  A *round* of the loop is a sequence of looks after which the thread is in
 * the same state as before (same place, registers and stack, nothing stored).  A round changes nothing that anybody can
 * notice, so an execution with it need not be explored: the same look happens later, in an execution in which what it
 * finds has changed (access/waiting.h; docs/decisions.md, 2026-11-15, "executions in which
 * a thread waits are not given up", has the argument).  Here is kept which look, in which state
 * and with which value found, is the last one of such a round, so that it is neither made nor planned again.
 *
 *      1 look         a -- look ----> a                     the same state again
 *      3 looks        b -- look -- look -- look --> b       it is in vain if the values that the first two have found
 * are
 *                                                           still there, and the first of them was made in state b
 *
 * States are interned, compared byte by byte.  One struct futile for a search (ordinary.futile).  Host memory. */
#ifndef EXPLORE_FUTILE_H
#define EXPLORE_FUTILE_H

#include "base/intern.h"
#include "event/operation.h"

struct futile_round {
  uint32_t begin; /* number of the state in which it begins and ends */
  uint32_t looks; /* how many there are in it */
};

struct futile {
  struct intern states;
  struct intern looks;             /* states with what was found in them: last looks of rounds */
  VEC(struct futile_round) rounds; /* by the number of the look - 1 */
};

/* The number of the state in which a thread is about to make that look, from 1; 0: states take too much memory. */
uint32_t futile_state(struct futile *f, const struct operation *o, const void *registers,
                      size_t register_bytes, const void *stack, size_t stack_bytes);

/* The look o, which has found o->before, was the last one of such a round. */
void futile_learn(struct futile *f, const struct operation *o, struct futile_round round);

/* The round whose last look o would be if it found that; NULL: none is known.  Also NULL if the round's length is not
 * one of o->rounds: then the runtime would not recognise the round if it happened, and must not leave it out. */
const struct futile_round *futile_find(const struct futile *f, const struct operation *o,
                                       const uint64_t found[2]);

void futile_forget(struct futile *f);

#endif
