/* Sleep sets (Godefroid): operations that need not be tried next, because the schedules that begin with them have been
 * tried, and what happened since then commutes with them.
 *
 * For searches that go state by state (pm without traces, cxl).  Only orders that nobody can tell apart are left out;
 * every state that some schedule reaches is still reached, so that a failure is tried in every one of them.  (Leaving
 * out more, as persistent sets do, would lose states in which a failure can strike.)  Host memory. */
#ifndef EXPLORE_SLEEP_H
#define EXPLORE_SLEEP_H

#include "base/vec.h"
#include "event/operation.h"

/* The set at the current point of a schedule is [begin, all.length); those of earlier points, to
 * which the search will come back, lie below it. */
struct sleep {
  VEC(struct operation) all;
  size_t begin;
  bool apart; /* cxl: dependence is operations_apart, not operations_independent */
};

/* A point to come back to. */
struct sleep_mark {
  size_t begin, end;
};

struct sleep_mark sleep_here(const struct sleep *s);
void sleep_return(struct sleep *s, struct sleep_mark m);

/* A new schedule, where nothing sleeps. */
void sleep_clear(struct sleep *s);
void sleep_copy(struct sleep *to, const struct sleep *from);

bool sleep_has(const struct sleep *s, const struct operation *o);

/* The first of the options from number `from` on that does not sleep; count if there is none. */
uint32_t sleep_first_awake(const struct sleep *s, const struct operation *options, uint32_t count,
                           uint32_t from);

/* The set behind option number `taken`, when those before it have been tried; _only: behind the only one that has to be
 * tried. */
void sleep_take(struct sleep *s, const struct operation *options, uint32_t taken);
void sleep_take_only(struct sleep *s, const struct operation *o);

#endif
