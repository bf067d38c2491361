/* A worker's side of a search in ranges (explore/choice.h): it gets ranges from the supervisor, hands back results, and
 * gives the later part of a range away when it is asked to (finding/job.h has the protocol, cli/parts.h the other
 * side).
 *
 * What a search has learnt (tries, states) stays from one range to the next; what it has counted and found is handed
 * over, and counting starts from zero. */
#ifndef SESSION_RANGES_H
#define SESSION_RANGES_H

#include "base/bigint.h"
#include "explore/choice.h"

/* count: fills in what was counted since the search began; the results of a range are the difference.  *executions and
 * *more are set to zero when a range begins. */
struct results;
struct bigint;
struct str;
void ranges_begin(struct choices *c, void (*count)(struct results *r), uint64_t *executions,
                  struct bigint *more);

/* Send a message to the supervisor. */
void ranges_say(const char *what, const char *at, const struct str *text);

/* Send a message with the results since the last time, which are forgotten here.  head: text that goes before the
 * results. */
void ranges_hand_over(const char *what, const char *at, const char *head);

bool ranges_has_enough(void); /* a budget is used up */
bool ranges_is_full(void);    /* or --memory */

/* Does the failure under way take so long that others come first?  Then the search is to come to a position. */
bool ranges_is_late(void);

/* What the supervisor says next, a line; false: nothing any more. */
bool ranges_read_line(struct str *line);

/* bytes: how much the search keeps about executions; too much ends the search (--memory). */
void ranges_limit(size_t (*bytes)(void));

/* Hand over what was found in the range that ended, if there was one, and wait for the next.  False:
 * there is none. */
bool ranges_next(void);

/* The program cannot be searched: tell the supervisor so instead of results. */
void ranges_fail(void);

#endif
