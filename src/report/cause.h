/* Findings of analyses that one change mends: the same store, which several loads show.
 *
 * They are findings of their own, to be replayed, suppressed and counted; a text for people shows the first of them,
 * and says in a line what each of the others adds. */
#ifndef REPORT_CAUSE_H
#define REPORT_CAUSE_H

#include "report/report.h"

/* The first finding with the same cause (its index, as i is); i itself, of most. */
size_t cause_of(const struct report *r, size_t i);

/* "the load at list.c:31:9 in find reads it, too (2 executions, --token=f1.r0)" */
void cause_text(const struct report *r, size_t i, struct str *out);

#endif
