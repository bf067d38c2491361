/* Looking ahead in a search by traces (search/traces.h): the likely bug first.
 *
 * Depth first, what follows a failure in the first execution can take all the time there is, and executions that begin
 * with other turns come last.  So a search that takes long samples executions now and then: schedules by priorities
 * (pct), and after each of them executions after a failure in which few loads read something older than the newest
 * store, one schedule of their threads each (search/scout.h).  What is found is reported if the search does not come to
 * it itself; nothing is counted.
 *
 * Between two executions that costs nothing else.  A walk over what follows failures has no place to come back to, once
 * a recovery has several threads.  It is left only where it is the first one, which is the longest, because later ones
 * leave out what executions have in common; then everything counted so far belongs to it, and it is walked once more
 * from the beginning: rarely, and with the program's runs known. */
#ifndef SEARCH_TRACE_AHEAD_H
#define SEARCH_TRACE_AHEAD_H

#include "event/operation.h"
#include <stdbool.h>
#include <stdint.h>

void trace_ahead_begin(void); /* the search, or a unit, begins */

/* The walk has come to an end of an execution: shall it be left for a look ahead?  Then traces.ahead.due is set, and the
 * choices are stopped. */
void trace_ahead_check(void);

/* pre: no execution is under way.  Look ahead, if it is time or the walk was left for it. */
void trace_ahead_look(void);

/* In a sample: which option is next. */
uint32_t trace_ahead_pick(const struct operation *options, uint32_t count);

#endif
