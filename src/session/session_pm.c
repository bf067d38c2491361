/* The session's side of the pm search: one run of the program after so many failures. */
#include "access/outcome.h"
#include "access/schedule.h"
#include "access/space_tree.h"
#include "access/spin.h"
#include "base/check.h"
#include "explore/choice.h"
#include "finding/prevention.h"
#include "process/fault.h"
#include "process/generation.h"
#include "process/share.h"
#include "process/watchdog.h"
#include "search/search.h"
#include "search/trace_cut.h"
#include "search/trace_join.h"
#include "search/traces.h"
#include "session/ranges.h"
#include "session/session_internal.h"
#include "session/units.h"
#include "session/verdict.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What an execution costs on average, in steps, for dividing work: some need a run of their own. */
#define EXECUTION_STEPS 4000
#define SCAN_STEPS_MAX 20000000u

static void start_program(void *unused) {
  (void)unused;
  session_start(session.level ? &session.recovery : &session.program[0]);
}

/* A recovery may look at each word of a file, a few times. */
static uint64_t scan_steps(void) {
  uint64_t steps = space_files.largest / 4;
  return steps < SCAN_STEPS_MAX ? steps : SCAN_STEPS_MAX;
}

/* Without --max-steps: the first execution may take long, the others about as long as that one. */
static uint64_t steps_max(void) {
  if (session.job->max_steps)
    return (uint64_t)session.job->max_steps;
  bool every = schedule.explores && !strategy_samples(&search.strategy);
  if (session.level == 0) /* where every step is a choice nobody waits for so many */
    return SESSION_STEPS_DEFAULT * (every ? 1 : 100);
  uint64_t enough = session.steps_before_failure * 10, scan = every ? 0 : scan_steps();
  enough = enough > scan ? enough : scan;
  return enough > SESSION_STEPS_DEFAULT ? enough : SESSION_STEPS_DEFAULT;
}

/* A thread has failed: the others go on as if it had stopped there, so that a failure of the power can
 * be tried wherever they come to. */
static bool others_can_go_on(const struct stop *why) {
  return (stop_is_of_one_thread(why) || why->kind == STOP_ASSUME) && thread_live() > 1;
}

static void let_others_go_on(const struct stop *why) {
  struct stop later = *why;
  session.failed_thread = thread_current()->id;
  traces_others_go_on();
  while (others_can_go_on(&later) && !schedule.unfit) {
    thread_abandon(thread_current());
    thread_run(&later);
    if (others_can_go_on(&later) && later.kind != STOP_ASSUME)
      traces_also(verdict_of(&later, NULL, thread_current()->id, 0));
  }
  traces_run_ends(later.kind == STOP_KNOWN);
}

/* A run that begins at a checkpoint need not go by the start: to put the checkpoint back changes all that
 * was changed.  Now and then it does: the world gets to know then which pages are not used any more. */
#define STRAIGHT_MAX 16

static bool goes_straight(void) {
  static unsigned straight;
  bool can = search_resumes() && generation_is(search.generation);
  straight = can ? straight + 1 : 0;
  return straight % STRAIGHT_MAX != 0;
}

/* From the first instruction, or from where an earlier execution was in the same state. */
static void begin_run(void) {
  if (search_resumes_at_state())
    space_tree_expect();
  session_reset(!goes_straight());
  generation_begin(search.generation);
  session.access.steps_max = steps_max();
  session.access.failures = session.level;
  access_begin(&session.access, &search.history.events, &search.history.frames);
  if (search_resumes())
    search_resume();
  else
    thread_create_main(0, start_program, NULL);
}

static uint32_t run_here(void) {
  begin_run();
  uint64_t steps_before = access_steps();
  struct stop why = {0};
  watchdog_begin();
  do
    thread_run(&why);
  while (why.kind == STOP_NONE && search_answers(&why));
  if (schedule.traces)
    let_others_go_on(&why);
  access_end();
  session.results.steps += access_steps() - steps_before;
  if (session.level == 0 && traces.on && !traces.join.frozen &&
      !search.scout.on) /* others may have seen this one before */
    units_note_run(access_steps() - steps_before);
  if (session.level == 0 && !session.any_run)
    session.results.threads = schedule.explores ? 0 : (uint64_t)thread_count();
  if (session.level == 0 && access_steps() > session.steps_before_failure)
    session.steps_before_failure = access_steps();
  if (search_replay_cut_short() && why.kind != STOP_NONDETERMINISM) {
    why.kind = STOP_NONDETERMINISM;
    static const char text[] = "the program ended earlier than the same execution did before: it "
                               "depends on something the checker does not control (a clock, an "
                               "address, uninitialised memory)";
    memcpy(why.message, text, sizeof text);
  }
  if (why.kind == STOP_HANG && session.level < session.job->failures)
    session_incomplete(
        "an execution was cut off (hang): failures after that point are not covered");
  session_note_stop(&why);
  search.cut_short = why.kind != STOP_KNOWN && thread_live() > 1; /* _exit is no step, either */
  int thread = schedule.traces ? session.failed_thread : thread_current()->id;
  return verdict_of(&why, outcome_text(), thread, 0);
}

/* Whose doing is it?  Only the supervisor can find out, by running that execution again.  And the
 * dead process may have left half of its work in the memory it shares with us (the old block of an
 * array that it moved, nodes of the memo): nobody may go on with that. */
void session_hand_over_death(int status) {
  bool handed_over = WIFEXITED(status) && WEXITSTATUS(status) == JOB_EXIT_CHILD_DIED;
  if (!handed_over)
    session.status->child_status = status;
  _exit(JOB_EXIT_CHILD_DIED);
}

/* In a child of its own: what the program does to its process is gone with it. */
uint32_t session_run_in_child(uint32_t (*run)(void)) {
  session.child_done = false;
  int child = share_fork();
  if (child == 0) {
    session.child_verdict = run();
    session.child_done = true;
    share_publish();
    _exit(0);
  }
  int status = share_wait(child);
  share_collect();
  if (!session.child_done)
    session_hand_over_death(status);
  return session.child_verdict;
}

bool session_must_skip(const char *token) {
  const char *wanted = *token ? token : "-";
  size_t n = strlen(wanted);
  for (const char *p = session.job->skip; *p;) {
    const char *end = strchr(p, ':');
    size_t length = end ? (size_t)(end - p) : strlen(p);
    if (length == n && strncmp(p, wanted, n) == 0)
      return true;
    p += length + (end != NULL);
  }
  return false;
}

static uint64_t count_events(enum event_kind kind) {
  uint64_t n = 0;
  for (size_t i = 0; i < search.history.events.length; i++)
    n += search.history.events.data[i].kind == kind;
  return n;
}

static uint32_t execute(int level) {
  session.level = level;
  struct str token = {0};
  choice_token(&search.history.choices, &token);
  struct job_status *s = session.status;
  session_tell_token(&token);
  bool skip = session_must_skip(str_text(&token));
  str_free(&token);
  if (skip) {
    if (level < session.job->failures)
      session_incomplete(
          "an execution killed the checking process: failures in it are not covered");
    struct stop why = {.kind = STOP_FATAL_SIGNAL, .message = JOB_SKIPPED};
    return verdict_of(&why, NULL, 0, 0);
  }
  s->observed = 0;
  s->shared = search.walk.all > 0 || search.history.choices.starting;
  s->running_program = true;
  uint32_t verdict = session.job->isolate ? session_run_in_child(run_here) : run_here();
  s->running_program = false;
  s->program_runs++;
  if (level == 0 && !session.any_run) {
    session.any_run = true;
    /* Other schedules may store to lines that this one left alone. */
    space_begin_observing(session.job->failures > 1 || search.strategy.kind != STRATEGY_FIXED);
    if (search.strategy.kind == STRATEGY_FIXED)
      s->failure_points += count_events(EVENT_FAILURE_POINT);
    if (search.strategy.kind == STRATEGY_FIXED && session_fails_by_itself(verdict))
      search.failures_max = 0;
  }
  if (!session.results
           .stores) /* a schedule may be given up before one; or only a recovery stores */
    session.results.stores = count_events(EVENT_STORE) + count_events(EVENT_NT_STORE);
  return verdict;
}

static void finished(uint32_t verdict) {
  verdict_count(&search.history, verdict);
  if (search.strategy.kind != STRATEGY_FIXED)
    session.status->schedules = strategy_samples(&search.strategy) ? search.run : search.schedules;
  session_tell_executions(search.executions, &search.more);
  session.status->findings = verdict_findings();
  session.status->failure_points_begun = search.failure_points;
  session.status->looked_ahead = search.scout.bound;
  units_look();
}

/* With --max-executions they are walked one by one, to stop where it says. */
static bool known(uint32_t verdict) {
  return !session.job->max_executions && verdict_known(verdict);
}

static void repeated(uint32_t verdict, const struct bigint *times) {
  verdict_repeat(verdict, times);
  if (verdict_is_report(verdict)) /* no execution */
    return;
  bigint_add(&search.more, times);
  session_tell_executions(search.executions, &search.more);
  units_look();
}

static void glimpsed(uint32_t verdict) {
  verdict_glimpse(&search.history, verdict);
  session.status->findings = verdict_findings();
}

static bool ending(void) {
  return (session.job->ranges && ranges_is_late()) || session.status->stop_requested ||
         (session.job->first && verdict_findings());
}

static bool interrupted(void) {
  const struct job_status *s = session.status;
  return ending() || s->split_requested || s->cut_requested || s->pieces_requested;
}

static void started(void) {
  verdict_reset();
  bigint_set(&session.eager_states, 0);
}

static bool stopped(struct search *s) {
  if (!session.job->ranges && session_too_much(search_remembered_bytes())) {
    session_incomplete(JOB_MEMORY_REACHED);
    return true;
  }
  if (s->next_unit && traces.on && (session.status->stop_requested || ranges_has_enough()))
    return true; /* what follows one schedule may take long */
  return session_must_stop(s->executions);
}

/* The states an eager checker would explore at this failure point: every combination of what each
 * line may hold. */
static void count_eager(struct search *s) {
  (void)s;
  struct bigint states = {0};
  bigint_set(&states, 1);
  for (size_t i = 1; i < space_line_count(); i++) {
    const struct line *l = &space_line_by_index(i)->line;
    if (l->latest[0] > l->interval[0].low)
      bigint_multiply(&states, l->latest[0] - l->interval[0].low + 1);
  }
  bigint_add(&session.eager_states, &states);
  bigint_free(&states);
}

static uint32_t execute_again(int level) {
  session.level = level;
  return run_here();
}

static void repeat(void) {
  search.execute = execute_again;
  search_repeat(session.job->repeat);
  session_incomplete("only the first execution was run");
  session.results.program_runs = search.program_runs;
}

static void count(struct results *r) {
  r->executions = search.executions;
  r->executions_text = finding_total(&r->executions, &search.more);
  r->program_runs = search.program_runs;
  r->failure_points = search.failure_points;
  r->schedules = search.schedules;
  r->looked_ahead = search.scout.bound;
  r->estimate = r->complete && !session.job->ranges ? 0 : (uint64_t)curve_end(&search.growth);
  if (!session.job->count_eager)
    return;
  struct str text = {0};
  bigint_format(&session.eager_states, &text);
  r->eager_states = mem_strdup(str_text(&text));
  str_free(&text);
}

/* Is the token one of a search state by state?  Its first choice is never a turn or a cut; a token of a search by
 * traces may have choices of states later on, between two failures. */
static bool replays_states(const struct choices *c) {
  if (!c->replaying || !c->forced.length)
    return false;
  enum choice_kind first = c->forced.data[0].kind;
  return first != CHOICE_TURN && first != CHOICE_CUT;
}

/* Not with --eager: what an eager checker would explore is counted for states.  Nor with --no-failures-in: where the
 * power fails is a cut, and those that are left out are no range of cuts. */
static bool follows_traces(void) {
  return search.strategy.kind == STRATEGY_ALL && !search.count_eager && !session.job->by_states &&
         !*session.job->no_failures_in && !replays_states(&search.history.choices);
}

static bool has_happened(uint32_t step) {
  return trace_cut_has_happened(search.history.trace.steps.data[step].event);
}

/* When memoisation, merging and joining begin; tests have them begin sooner, and more often. */
static void set_comparisons(const struct job *j) {
  search.walk.recall.after = (uint64_t)j->recall_after;
  search.merge.landmarks.far = j->recall_after ? 0 : 1;
  search.merge.everywhere = j->states;
  traces.join.allowed = search.share && !j->isolate && !search.analyses &&
                        !session.access.note_flushes && !search.history.choices.replaying;
  traces.join.after = j->join_after;
  traces.ahead.allowed =
      search.share && !j->isolate && !search.analyses && !search.history.choices.replaying;
}

static void tell_learnt(struct str *out) {
  trace_join_tell(out);
  spin_tell(out);
}

static void hear_learnt(const char *text) {
  spin_hear(trace_join_hear(text));
}

static bool has_units(void) {
  return search.strategy.kind == STRATEGY_BOUNDED || search.strategy.kind == STRATEGY_ALL;
}

static void explore_units(void) {
  traces.on = follows_traces();
  units_begin(&traces.dpor, &search.sharing, EXECUTION_STEPS, count, &search.executions,
              &search.more);
  if (search.strategy.kind == STRATEGY_BOUNDED)
    units_set_form(&search_form);
  units_learn(tell_learnt, hear_learnt);
  units_cling(trace_join_spares, trace_join_is_settled);
  ranges_limit(search_remembered_bytes);
  search.next_unit = units_next;
  search.unit_covers = units_cover;
  search.unit_is_left = units_is_left;
  search.unit_goes_on = units_go_on;
  search.unit_ends = units_end;
  search.reload_unit = units_reload;
  search_run();
}

void session_explore_pm(void) {
  const struct job *j = session.job;
  search.history.memory = &search.memory;
  search.history.complete = trace_cut_describe;
  search.history.happened = trace_cut_has_happened;
  search.analyses = session_start_analyses(&search.history);
  session.analyses.load = search_load;
  session.analyses.happened = has_happened;
  search.failures_max = (int)j->failures;
  search.share = !j->no_share;
  search.count_eager = j->count_eager;
  search.strategy.seed = (uint64_t)j->seed;
  search.runs = (uint64_t)j->runs;
  session.status->schedules_wanted = strategy_samples(&search.strategy) ? search.runs : 0;
  search.observed = &session.status->observed;
  search.execute = execute;
  search.started = started;
  search.finished = finished;
  search.is_news = verdict_is_unseen;
  search.glimpsed = glimpsed;
  search.scout.every = (uint32_t)j->scout;
  search.scout.after = 0.5;
  search.scout.share = j->first ? 2 : search.strategy.kind == STRATEGY_ALL ? 16 : 4;
  search.ending = ending;
  search.interrupted = interrupted;
  search.repeated = repeated;
  search.known = known;
  search.stopped = stopped;
  verdict_look_at(j->recall_after ? PREVENTION_EXECUTIONS_MAX : 1);
  search.memory_max = session.memory_max;
  search.recall = j->recall_after >= 0 && !j->one_by_one;
  search.merge.allowed = search.recall && !j->isolate &&
                         !(session.access.note_flushes && follows_traces()); /* not in states */
  search.counts = search.failures_max > 1 || session.access.note_flushes;
  set_comparisons(j);
  search.eager = count_eager;
  if (j->repeat)
    return repeat();
  if (j->ranges && has_units())
    return explore_units();
  if (j->ranges) {
    ranges_begin(&search.history.choices, count, &search.executions, &search.more);
    ranges_limit(search_remembered_bytes);
    search.next_range = ranges_next;
    search_run();
    return;
  }
  traces.on = follows_traces();
  traces.orders = session.access.note_flushes;
  search_run();
  if (search.history.choices.diverged && !session.results.error)
    session.results.error =
        mem_strdup("the replay token does not fit this program (was it built anew?)");
  count(&session.results);
  bool sampled = search.strategy.kind != STRATEGY_FIXED && search.strategy.kind != STRATEGY_ALL;
  session_report_flushes(&search.history, sampled);
}
