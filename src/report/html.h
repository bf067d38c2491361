/* The report as one HTML page that needs nothing else: no network, no scripts. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/report.h"

void report_html(const struct report *r, struct str *out);

#endif
