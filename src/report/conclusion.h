/* What a check comes to: the verdict in one sentence, and what it does not say by itself.
 *
 * A clean verdict about nothing, or about some schedules, must not look like one about the program.
 * Notes are made here, once, and every format shows them. */
#ifndef REPORT_CONCLUSION_H
#define REPORT_CONCLUSION_H

#include "report/report.h"

/* After report_prepare: decide whether anything was checked at all, and collect the notes. */
void report_conclude(struct report *r);

/* "2 findings" and "; the search is complete". */
void report_verdict(const struct report *r, struct str *head, struct str *rest);

/* 0, 1, 3, 4 or 5. */
int report_exit_status(const struct report *r);

#endif
