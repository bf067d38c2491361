/* What --analyses can ask for: the command line and the worker read the same list. */
#ifndef FINDING_ANALYSIS_KIND_H
#define FINDING_ANALYSIS_KIND_H

#include <stdbool.h>

/* ANALYSIS(id, bit, name) */
#define ANALYSIS_KINDS(ANALYSIS) \
  ANALYSIS(ROBUSTNESS, 1, "robustness") \
  ANALYSIS(RACES, 2, "races") \
  ANALYSIS(FLUSHES, 4, "flushes") \
  ANALYSIS(STORE_BUFFERS, 8, "store-buffers")

enum analysis_kind {
#define ANALYSIS(id, bit, name) ANALYSIS_##id = bit,
  ANALYSIS_KINDS(ANALYSIS)
#undef ANALYSIS
};

/* "robustness,races" as bits; "none" and "" are none.  False if it names something else, which begins
 * at *unknown. */
bool analysis_kinds_parse(const char *list, unsigned *kinds, const char **unknown);

#endif
