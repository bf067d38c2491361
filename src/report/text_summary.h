/* The end of a report for people: what was checked, counts and outcomes, the verdict and its notes. */
#ifndef REPORT_TEXT_SUMMARY_H
#define REPORT_TEXT_SUMMARY_H

#include "report/text_page.h"

void text_put_summary(struct page *p);

#endif
