/* Is the program older than its sources?  Then it is not what they say. */
#ifndef REPORT_AGE_H
#define REPORT_AGE_H

#include "report/report.h"
#include "report/symbol.h"

/* Appends "list.c and 2 other sources are newer than ./prog ...", or nothing.  Looks at the units of the
 * program and at the files that findings name, which are resolved already. */
void age_note(const struct report *r, struct symbols *symbols, struct str *out);

#endif
