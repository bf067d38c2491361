/* The report as JUnit XML, for CI systems: one test that passes if the search is complete and
 * clean, and one that fails for each finding. */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include "report/report.h"

void report_junit(const struct report *r, struct str *out);

#endif
