/* What time it is in a trace (search/traces.h).
 *
 * When there are several threads, how much time has passed for one of them must not depend on the order
 * of what nobody can tell apart.  So it is the sum of what has passed for the thread itself (looks at the
 * clock, sleeps) and of what had passed for others when they did something that happens before it: who
 * comes later, as far as that can be told, never sees an earlier time.  Host memory. */
#ifndef SEARCH_TRACE_CLOCK_H
#define SEARCH_TRACE_CLOCK_H

#include "explore/dpor.h"

/* An execution begins, whose operations are told to that reduction; it is over. */
void trace_clock_begin(const struct dpor *d);
void trace_clock_end(void);

void trace_clock_share(void); /* register what a run changes, for --isolate */

#endif
