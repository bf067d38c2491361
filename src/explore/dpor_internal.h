/* Inside the reduction: dpor.c (executions), dpor_events.c (clocks and races), dpor_plan.c (wakeup trees and reversing
 * races), dpor_walk.c (going back step by step), dpor_unit.c (parts of the search). */
#ifndef EXPLORE_DPOR_INTERNAL_H
#define EXPLORE_DPOR_INTERNAL_H

#include "explore/dpor.h"

/* An operation in a sleep set. */
struct dpor_sleeper {
  uint32_t process;
  bool barred; /* it was not explored, but belongs to another unit (dpor_unit.h) */
  struct operation op;
};

/* A node of a wakeup tree. */
struct dpor_branch {
  uint32_t process;
  struct operation op;
  /* Ways of the operation that were explored in this place, a bit each; 0: none but its own. */
  uint32_t tried;
  struct dpor_branch *children, *next;
};

static inline bool dpor_commute(const struct dpor *d, const struct operation *a,
                                const struct operation *b) {
  return d->pm ? operations_commute_pm(a, b) : operations_commute(a, b);
}

/* Append an event: find its clock and its races.  Pop: take the newest one back; it can be looked at until there is
 * another one. */
void dpor_append(struct dpor *d, const struct operation *o, uint32_t after);
struct dpor_event *dpor_pop(struct dpor *d);

/* Does the event need that arrival at a barrier, because it follows the round? */
bool dpor_lets_go(const struct dpor *d, uint32_t arrival, uint32_t position);
/* How many arrivals in the same round, up to this one, do not happen before it if event `first` does not? */
uint32_t dpor_missed(const struct dpor *d, uint32_t first, uint32_t arrival);

struct dpor_branch *dpor_new_branch(struct dpor *d, struct dpor_branch value);
void dpor_done_branch(struct dpor *d, struct dpor_branch *b);   /* to the free list */
void dpor_drop_branches(struct dpor *d, struct dpor_branch *b); /* and its siblings */
void dpor_drop_plan(struct dpor *d);

/* The execution has come to a node of its unit: take over the sleep set and the plan that the unit has for it. */
void dpor_enter_given(struct dpor *d);

/* Reverse a race: plan an execution in which its second event comes before the first, unless one is planned or
 * explored. */
void dpor_turn_round(struct dpor *d, struct dpor_race *r);

#endif
