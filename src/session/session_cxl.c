/* The session's side of the cxl search. */
#include "access/bypass.h"
#include "access/outcome.h"
#include "process/machine_state.h"
#include "process/watchdog.h"
#include "search/cluster.h"
#include "session/session_internal.h"
#include "session/verdict.h"
#include <string.h>

static void start_machine(void *machine) {
  session_start(&session.program[(intptr_t)machine]);
}

static void start(void) {
  session_reset();
  access_begin(&session.access, &cluster.history.events, &cluster.history.frames);
  for (int m = 0; m < cxl.options.machines; m++)
    thread_create_main(m, start_machine, (void *)(intptr_t)m);
}

/* What was stopped in the middle of an access is over.  Tell the supervisor where we are, should this process die; false if an earlier one died there. */
static bool resume(void) {
  static struct str token;
  bypass_reset();
  watchdog_begin();
  str_clear(&token);
  choice_token(&cluster.history.choices, &token);
  session_tell_token(&token);
  session.status->running_program = true;
  return !*session.job->skip || !session_must_skip(str_text(&token));
}

static uint32_t verdict(const struct stop *why, bool last) {
  session_note_stop(why);
  const struct thread *t = thread_current();
  return verdict_of(why, last ? outcome_text() : NULL, t->id, t->machine);
}

static void finished(const uint32_t *verdicts, size_t count) {
  for (size_t i = 0; i < count; i++)
    verdict_count(&cluster.history, verdicts[i]);
  session.results.steps += access_steps();
  session_tell_executions(cluster.executions, &cluster.more);
  session.status->program_runs = cluster.program_runs;
  session.status->findings = verdict_findings();
}

/* As in the pm search. */
static bool known(const uint32_t *verdicts, size_t count) {
  bool all = !session.job->max_executions;
  for (size_t i = 0; i < count; i++)
    all &= verdict_known(verdicts[i]);
  return all;
}

static void repeated(const uint32_t *verdicts, size_t count, const struct bigint *times) {
  uint64_t steps;
  for (size_t i = 0; i < count; i++)
    verdict_repeat(verdicts[i], times);
  if (!bigint_small(times, &steps) || __builtin_mul_overflow(steps, access_steps(), &steps) ||
      __builtin_add_overflow(session.results.steps, steps, &session.results.steps))
    session.results.steps = FINDING_COUNT_MAX;
  bigint_add(&cluster.more, times);
  session_tell_executions(cluster.executions, &cluster.more);
}

static bool stopped(void) {
  return session_must_stop(cluster.executions);
}

void session_explore_cxl(void) {
  const struct job *j = session.job;
  cxl.options = (struct cxl_options){.machines = (int)j->machines,
                                     .failures_max = (int)j->failures,
                                     .gpf = j->gpf,
                                     .poison = j->poison,
                                     .paper_coherence = strcmp(j->coherence, "cxlmc") == 0,
                                     .global_flush = strcmp(j->flush, "global") == 0};
  cluster.analyses = session_start_analyses(&cluster.history);
  session.access.note_order = cluster.analyses != NULL;
  session.analyses.clock.reads_told = true;
  session.analyses.machines.failed = &cxl.state.failed;
  session.analyses.machines.failed_at = cluster_failed_at;
  session.analyses.machines.global_flush = cxl.options.global_flush;
  cluster.share = !j->no_share && !j->poison && !j->isolate && !j->replay;
  cluster.isolate = j->isolate;
  thread_strategy.machine_switch = world_switch_machine;
  cluster.start = start;
  cluster.verdict = verdict;
  cluster.finished = finished;
  cluster.repeated = repeated;
  cluster.known = known;
  cluster.stopped = stopped;
  cluster.recall = j->recall_after >= 0 && !cluster.analyses;
  cluster.recall_after = (uint64_t)j->recall_after;
  cluster.resume = resume;
  cluster.died = session_verdict_of_death;
  cluster_run();
  session.status->running_program = false;
  if (cluster.history.choices.diverged && !session.results.error)
    session.results.error =
        mem_strdup("the replay token does not fit this program (was it built anew?)");
  session_report_flushes(&cluster.history, false);
  session.results.executions = cluster.executions;
  session.results.executions_text = finding_total(&session.results.executions, &cluster.more);
  session.results.program_runs = cluster.program_runs;
  session.results.failure_points = cluster.failure_points;
  session.results.stores = cluster.failure_points; /* there is none without a store */
}
