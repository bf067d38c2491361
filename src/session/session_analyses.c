/* The analyses that the job asks for. */
#include "analysis/flush.h"
#include "base/check.h"
#include "finding/analysis_kind.h"
#include "search/cluster.h"
#include "search/search.h"
#include "session/advice.h"
#include "session/session_internal.h"
#include <string.h>

static const struct history *watched;

/* A race follows from what is known where it is found, so it is described by its first execution, and memoised walks
 * only count further ones.  A robustness violation depends on the path, and is never taken over from a memoised
 * walk. */
static void found(const struct analysis_report *r) {
  struct recall *recall = session.cxl ? cluster_recall() : &search.walk.recall;
  if (r->kind == FINDING_ROBUSTNESS && !(session.cxl && !session.analyses.races_wanted))
    recall_spoil_all(recall);
  if (watched->choices.starting || watched->choices.past) /* it belongs to another range */
    return;
  uint32_t number = advice_report(watched, &session.analyses, r);
  recall_note(recall, session.cxl ? cluster_report_result(number) : number);
}

struct analyses *session_start_analyses(struct history *h) {
  unsigned kinds;
  const char *unknown;
  if (!analysis_kinds_parse(session.job->analyses, &kinds, &unknown))
    CHECK(false, "analysis '%s'", unknown);
  watched = h;
  h->trace.events = &h->events;
  session.access.note_flushes = kinds & ANALYSIS_FLUSHES;
  session.access.note_loads = kinds & ANALYSIS_ROBUSTNESS;
  session.access.watched = kinds & (ANALYSIS_ROBUSTNESS | ANALYSIS_RACES);
  if (!(kinds & (ANALYSIS_ROBUSTNESS | ANALYSIS_RACES)))
    return NULL;
  session.analyses = (struct analyses){.robustness_wanted = kinds & ANALYSIS_ROBUSTNESS,
                                       .races_wanted = kinds & ANALYSIS_RACES,
                                       .trace = &h->trace,
                                       .race.baseline = strcmp(session.job->races, "baseline") == 0,
                                       .found = found};
  return &session.analyses;
}

/* A flush has no effect only if it has none in all executions. */
void session_report_flushes(const struct history *h, bool sampled) {
  if (!session.access.note_flushes || h->choices.replaying)
    return;
  if (session.job->flushes_anyway && session.results.complete)
    advice_report_flushes(h);
  else if (!session.results.complete || sampled)
    stop_remark("flushes and fences without effect are reported only if the search is complete, "
                "and not for sampled or bounded schedules");
  else if (flush_by_several() && session.cxl)
    stop_remark(
        "flushes and fences without effect are not reported if several threads of a machine "
        "flush");
  else if (flush_by_several())
    stop_remark(
        "flushes and fences without effect are reported only with --schedule=all if several "
        "threads flush, and not if schedules are explored state by state");
  else
    advice_report_flushes(h);
}
