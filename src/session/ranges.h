/* A worker that searches parts of a search, as the supervisor says (finding/job.h).
 *
 * Everything that a search has learnt stays from one range to the next; what it has counted and found
 * is handed over and forgotten. */
#ifndef SESSION_RANGES_H
#define SESSION_RANGES_H

#include "base/bigint.h"
#include "explore/choice.h"

/* count: what was counted since the search began; the results of a range are what was added in it.
 * Executions begin at zero in each range. */
struct results;
struct bigint;
struct str;
void ranges_begin(struct choices *c, void (*count)(struct results *r), uint64_t *executions,
                  struct bigint *more);

/* Say this. */
void ranges_say(const char *what, const char *at, const struct str *text);

/* Say this, with what was found since the last time, which is forgotten.  head: goes before the results. */
void ranges_hand_over(const char *what, const char *at, const char *head);

bool ranges_has_enough(void); /* a budget is used up */
bool ranges_is_full(void);    /* or --memory */

/* What the supervisor says next, a line; false: nothing any more. */
bool ranges_read_line(struct str *line);

/* So many bytes are kept about executions: too many end the search (--memory). */
void ranges_limit(size_t (*bytes)(void));

/* Hand over what was found in the range that ended, if there was one, and wait for the next.  False:
 * there is none. */
bool ranges_next(void);

/* The program cannot be searched: say so instead of results. */
void ranges_fail(void);

#endif
