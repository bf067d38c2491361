/* Looking ahead: a long depth-first search is interrupted now and then by a breadth-first one with few deviations, so
 * that the likely bug is found first (iterative deepening by number of deviations).
 *
 * A deviation is a load that reads something older than the newest store, or a further failure.  Depth first, the
 * executions after the first failure point can take all the time there is.  So when a search takes long its position is
 * noted, everything with no deviation is walked, then with at most one, at most two, ..., and the search goes on where
 * it was.  What is found there is reported if the search does not come to it itself; nothing is counted.  A search that
 * comes to its end has the same result with or without.
 *
 * Used by search.c and trace_ahead.c (pm) and cluster_ahead.c (cxl).  Host memory. */
#ifndef SEARCH_SCOUT_H
#define SEARCH_SCOUT_H

#include "explore/choice.h"

#define SCOUT_CALLS 64 /* new positions, or ends of executions, between looks at the clock */

struct scout {
  uint32_t every;  /* for tests: look ahead once in so many positions, whatever the time; or 0 */
  double after;    /* CPU seconds of search before the first look ahead */
  double share;    /* looks ahead take at most one part in so many of all the time */
  bool on;         /* the walk under way is a look ahead */
  bool due;        /* the search has been left for one, */
  struct str rest; /* and goes on at this position */
  uint32_t bound;  /* deviations of the next walk */
  uint64_t ends;   /* executions after the failure under way that the look ahead came to */
  /* CPU seconds: when the search began, what looks ahead took so far, when this one has to end. */
  double since, spent, until;
  double began;                        /* when this one did */
  uint32_t waits;                      /* counts calls, to look at the clock only now and then */
  void (*boundary)(struct choices *c); /* choices.boundary of whoever divides the search, or NULL */
};

/* The search begins.  allowed: it may be left at each new position for a look ahead. */
void scout_begin(struct scout *s, struct choices *c, bool allowed);

/* CPU seconds that the search itself has taken. */
double scout_seconds(const struct scout *s);

/* Is it time for a look ahead?  The clock is looked at in one of so many calls.  It begins; there is time for more; it is
 * over. */
bool scout_is_time(struct scout *s, uint32_t calls);
void scout_begin_look(struct scout *s);
bool scout_goes_on(const struct scout *s);
void scout_end_look(struct scout *s);

/* The search has been left: walk with more and more deviations while there is time, then set the range to the rest. */
void scout_look(struct scout *s, struct choices *c, void (*walk)(uint32_t deviations));

/* Has the walk under way taken too long? */
bool scout_is_over(struct scout *s);

#endif
