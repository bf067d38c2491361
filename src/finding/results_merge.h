/* Results of parts of a search, put together.
 *
 * The parts are ranges of executions, and joined in their order.  It does not matter how the search
 * was divided: the whole counts, finds and says the same, except for what measures the work done
 * (program runs, steps, time, memory). */
#ifndef FINDING_RESULTS_MERGE_H
#define FINDING_RESULTS_MERGE_H

#include "finding/finding.h"

/* `next`, which is left empty, has the executions right after those of `r`. */
void results_join(struct results *r, struct results *next);

/* At the end: what belongs to a finding as a whole. */
void results_settle(struct results *r);

#endif
