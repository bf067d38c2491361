/* An earlier JSON report, whose findings are known.
 *
 * The same bug in the next version of the program is recognised by its fingerprint.  One that was
 * reported twice is known twice: a third is new. */
#ifndef REPORT_BASELINE_H
#define REPORT_BASELINE_H

#include "base/str.h"
#include "finding/finding.h"

struct baseline_entry {
  char *fingerprint;
  uint32_t line;
  bool matched;
};

struct baseline {
  char *path;
  VEC(struct baseline_entry) list;
};

/* False with one line of explanation. */
bool baseline_read(struct baseline *b, const char *path, struct str *error);
bool baseline_parse(struct baseline *b, const char *path, const char *text, size_t length,
                    struct str *error);
void baseline_free(struct baseline *b);

/* Match every finding with an entry of its own, preferring one at the same line: known[i]. */
void baseline_match(struct baseline *b, const struct finding *findings, size_t count, bool *known);

#endif
