/* The session's side of the search over schedules of ordinary programs (sc and tso). */
#include "access/ordinary.h"
#include "access/outcome.h"
#include "access/turn.h"
#include "access/unroll.h"
#include "access/waiting.h"
#include "base/check.h"
#include "base/hash.h"
#include "finding/analysis_kind.h"
#include "process/image.h"
#include "process/object.h"
#include "process/share.h"
#include "process/watchdog.h"
#include "search/interleavings.h"
#include "search/waypoints.h"
#include "session/concurrency.h"
#include "session/deadlock.h"
#include "session/ranges.h"
#include "session/session_internal.h"
#include "session/units.h"
#include "session/verdict.h"
#include <string.h>

#define EXECUTION_STEPS 1000

static bool store_buffers; /* wanted */
static struct bigint no_more;
static VEC(uint32_t) also; /* verdicts: threads that failed when another one had */

static void start_program(void *unused) {
  (void)unused;
  session_start(&session.program[0]);
}

struct failure {
  struct stop stop;
  int thread;
};

/* The execution exceeded a limit: it is not known whether it would have ended. */
static void note_long(const struct stop *why) {
  const struct abi_site *site = why->site;
  struct str text = {0};
  str_append(&text, "an execution was cut off");
  if (site && *site->file)
    str_format(&text, " at %s:%u in %s", site->file, site->line, site->function);
  str_format(&text,
             ": %s; if it is only long, raise --max-steps, otherwise a loop there has no end",
             why->message);
  session_incomplete(str_text(&text));
  str_free(&text);
}

static void note_full(const struct stop *why) {
  const struct abi_site *site = why->site;
  struct str text = {0};
  str_append(&text, "--memory was reached in an execution");
  if (site && *site->file)
    str_format(&text, " at %s:%u in %s", site->file, site->line, site->function);
  str_format(&text, ", %s: what could follow is not covered", why->message);
  session_incomplete(str_text(&text));
  str_free(&text);
}

/* As far as it goes; where the program pauses, it is kept for others that begin alike. */
static void run_program(struct stop *why) {
  for (thread_run(why); why->kind == STOP_NONE; thread_run(why))
    waypoints_take();
}

static uint32_t run_here(void) {
  if (interleavings.resumes) {
    waypoints_restore();
    session_resume();
  } else {
    session_reset(true);
  }
  session.access.steps_max =
      session.job->max_steps ? (uint64_t)session.job->max_steps : SESSION_STEPS_DEFAULT * 100;
  session.access.may_be_long = !session.job->max_steps;
  session.access.turns_max =
      session.job->max_steps ? session.access.steps_max : (uint64_t)session.job->turns;
  static event_list events; /* stay empty: nothing is recorded */
  static event_frames_list frames;
  access_begin(&session.access, &events, &frames);
  if (interleavings.resumes)
    waypoints_restore_counts();
  else
    thread_create_main(0, start_program, NULL);
  watchdog_begin();
  struct stop why = {0}, later;
  run_program(&why);
  waypoints_end();
  session.results.steps += access_steps();
  units_add_steps(access_steps());
  uint64_t threads = (uint64_t)thread_count();
  if (interleavings.strategy.kind == STRATEGY_FIXED && session.results.threads < threads)
    session.results.threads = threads;
  session.results.stores |= threads > 1; /* otherwise there was nothing to check */
  session_note_stop(&why);
  if (why.kind == STOP_HANG && !waiting_was_hopeless(thread_current()))
    session_incomplete("an execution was cut off (hang): what could follow is not covered");
  if (why.kind == STOP_LONG && !ordinary.broken)
    note_long(&why);
  if (why.kind == STOP_FULL && !ordinary.broken)
    note_full(&why);
  int thread = why.kind == STOP_DEADLOCK ? deadlock_locate(&why) : thread_current()->id;
  char *outcome = outcome_text() ? mem_strdup(outcome_text()) : NULL;
  static VEC(struct failure) failures; /* after the first */
  failures.length = 0;
  /* The others go on as if a thread that failed had stopped there, so that what they do is seen. */
  for (later = why; stop_is_of_one_thread(&later) && thread_live() > 1;) {
    thread_abandon(thread_current());
    thread_run(&later);
    if (stop_is_of_one_thread(&later))
      vec_push(&failures, ((struct failure){later, thread_current()->id}));
  }
  concurrency_note_leaks();
  if (unroll.cut)
    session_incomplete("loops were cut off (--unroll): what could follow is not covered");
  if (later.kind == STOP_KNOWN)
    CHECK(interleavings.blocked || interleavings.early,
          "an execution was given up without a reason");
  /* Of an execution that does not count nothing is kept, not even its place. */
  bool counts = !ordinary.broken && !interleavings.blocked && !interleavings.early;
  uint32_t verdict = counts ? verdict_of(&why, outcome, thread, 0) : 0;
  also.length = 0;
  for (size_t i = 0; counts && i < failures.length; i++)
    vec_push(&also, verdict_of(&failures.data[i].stop, NULL, failures.data[i].thread, 0));
  if (outcome)
    mem_free(outcome, strlen(outcome) + 1);
  return verdict;
}

static uint32_t execute(void) {
  session.status->running_program = true;
  uint32_t verdict = session.job->isolate ? session_run_in_child(run_here) : run_here();
  session.status->running_program = false;
  session.status->program_runs = interleavings.program_runs + 1;
  return verdict;
}

static void count(uint32_t verdict) {
  static VEC(uint32_t) verdicts;
  bool described = false;
  verdicts.length = 0;
  vec_push(&verdicts, verdict);
  for (size_t i = 0; i < also.length; i++)
    vec_push(&verdicts, also.data[i]);
  for (size_t i = 0; i < verdicts.length && !described; i++)
    if ((described = verdict_is_new(verdicts.data[i])))
      interleavings_describe();
  verdict_count_all(&interleavings.history, verdicts.data, verdicts.length);
}

static void glimpse(uint32_t verdict) {
  if (!verdict_is_unseen(verdict))
    return;
  interleavings_describe();
  verdict_glimpse(&interleavings.history, verdict);
}

static void glimpsed(uint32_t verdict) {
  glimpse(verdict);
  for (size_t i = 0; i < also.length; i++)
    glimpse(also.data[i]);
  session.status->findings = verdict_findings();
}

static void analyse(void) {
  if (!concurrency_check(!ordinary.tso && !session.job->no_data_races, store_buffers))
    session_incomplete("there are too many threads at once for store-buffers");
}

static void note_length(uint64_t steps) {
  struct results *r = &session.results;
  r->longest = steps > r->longest ? steps : r->longest;
  r->shortest = !r->shortest || steps < r->shortest ? steps : r->shortest;
}

static uint64_t estimate(void) {
  return interleavings.estimate < (double)JOB_COUNTLESS ? (uint64_t)interleavings.estimate
                                                        : JOB_COUNTLESS;
}

static void finished(uint32_t verdict) {
  note_length(interleavings_events());
  count(verdict);
  analyse();
  session.status->schedules = interleavings.schedules;
  session_tell_executions(interleavings.executions, &no_more);
  session.status->schedules_estimate = estimate();
  session.status->findings = verdict_findings();
}

static void note_timeouts(void) {
  struct str text = {0};
  if (!ordinary.timeouts_limited)
    return;
  str_format(&text,
             "while others could go on, waits with a deadline timed out at most %u time%s in a "
             "thread at one "
             "place (--timeouts)",
             ordinary.timeouts, ordinary.timeouts == 1 ? "" : "s");
  vec_push(&session.results.notes, mem_strdup(str_text(&text)));
  str_free(&text);
}

static void note_tries(void) {
  if (ordinary.tries_limited)
    vec_push(
        &session.results.notes,
        mem_strdup("a thread that had tried for a lock in vain, and tried again in the same state, "
                   "waited for it: what others see if it steps back again was not explored"));
}

static void note_relief(void) {
  struct str text = {0};
  if (!interleavings.relieved)
    return;
  str_format(&text,
             "a thread that went on for %d steps while others could had to wait for them: that was "
             "not counted as a preemption",
             INTERLEAVINGS_PATIENCE);
  vec_push(&session.results.notes, mem_strdup(str_text(&text)));
  str_free(&text);
}

static void count_all(struct results *r) {
  note_timeouts();
  note_tries();
  note_relief();
  r->executions = interleavings.executions;
  r->program_runs = interleavings.program_runs;
  r->schedules = interleavings.schedules;
  r->every_schedule = interleavings.every_class;
  r->estimate = estimate();
}

static void started(void) {
  verdict_reset();
  verdict_keep(); /* whatever an earlier search saw is an execution of the program */
}

static bool full(void) {
  return session_too_much(mem_used_bytes());
}

/* Parts are stopped between executions (session/units.h), except before there are any. */
static bool stopped(void) {
  bool undivided = !session.job->ranges || interleavings.classes;
  if (undivided && full()) {
    session_incomplete(JOB_MEMORY_REACHED);
    return true;
  }
  bool asked = session.job->ranges && interleavings.classes &&
               (session.status->stop_requested || ranges_has_enough());
  return asked || session_must_stop(interleavings.executions);
}

/* ---- the fewest fences ---- */

#define PASSES_MAX 16

static bool others_chosen; /* in this pass */

static void nothing(void) {}

static void consider_fences(void) {
  others_chosen |= concurrency_consider_fences();
}

static void consider_finished(uint32_t verdict) {
  (void)verdict;
  consider_fences();
}

static bool interrupted(void) {
  return session.results.error || session.status->stop_requested;
}

/* Repeat the search until no execution needs other fences than the chosen ones; nothing else is taken from its
 * results. */
static void find_fences(void) {
  struct interleavings *s = &interleavings;
  s->started = nothing;
  s->finished = consider_finished;
  s->given_up = consider_fences;
  s->glimpsed = NULL;
  s->stopped = interrupted;
  others_chosen = true;
  for (int pass = 0; pass < PASSES_MAX && others_chosen && !interrupted(); pass++) {
    others_chosen = false;
    interleavings_run();
  }
  if (!others_chosen && !interrupted() && concurrency_wants_fences())
    concurrency_tell_fences(&session.results);
}

/* Is a library of the compiler's OpenMP loaded?  Its threads wait for each other in code that is not instrumented. */
static void look_for_openmp(void *found, const struct object *o) {
  static const char *const names[] = {"libomp.so", "libiomp5.so", "libgomp.so"};
  const char *path = "";
  uintptr_t offset;
  if (!image_resolve(o->code_low, &path, &offset))
    return;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      *(const char **)found = names[i];
}

static bool refuses_program(void) {
  const char *library = NULL;
  object_each(look_for_openmp, &library);
  if (!library)
    return false;
  struct str text = {0};
  str_format(
      &text,
      "the program uses OpenMP, whose runtime library (%s) is not built with tidemark-cc: its "
      "threads cannot be scheduled; link with tidemark-cc -fopenmp, which has a runtime library of "
      "its "
      "own",
      library);
  session.results.error = mem_strdup(str_text(&text));
  str_free(&text);
  return true;
}

void session_prepare_ordinary(void) {
  share_register(&also, sizeof also);
  share_register(&unroll, sizeof unroll);
  ordinary_init(strcmp(session.job->model, "tso") == 0);
  turn_init();
}

/* For units_learn: whether only beginnings are planned (dpor.beginnings). */
static void tell_beginnings(struct str *out) {
  if (interleavings.dpor.beginnings)
    str_append_char(out, 'b');
}

static void hear_beginnings(const char *text) {
  interleavings.dpor.beginnings = *text == 'b';
}

void session_explore_ordinary(void) {
  struct interleavings *s = &interleavings;
  unsigned kinds;
  const char *unknown;
  CHECK(analysis_kinds_parse(session.job->analyses, &kinds, &unknown), "analyses '%s'",
        session.job->analyses);
  store_buffers = kinds & ANALYSIS_STORE_BUFFERS;
  ordinary.symmetry = ordinary.sharing.alike = session.job->symmetry;
  unroll.most = (uint32_t)session.job->unroll;
  ordinary.data_races = !ordinary.tso && !session.job->no_data_races;
  ordinary.each_look = session.job->each_look;
  ordinary.early_looks = store_buffers || session.job->fences;
  ordinary.each_order = ordinary.early_looks || session.job->each_order;
  ordinary.unasked = (uint32_t)session.job->spurious;
  ordinary.reuse = session.job->reuse;
  ordinary.timeouts = (uint32_t)session.job->timeouts;
  s->dpor.planned_whole = (size_t)session.job->plan_whole;
  s->strategy.seed = (uint64_t)session.job->seed;
  s->runs = (uint64_t)session.job->runs;
  s->all_first = (uint64_t)session.job->all_first;
  s->execute = execute;
  s->started = started;
  s->finished = finished;
  s->given_up = analyse;
  s->glimpsed = glimpsed;
  s->stopped = stopped;
  s->full = full;
  bool whole = session.job->isolate || session.job->replay || session.job->output;
  waypoints_enable(whole ? 0 : (uint64_t)session.job->waypoint_steps);
  if (refuses_program())
    return;
  if (session.job->fences && !session.job->replay) {
    find_fences();
    return;
  }
  session.status->schedules_wanted = strategy_samples(&s->strategy) ? s->runs : 0;
  if (session.job->ranges) {
    units_begin(&s->dpor, &ordinary.sharing, EXECUTION_STEPS, count_all, &s->executions, &no_more);
    units_learn(tell_beginnings, hear_beginnings);
    ranges_limit(mem_used_bytes);
    if (s->strategy.kind != STRATEGY_ALL)
      units_set_form(&interleavings_form);
    s->next_unit = units_next;
    s->unit_goes_on = units_go_on;
    s->unit_ends = units_end;
    interleavings_run();
    return;
  }
  interleavings_run();
  if (s->history.choices.diverged && !session.results.error)
    session.results.error =
        mem_strdup("the replay token does not fit this program (was it built anew?)");
  count_all(&session.results);
  session.results.estimate = session.results.complete ? s->executions : estimate();
}
