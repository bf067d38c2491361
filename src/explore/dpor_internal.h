/* Inside the reduction: events (dpor_events.c), what is to be tried (dpor_plan.c), executions (dpor.c), going
 * back step by step (dpor_walk.c). */
#ifndef EXPLORE_DPOR_INTERNAL_H
#define EXPLORE_DPOR_INTERNAL_H

#include "explore/dpor.h"

struct dpor_sleeper {
  uint32_t process;
  bool barred; /* by the unit (dpor_unit.h) */
  struct operation op;
};

struct dpor_branch {
  uint32_t process;
  struct operation op;
  uint32_t tried; /* ways of it that were explored in this place, with its own; 0: only that */
  struct dpor_branch *children, *next;
};

static inline bool dpor_commute(const struct dpor *d, const struct operation *a,
                                const struct operation *b) {
  return d->pm ? operations_commute_pm(a, b) : operations_commute(a, b);
}

/* A new event at the end; the newest one is gone. */
void dpor_append(struct dpor *d, const struct operation *o, uint32_t after);
struct dpor_event dpor_pop(struct dpor *d);

struct dpor_branch *dpor_new_branch(struct dpor *d, struct dpor_branch value);
void dpor_drop_branches(struct dpor *d, struct dpor_branch *b); /* and its siblings */
void dpor_drop_plan(struct dpor *d);

/* The execution has come to a node that the unit says something about: who sleeps there, what is to be tried. */
void dpor_enter_given(struct dpor *d);

/* See to it that the second event of the race is tried before the first. */
void dpor_turn_round(struct dpor *d, struct dpor_race *r);

#endif
