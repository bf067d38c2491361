/* The likely bug first: a large search is interrupted now and then by a look at all failure points with
 * few deviations.
 *
 * Depth first, the executions after the first failure point can take all the time there is.  So when
 * a search takes long its position is noted, everything is walked in which no load reads something
 * older than the newest store, then at most one, at most two, ..., and the search goes on where it was.
 * What is found there is reported if the search does not come to it itself; nothing is counted.  A
 * search that comes to its end has the same result with or without.  Host memory. */
#ifndef SEARCH_SCOUT_H
#define SEARCH_SCOUT_H

#include "explore/choice.h"

struct scout {
  bool allowed;
  uint32_t every; /* for tests: once in so many positions, whatever the time; or 0 */
  double after;   /* CPU seconds of search before the first one */
  double share;   /* they take at most one part in so many of all the time */
  bool on;        /* the walk under way is one of these */
  bool due;       /* the search has been left for one; it goes on at: */
  struct str rest;
  uint32_t bound; /* deviations of the next walk */
  uint64_t ends;  /* of executions after the failure under way */
  double since, spent,
      until;      /* CPU seconds: when the search began, of walks so far, end of this one */
  uint32_t waits; /* until the clock is looked at again */
  void (*boundary)(struct choices *c); /* of whoever divides the search, or NULL */
};

/* The search begins: it can be left at each new position. */
void scout_begin(struct scout *s, struct choices *c, bool allowed);

/* The search has been left: walk, with as many deviations as there is time for, and let it go on. */
void scout_look(struct scout *s, struct choices *c, void (*walk)(uint32_t deviations));

/* Has the walk under way taken too long? */
bool scout_is_over(struct scout *s);

#endif
