/* Results as text, one field a line: how the worker hands them to whoever reports them.
 *
 *      executions 588
 *      finding assertion
 *      message found == value
 *      place btree.c\t41\t7\tsearch
 *      ...
 *      end
 *
 * Strings have \t, \n and \\ escaped.  The reader accepts what the writer writes and nothing else. */
#ifndef FINDING_RESULTS_FILE_H
#define FINDING_RESULTS_FILE_H

#include "base/str.h"
#include "finding/finding.h"

void results_write(const struct results *r, struct str *out);

/* False with a one-line explanation if the text is not a whole results file. */
bool results_read(const char *text, struct results *r, struct str *error);

#endif
