/* A heuristic: at which loads with one answer a run compares its state with others (search/merge.h).
 *
 * States are always compared at loads with several answers, but executions that went different ways may become the same
 * long before the next such load.  Comparing costs much more than a load, so two kinds of places are tried:
 *
 *   by hash      loads are picked by a hash of address and value, so that executions which do the same pick the same
 *                ones; the longer a run has met nobody, the rarer they get
 *   by distance  for each load in doubt it is learnt after how many steps executions meet again: first close behind
 *                it, then four times as far, and so on
 *
 * Example: a recovery that computes a checksum of what it reads, finds it wrong and forgets it is joined right behind
 * that.  Nothing here affects results, only how much is run.  Host memory. */
#ifndef SEARCH_LANDMARK_H
#define SEARCH_LANDMARK_H

#include <stdbool.h>
#include <stdint.h>

/* What was learnt about a load in doubt, that is, with several answers. */
struct landmark_lesson {
  uintptr_t doubt;   /* its address; 0: unused */
  uint64_t distance; /* compare after so many steps; 0: no need, others are met soon anyway */
  uint32_t vain;     /* so many times in a row nobody was met there */
};

#define LANDMARK_LESSONS 256

struct landmarks {
  uint64_t far; /* meeting others only after so many steps is late; 0: the usual number */
  struct landmark_lesson lessons[LANDMARK_LESSONS];

  /* The run under way. */
  bool begun;      /* it has gone beyond what earlier runs have recorded */
  uint32_t passed; /* landmarks by hash since its newest load in doubt */
  uintptr_t doubt; /* address of that load, or 0, */
  uint64_t since;  /* and the steps by then */
  bool sought;     /* it has compared at the learnt distance behind that load, */
  bool seeking;    /* or is about to */
};

/* A run begins; it will leave the known path at the load of that address (0: at none). */
void landmarks_begin(struct landmarks *m, uintptr_t doubt);

/* It makes a load that is not recorded yet, after so many steps. */
void landmarks_pass(struct landmarks *m, uint64_t steps);

/* A load with one answer: shall the run's state be compared here? */
bool landmarks_here(struct landmarks *m, uintptr_t address, uint64_t value, uint64_t steps);

/* The state was compared at a load.  doubt: its address if it has several answers, otherwise 0.  met: an earlier run
 * was in the same state. */
void landmarks_compared(struct landmarks *m, uintptr_t doubt, bool met, uint64_t steps);

void landmarks_end(struct landmarks *m, uint64_t steps); /* of the run */

#endif
