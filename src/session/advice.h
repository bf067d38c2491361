/* What would prevent a finding: where a flush or a fence is missing.
 *
 * Whether one is missing is a question of robustness (analysis/robustness.h): if an execution could
 * also have happened on a machine that loses nothing in its cache, no flush prevents it; otherwise
 * a store was lost although a later one survived, and a flush between the two prevents this
 * execution.  A finding is prevented if each of its executions is: advice grows until it covers all
 * that were looked at, and is dropped if one of them could have happened anyway. */
#ifndef SESSION_ADVICE_H
#define SESSION_ADVICE_H

#include "analysis/analysis.h"
#include "search/history.h"
#include "session/verdict.h"

struct advice {
  VEC(struct verdict_line) stores; /* that are to be flushed */
  VEC(struct finding_window) windows;
  char *text;
  struct place place;
  uint64_t effort; /* steps looked at so far */
  bool hopeless;   /* some execution could have happened anyway */
  bool unsure;     /* not all of them were looked at, or not everything about them is known */
};

/* One more execution that shows the finding, as it ends. */
void advice_consider(struct advice *a, const struct history *h);
void advice_skipped(struct advice *a); /* there are more that nobody looks at */
void advice_give(const struct advice *a, struct finding *f);
void advice_reset(struct advice *a);

/* Something that an analysis found in the execution under way. */
void advice_report(const struct history *h, const struct analyses *a,
                   const struct analysis_report *r);

/* At the end of a complete search: flushes and fences that never had an effect. */
void advice_report_flushes(const struct history *h);

#endif
