/* What would prevent a finding: where a flush or a fence is missing.
 *
 * Whether one is missing is a question of robustness (analysis/robustness.h): if an execution could
 * also have happened on a machine that loses nothing in its cache, no flush prevents it; otherwise
 * a store was lost although a later one survived, and a flush between the two prevents this
 * execution.  finding/prevention.h puts the executions together. */
#ifndef SESSION_ADVICE_H
#define SESSION_ADVICE_H

#include "analysis/analysis.h"
#include "search/history.h"
#include "session/verdict.h"

/* The execution that ends now shows the finding: what would have prevented it? */
void advice_consider(struct finding_prevention *p, const struct history *h);

/* An analysis has found something in the execution under way.  Returns its number (verdict_reported). */
uint32_t advice_report(const struct history *h, const struct analyses *a,
                       const struct analysis_report *r);

/* At the end of a complete search: flushes and fences that never had an effect. */
void advice_report_flushes(const struct history *h);

#endif
