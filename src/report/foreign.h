/* Which files of a program with threads were not compiled by tidemark-cc?  What they do to memory is no step. */
#ifndef REPORT_FOREIGN_H
#define REPORT_FOREIGN_H

#include "report/report.h"
#include "report/symbol.h"

/* Appends "copy.S and 2 other files of the program ...", or nothing: only debug information tells. */
void foreign_note(const struct report *r, struct symbols *symbols, struct str *out);

#endif
