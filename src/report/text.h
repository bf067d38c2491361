/* The report for people: findings as a compiler would show them, then a summary. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/report.h"

struct text_style {
  bool color;
  int width; /* longer source lines are cut around the mark; 0: never */
  size_t loads_max, stores_max, frames_max, turns_max, outcomes_max; /* longer lists are cut */
};

#define TEXT_STYLE_DEFAULT \
  (struct text_style) { \
    .width = 200, .loads_max = 6, .stores_max = 6, .frames_max = 12, .turns_max = 12, \
    .outcomes_max = 20 \
  }

void report_text(const struct report *r, const struct text_style *style, struct str *out);

#endif
