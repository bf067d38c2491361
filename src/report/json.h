/* The report as JSON: docs/json.md describes it, for programs to read. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/report.h"

void report_json(const struct report *r, struct str *out);

#endif
