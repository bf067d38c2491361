/* Is the program older than its sources?  Then it is not what they say. */
#ifndef REPORT_AGE_H
#define REPORT_AGE_H

#include "report/report.h"
#include "report/symbol.h"

/* newer: appends "list.c and 2 other sources are newer than ./prog ...", or nothing.  Looks at the units of the
 * program and at the files that findings name, which are resolved already.  missing: the same about a file where a
 * finding is, and which cannot be read. */
void age_notes(const struct report *r, struct symbols *symbols, struct str *newer,
               struct str *missing);

#endif
