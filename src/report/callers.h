/* Flushes and fences by source line and callers; data races inside a library by the two calls of it.
 *
 * The worker tells places apart by code address, and the compiler may have made several copies of
 * one: by inlining, or by unrolling a loop.  Here, where debug information is known, what is the same
 * in the source becomes one finding again, or none if one of the copies has an effect. */
#ifndef REPORT_CALLERS_H
#define REPORT_CALLERS_H

#include "finding/finding.h"

/* Robustness findings about several stores of one line that one load shows are one, with the places of the others
 * (further).  pre: as below. */
void callers_merge_stores(struct results *r);

/* pre: places are resolved. */
void callers_merge(struct results *r);
void callers_merge_races(
    struct results *r); /* pre: in the order of the report; of those that are one the first stays */

#endif
