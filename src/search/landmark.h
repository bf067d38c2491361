/* Loads with one answer at which executions are compared all the same (search/merge.h).
 *
 * Executions that have gone different ways may meet again long before the next load with several answers.
 * Two kinds of loads are places to look.  Some are picked by a hash of what is read, so that executions which
 * do the same have the same ones; the longer nobody was met, the rarer they are.  And after a load in
 * doubt behind which others were met only after many steps, or never, a place is sought nearer to it: so many
 * steps further on, four times as many if nobody is met there, and so on.  A recovery that computes a
 * checksum of what it reads, finds it wrong and forgets it is joined right behind that.  Host memory. */
#ifndef SEARCH_LANDMARK_H
#define SEARCH_LANDMARK_H

#include <stdbool.h>
#include <stdint.h>

/* What was learnt about a load in doubt. */
struct landmark_lesson {
  uintptr_t doubt;   /* its address; 0: unused */
  uint64_t distance; /* steps from there to where others may be met; 0: that is near anyway */
  uint32_t vain;     /* nobody was, so many times in a row */
};

#define LANDMARK_LESSONS 256

struct landmarks {
  uint64_t far; /* to meet others after so many steps is late; 0: a usual number */
  struct landmark_lesson lessons[LANDMARK_LESSONS];

  /* The run under way. */
  bool begun;      /* to do something that nobody knows */
  uint32_t passed; /* landmarks of the first kind since it last went a way of its own */
  uintptr_t doubt; /* its newest load with several answers, or 0, */
  uint64_t since;  /* and the steps by then */
  bool sought;     /* others were sought behind it, */
  bool seeking;    /* and are about to be */
};

/* A run begins, which will take a new way at that load (0: at none). */
void landmarks_begin(struct landmarks *m, uintptr_t doubt);

/* It makes a load that nobody knows, at so many steps. */
void landmarks_pass(struct landmarks *m, uint64_t steps);

/* The load has one answer: shall it be compared here? */
bool landmarks_here(struct landmarks *m, uintptr_t address, uint64_t value, uint64_t steps);

/* It was compared; doubt: the load's address if that has several answers, or 0. */
void landmarks_compared(struct landmarks *m, uintptr_t doubt, bool met, uint64_t steps);

void landmarks_end(struct landmarks *m, uint64_t steps); /* of the run */

#endif
