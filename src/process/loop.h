/* Which loop does not end?
 *
 * Stacks that were looked at now and then, while an execution went round.  What they have in common on
 * the outside is above the loop; the function below it is where the loop is, unless it has no jump
 * back: then it was called anew each time, and its caller is meant.  Of the places seen in that
 * function the lowest and the highest stand for the loop, so that it does not matter where a limit
 * fell.  Host memory, usable in signal handlers. */
#ifndef PROCESS_LOOP_H
#define PROCESS_LOOP_H

#include "process/stop.h"

#define LOOP_SAMPLES 128
#define LOOP_FRAMES 24

struct loop_samples {
  unsigned next; /* those before it, LOOP_SAMPLES at most */
  struct loop_sample {
    int thread, count;
    uintptr_t code[LOOP_FRAMES]; /* the program's own, inside the instruction; outermost first */
  } samples[LOOP_SAMPLES];
};

void loop_clear(struct loop_samples *l);

/* pcs: innermost first, return addresses; exact: not the first.  Frames of others are left out. */
void loop_add(struct loop_samples *l, int thread, const uintptr_t *pcs, int count, bool exact);

/* Set the place, stack and extent of s; false: nothing is known. */
bool loop_find(const struct loop_samples *l, struct stop *s);

#endif
