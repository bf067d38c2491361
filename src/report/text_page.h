/* A page of a report for people: text that is safe on a terminal, colours, and lines of source code.  Who
 * writes what is in text.c, findings, and text_summary.c. */
#ifndef REPORT_TEXT_PAGE_H
#define REPORT_TEXT_PAGE_H

#include "report/text.h"

enum ink { INK_ERROR, INK_WARNING, INK_NOTE, INK_HELP, INK_GOOD, INK_GUTTER, INK_STRONG, INK_DIM };

struct page {
  const struct report *report;
  const struct text_style *style;
  struct str *out;
  int gutter; /* columns of line numbers in the finding under way */
};

/* Program texts and source lines may hold anything: control characters are kept off the terminal. */
void page_put_safe(struct page *p, const char *text, size_t n, bool lines);
__attribute__((format(printf, 2, 3))) void page_put(struct page *p, const char *format, ...);
__attribute__((format(printf, 3, 4))) void page_paint(struct page *p, enum ink ink,
                                                      const char *format, ...);

/* "in function", for the label of an excerpt; nothing if it is not known. */
void page_in_function(const struct place *at, struct str *out);

void page_begin_line(struct page *p); /* with an empty gutter */

/* The arrow with the position, then the source line with a label under it. */
void page_put_excerpt(struct page *p, const struct place *at, enum ink ink, const char *label);

#endif
