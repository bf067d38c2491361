/* The report as SARIF 2.1.0, for code hosting and editors. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include "report/report.h"

void report_sarif(const struct report *r, struct str *out);

#endif
