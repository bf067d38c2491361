/* The session's side of the cxl search. */
#include "access/bypass.h"
#include "access/outcome.h"
#include "access/schedule.h"
#include "finding/prevention.h"
#include "process/machine_state.h"
#include "process/watchdog.h"
#include "search/cluster.h"
#include "search/standstill.h"
#include "session/ranges.h"
#include "session/session_internal.h"
#include "session/verdict.h"
#include <string.h>

/* A timed wait takes a lock: it is a place at which the machine may fail, and costs a checkpoint, or
 * a process that waits for the next one.  So does a look at whether a machine has failed. */
#define VAIN_WAITS_MAX 20000
#define VAIN_WAITS_MAX_ISOLATED 500

/* Memoisation begins after so many times fewer ends than in pm: a run of survivors takes longer than a recovery. */
#define SURVIVORS_SHARE 8

static void start_machine(void *machine) {
  session_start(&session.program[(intptr_t)machine]);
}

static void start(void) {
  session_reset(true);
  access_begin(&session.access, &cluster.history.events, &cluster.history.frames);
  for (int m = 0; m < cxl.options.machines; m++)
    thread_create_main(m, start_machine, (void *)(intptr_t)m);
}

/* Before the program goes on: forget an access that was under way, and tell the supervisor the token, should this
 * process die.  False: an earlier worker died in this execution. */
static bool resume(void) {
  static struct token_text token;
  bypass_reset();
  watchdog_begin();
  choice_update_token(&cluster.history.choices, &token);
  session_tell_token(&token.text);
  session.status->shared = false;
  session.status->observed = 0; /* each decision has a token */
  session.status->running_program = true;
  bool goes_on = !*session.job->skip || !session_must_skip(str_text(&token.text));
  if (session.job->isolate) /* the child would change its parent's */
    token_text_free(&token);
  return goes_on;
}

/* The thread that the stop is about: in a deadlock one that waits, not one that has ended. */
static const struct thread *concerned(const struct stop *why) {
  const struct thread *current = thread_current();
  if (why->kind != STOP_DEADLOCK || current->state == THREAD_WAITING)
    return current;
  for (int i = 0; i < thread_count(); i++)
    if (thread_by_id(i)->state == THREAD_WAITING)
      return thread_by_id(i);
  return current;
}

static uint32_t verdict(const struct stop *end, bool last) {
  struct stop why = *end;
  session_note_stop(&why);
  const struct thread *t = concerned(&why);
  return verdict_of(&why, last ? outcome_text() : NULL, t->id, t->machine);
}

/* Has the execution stored anything?  It need not have come to a place where a failure matters. */
static bool any_stores(void) {
  for (size_t i = 0; i < cluster.history.events.length; i++) {
    enum event_kind kind = cluster.history.events.data[i].kind;
    if (kind == EVENT_STORE || kind == EVENT_NT_STORE)
      return true;
  }
  return false;
}

/* An estimate of progress.  The first failure is taken at the last points first, and each further one after it: with n
 * failures, the work for a share x of the points grows like x to the power of n, or less. */
static void tell_progress(void) {
  struct job_status *s = session.status;
  session_tell_executions(cluster.executions, &cluster.more);
  if (schedule.explores)
    return;
  s->failure_points = cluster.first_points;
  s->failure_points_begun = cluster.points_begun;
  s->growth_max = (uint64_t)1 << session.job->failures;
}

static void finished(const uint32_t *verdicts, size_t count) {
  verdict_count_all(&cluster.history, verdicts, count);
  if (cluster.executions == 1 && !schedule.explores && !cluster.history.choices.from.length)
    for (size_t i = 0; i < count && !session.over; i++)
      session.over = session_fails_by_itself(verdicts[i]);
  session.results.steps += access_steps();
  session.results.stores |= !session.results.stores && any_stores();
  tell_progress();
  session.status->program_runs = cluster.program_runs;
  session.status->findings = verdict_findings();
  session.status->looked_ahead = cluster.scout.bound;
  if (schedule.explores)
    session.status->schedules = cluster.schedules;
}

/* With --max-executions executions are walked one by one, to stop where it says. */
static bool known(const uint32_t *verdicts, size_t count) {
  bool all = !session.job->max_executions;
  for (size_t i = 0; i < count; i++)
    all &= verdict_known(verdicts[i]);
  return all;
}

static void repeated(const uint32_t *verdicts, size_t count, const struct bigint *times) {
  uint64_t steps;
  verdict_repeat_all(verdicts, count, times);
  if (verdict_is_report(*verdicts)) /* no execution */
    return;
  if (!bigint_small(times, &steps) || __builtin_mul_overflow(steps, access_steps(), &steps) ||
      __builtin_add_overflow(session.results.steps, steps, &session.results.steps))
    session.results.steps = FINDING_COUNT_MAX;
  bigint_add(&cluster.more, times);
  tell_progress();
}

static void glimpsed(const uint32_t *verdicts, size_t count) {
  for (size_t i = 0; i < count; i++)
    verdict_glimpse(&cluster.history, verdicts[i]);
  session.status->findings = verdict_findings();
}

static bool interrupted(void) {
  const struct job_status *s = session.status;
  bool asked = s->split_requested || s->cut_requested || s->pieces_requested;
  return s->stop_requested || (asked && !cluster.looks_at_schedules) ||
         (session.job->first && verdict_findings());
}

static bool ending(void) {
  return session.status->stop_requested;
}

static bool stopped(void) {
  return session.over || session_must_stop(cluster.executions);
}

static void switch_machine(int from, int to) {
  world_switch_machine(from, to);
  standstill_turn();
}

static void count(struct results *r) {
  r->executions = cluster.executions;
  r->executions_text = finding_total(&r->executions, &cluster.more);
  r->program_runs = cluster.program_runs;
  r->failure_points = cluster.failure_points;
  r->stores |= cxl.asked; /* without any store: failures were tried */
  r->points_of_longest = true;
  r->looked_ahead = schedule.explores ? cluster.undisturbed : cluster.scout.bound;
  r->schedules = schedule.explores ? cluster.schedules : 0;
}

void session_explore_cxl(void) {
  const struct job *j = session.job;
  cxl.options =
      (struct cxl_options){.machines = (int)j->machines,
                           .failures_max = (int)j->failures,
                           .gpf = j->gpf,
                           .poison = j->poison,
                           .paper_coherence = strcmp(j->coherence, "cxlmc") == 0,
                           .global_flush = strcmp(j->flush, "global") == 0,
                           .looks_max = j->isolate ? VAIN_WAITS_MAX_ISOLATED : VAIN_WAITS_MAX};
  cluster.analyses = session_start_analyses(&cluster.history);
  session.access.note_order = cluster.analyses != NULL;
  session.analyses.clock.reads_told = true;
  session.analyses.machines.failed = &cxl.state.failed;
  session.analyses.machines.failed_at = cluster_failed_at;
  session.analyses.machines.global_flush = cxl.options.global_flush;
  cluster.share = !j->no_share && !j->poison && !j->isolate && !j->replay;
  cluster.isolate = j->isolate;
  if (schedule.explores)
    cluster.share = false; /* where the survivors stand follows from more than the failures */
  cluster.strategy.seed = (uint64_t)j->seed;
  cluster.runs = (uint64_t)j->runs;
  session.status->schedules_wanted = strategy_samples(&cluster.strategy) ? cluster.runs : 0;
  thread_strategy.machine_switch = switch_machine;
  thread_strategy.vain_waits_max = j->isolate ? VAIN_WAITS_MAX_ISOLATED : VAIN_WAITS_MAX;
  cluster.start = start;
  cluster.verdict = verdict;
  cluster.finished = finished;
  cluster.repeated = repeated;
  cluster.known = known;
  cluster.glimpsed = glimpsed;
  cluster.interrupted = interrupted;
  cluster.ending = ending;
  cluster.scout.every = (uint32_t)j->scout;
  cluster.scout.after = 1;
  cluster.scout.share = j->first ? 2 : 10; /* looks ahead share less with the search than in pm */
  cluster.stopped = stopped;
  verdict_look_at(j->recall_after ? PREVENTION_EXECUTIONS_MAX : 1);
  cluster.memory_max = session.memory_max;
  cluster.recall = j->recall_after >= 0;
  cluster.recall_after = ((uint64_t)j->recall_after + SURVIVORS_SHARE - 1) / SURVIVORS_SHARE;
  cluster.merge = cluster.recall && !session.access.note_flushes; /* each run tells of flushes */
  cluster.merge_by_several = cluster.recall && !j->flushes_anyway;
  cluster.resume = resume;
  cluster.died = session_hand_over_death;
  if (j->ranges) {
    ranges_begin(&cluster.history.choices, count, &cluster.executions, &cluster.more);
    cluster.next_range = ranges_next;
    cluster_run();
    session.status->running_program = false;
    return;
  }
  cluster_run();
  session.status->running_program = false;
  if (cluster.history.choices.diverged && !session.results.error)
    session.results.error =
        mem_strdup("the replay token does not fit this program (was it built anew?)");
  count(&session.results);
  session_report_flushes(&cluster.history, schedule.explores);
}
