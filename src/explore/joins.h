/* State merging within the reduction (explore/dpor.h): an execution that comes to a state from which everything was
 * explored does not go on.
 *
 * A *place* is a state in which an execution was, by its number.  It is open while the reduction explores what follows
 * it, and finished when all of that was explored; then it has the set of all operations that happened after it.  An
 * execution that comes to a finished place stops there.  But races between its own events and what would have followed
 * must still be reversed: each operation of the set is taken for one that comes next (dpor_foresee).
 *
 *      e1 e2 e3 . e4 e5 ...        the first to come there, explored to the end:   after it {e4, e5, ...}
 *      e3 e1 e2 .                  the same state: races of e4, e5, ... with e1, e2, e3
 *
 * What was in the sleep set where a place was entered was explored elsewhere, not behind the place.  So an execution is
 * joined only if its sleep set has all of that, too.  A place that is still open cannot be joined: not everything
 * behind it was explored.  docs/decisions.md (2026-11-16, "executions by traces that come to the same state") has the
 * argument. Used by search/trace_join.c.  Host memory. */
#ifndef EXPLORE_JOINS_H
#define EXPLORE_JOINS_H

#include "base/intern.h"
#include "explore/dpor.h"

struct joins_place {
  bool open, finished;
  /* The operations after it: number of a set in joins.sets, 0: none. */
  uint32_t after;
  uint32_t sleep_begin, sleeper_count; /* the sleep set there, in joins.sleepers */
};

/* An open place along the execution under way. */
struct joins_open {
  uint32_t state, depth; /* depth: events before it */
  VEC(uint64_t) after;   /* operations after it so far, a bit each by number */
};

/* An operation of the run under way: after the newest of so many open places. */
struct joins_noted {
  size_t places;
  struct operation operation;
};

struct joins {
  struct intern operations, sets;
  VEC(struct joins_noted) noted;
  size_t open_before;             /* the run under way: open places, */
  uint64_t visits_before;         /* and visits when it began */
  VEC(struct joins_place) places; /* by number of state */
  VEC(struct joins_open) open;    /* the first open_count of these; the others keep their memory */
  size_t open_count;
  VEC(struct dpor_sleeper) sleepers;
  uint64_t visits, joined;
};

/* The execution has come to a state.  find: is that a finished place with which it can be joined?  enter: otherwise it
 * opens one. */
bool joins_find(const struct joins *j, const struct dpor *d, uint32_t state);
void joins_enter(struct joins *j, const struct dpor *d, uint32_t state);

/* A run begins or ends.  If it is given up because it has to be run again, nothing of it counts: how often that happens
 * depends on what the worker has learnt. */
void joins_run_begins(struct joins *j);
void joins_run_ends(struct joins *j, bool given_up);

/* The operation has happened. */
void joins_note(struct joins *j, const struct operation *o);

/* retreat: the reduction goes back to so many events; places behind them are finished.  leave: places before so many
 * events will never be, because others explore a part of what follows them. */
void joins_retreat(struct joins *j, size_t events);
void joins_leave(struct joins *j, size_t events);

/* Is every operation after the place one of the first `threads` threads, so that none of a thread still to be
 * created? */
bool joins_stay_among(const struct joins *j, uint32_t state, uint32_t threads);

/* Join the execution at a finished place: foresee what follows there.  issued: 1 + the position of the event with which
 * the oldest entry of the store buffer of the operation's thread came there. */
void joins_join(struct joins *j, struct dpor *d, uint32_t state,
                uint32_t (*issued)(const struct operation *o));

size_t joins_bytes(const struct joins *j);
void joins_clear(struct joins *j);

#endif
