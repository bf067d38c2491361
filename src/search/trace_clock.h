/* What the program's clock shows where schedules are explored by traces (search/traces.h).
 *
 * How much time has passed for a thread must not depend on the order of operations that nobody can tell apart,
 * otherwise one execution could not stand for its whole class.  So it is the sum of what has passed for the thread
 * itself (looks at the clock, sleeps) and of what had passed for others when they did something that happens before it:
 * whoever comes later by happens-before never sees an earlier time.  Host memory. */
#ifndef SEARCH_TRACE_CLOCK_H
#define SEARCH_TRACE_CLOCK_H

#include "explore/dpor.h"

/* An execution begins, whose operations are events of that reduction; and it is over. */
void trace_clock_begin(const struct dpor *d);
void trace_clock_end(void);

/* Has some thread looked at the clock, or slept, while there were several? */
bool trace_clock_was_asked(void);

void trace_clock_share(void); /* register what a run changes, for --isolate */

#endif
