/* What analyses say about stores, loads and the place of a flush, in words: the same in all formats. */
#ifndef REPORT_PART_TEXT_H
#define REPORT_PART_TEXT_H

#include "report/report.h"

/* "this later store survives (8 bytes at pool+0x40)" */
void part_text(const struct finding_part *p, struct str *out);

/* The line with that number of what a report says about where a fix belongs: "flush and fence after list.c:12
 * and before list.c:14, in thread 0".  label: "where", "or", ...; false: there are no more lines. */
bool fix_line_text(const struct finding *f, size_t number, const char **label, struct str *out);

/* What a thread goes on with: "load" behind the article; of an operation on a lock or thread the function that is
 * called, "pthread_create", where the source line or a call stack shows it. */
void turn_text(struct sources *s, const struct finding_turn *t, const char *article,
               struct str *out);

#endif
