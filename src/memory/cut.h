/* Where a failed execution may have been cut off: how far each of its threads had come.
 *
 * A cut is a set of steps that is closed under happens-before (event/clock.h).  What is learnt about
 * it are single facts, "this step has happened" and "this one has not".  They are kept as two
 * vectors, one pair of bounds for each thread:
 *
 *      thread t   1    2    3    4    5
 *                      ^low      ^high         step 2 has happened, step 4 has not
 *
 * With a step everything before it has happened, so low is closed; then a cut with these facts
 * exists if and only if low < high for all threads, and low itself is the least one.
 *
 * One pair of vectors for each level (the execution after so many failures).  Changes go to a trail.
 * Host memory. */
#ifndef MEMORY_CUT_H
#define MEMORY_CUT_H

#include "event/clock.h"

#define CUT_LEVELS CLOCK_LEVELS
#define CUT_OPEN UINT32_MAX /* high: nothing is known not to have happened */

struct cut_bounds {
  uint32_t low, high;
  uint32_t low_step;  /* whose having happened says so */
  uint32_t high_step; /* the first known not to have */
};

struct cut_change {
  uint8_t level;
  bool added, first; /* first: whole_first was before.low */
  uint16_t thread;
  struct cut_bounds before;
};

struct cuts {
  uint32_t whole_first; /* so many of the first steps, all of level 0, are known to have happened */
  VEC(struct cut_bounds) threads[CUT_LEVELS];
  VEC(struct cut_change) trail;
};

/* The step has happened, or has not.  False: then there is no such cut any more.  pre: there was. */
bool cut_require(struct cuts *c, const struct clock *clock, uint32_t step);
bool cut_forbid(struct cuts *c, const struct clock *clock, uint32_t step);

/* The same for whoever has clocks of his own: with the step, number `tick` of its thread, `times[t]`
 * steps of each other thread have happened; `step` is a name for it. */
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

/* That one, and all after it, are known not to have; CUT_OPEN: none is. */
static inline uint32_t cut_high(const struct cuts *c, int level, uint32_t thread) {
  return thread < c->threads[level].length ? c->threads[level].data[thread].high : CUT_OPEN;
}

size_t cut_mark(const struct cuts *c);
void cut_undo(struct cuts *c, size_t mark);
void cut_free(struct cuts *c);

#endif
