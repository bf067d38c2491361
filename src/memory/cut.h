/* Cuts: where a failed execution may have been cut off, that is, how far each of its threads had come.
 *
 * A cut is a set of steps that is closed under happens-before (event/clock.h): a consistent cut in the sense of
 * Mattern. What is learnt about it are single facts, "this step has happened" and "this one has not".  They are kept as
 * two vectors, one pair of bounds for each thread:
 *
 *      thread t   1    2    3    4    5
 *                      ^low      ^high         step 2 has happened, step 4 has not
 *
 * With a step everything before it has happened, so low is closed under happens-before.  Therefore a cut with these
 * facts exists if and only if low < high for all threads, and low itself is the least one.
 *
 * One pair of vectors for each level (the execution after so many failures).  Changes go to a trail, and are undone in
 * reverse.  Used by memory/line.c and by analysis/.  Host memory. */
#ifndef MEMORY_CUT_H
#define MEMORY_CUT_H

#include "event/clock.h"

#define CUT_LEVELS CLOCK_LEVELS
#define CUT_OPEN UINT32_MAX /* high: nothing is known not to have happened */

struct cut_bounds {
  uint32_t low, high;
  uint32_t low_step;  /* the step from which low was learnt */
  uint32_t high_step; /* the first step that is known not to have happened */
};

struct cut_change {
  uint8_t level;
  bool added, first; /* the thread was new; whole_first has changed, and was before.low */
  uint16_t thread;
  struct cut_bounds before;
};

struct cuts {
  uint32_t whole_first; /* the first so many steps of level 0 are all known to have happened */
  VEC(struct cut_bounds) threads[CUT_LEVELS];
  VEC(struct cut_change) trail;
};

/* Add a fact: the step has happened, or has not.  False: no cut has all the facts.  pre: one had those before. */
bool cut_require(struct cuts *c, const struct clock *clock, uint32_t step);
bool cut_forbid(struct cuts *c, const struct clock *clock, uint32_t step);

/* The same for steps that are not of a struct clock.  With the step, which is number `tick` of its thread, times[t]
 * steps of each other thread have happened; `step` is its name in reports. */
struct cut_step {
  uint32_t thread, tick;
  const uint32_t *times;
  uint32_t threads; /* length of times */
  uint32_t step;
};
bool cut_require_step(struct cuts *c, int level, const struct cut_step *s);
bool cut_forbid_step(struct cuts *c, int level, const struct cut_step *s);

/* Is it known that the step has happened, or can it still have? */
bool cut_has(const struct cuts *c, int level, const struct cut_step *s);
bool cut_may_have(const struct cuts *c, int level, const struct cut_step *s);

/* Is it known that the step has happened? */
static inline bool cut_requires(const struct cuts *c, const struct clock *clock, uint32_t step) {
  const struct clock_time *time = &clock->times.data[step];
  return time->thread < c->threads[time->level].length &&
         c->threads[time->level].data[time->thread].low >= time->tick;
}

/* So many steps of the thread are known to have happened. */
static inline uint32_t cut_low(const struct cuts *c, int level, uint32_t thread) {
  return thread < c->threads[level].length ? c->threads[level].data[thread].low : 0;
}

/* That step of the thread, and all after it, are known not to have happened; CUT_OPEN: of none it is known. */
static inline uint32_t cut_high(const struct cuts *c, int level, uint32_t thread) {
  return thread < c->threads[level].length ? c->threads[level].data[thread].high : CUT_OPEN;
}

size_t cut_mark(const struct cuts *c);
void cut_undo(struct cuts *c, size_t mark);
void cut_free(struct cuts *c);

#endif
