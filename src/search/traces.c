#include "search/traces.h"
#include "access/access.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "base/check.h"
#include "base/hash.h"
#include "process/share.h"
#include "process/virtual_clock.h"
#include "search/search_internal.h"
#include "search/trace_ahead.h"
#include "search/trace_clock.h"
#include "search/trace_cut.h"
#include "search/trace_join.h"
#include "thread/thread.h"

struct traces traces;

#define LEVEL TRACES_LEVEL

static bool replays(void) {
  return search.history.choices.replaying;
}

/* ---- while the program runs ---- */

bool traces_follow(int level) {
  return traces.on && (level == LEVEL || level == search.failures_max);
}

/* In tokens, a turn of nobody: the execution was not run any further there (search/trace_join.h). */
#define NOBODY_GOES_ON (2u * THREADS_EVER_MAX)

/* On a fiber the run is stopped; does not return then. */
static uint32_t give_up(bool *why, const char *text) {
  *why = true;
  if (!fiber_current()) /* a thread has failed, and the others would go on */
    return DOOR_NOTHING;
  stop_with(STOP_KNOWN, NULL, "%s", text);
}

static uint32_t pick_replayed(const struct operation *options, uint32_t count) {
  struct choices *c = &search.history.choices;
  size_t at = traces.begins.length;
  if (at >= c->forced.length || c->forced.data[at].kind != CHOICE_TURN)
    return 0;
  if (c->forced.data[at].taken == NOBODY_GOES_ON) {
    traces.stopped = true;
    return give_up(&traces.early, "the others are of no interest any more");
  }
  uint32_t i = dpor_option_of(options, count, c->forced.data[at].taken);
  c->diverged |= i == DPOR_NOBODY;
  return i == DPOR_NOBODY ? 0 : i;
}

/* The options of threads that are not frozen: they go to `left`, their indices to `which`.  Returns how many. */
static uint32_t without_frozen(const struct operation *options, uint32_t count,
                               struct operation *left, uint32_t *which) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!(traces.join.frozen >> options[i].thread & 1)) {
      which[n] = i;
      left[n++] = options[i];
    }
  return n;
}

/* One thread is run alone from a joined state (explore_alone): the others do not go on. */
static uint32_t pick_alone(const struct operation *options, uint32_t count) {
  static struct operation left[2 * THREADS_MAX];
  static uint32_t which[2 * THREADS_MAX];
  bool missing;
  uint32_t n = without_frozen(options, count, left, which);
  uint32_t i = n ? dpor_pick(&traces.dpor, left, n, &missing) : DPOR_NOBODY;
  if (i != DPOR_NOBODY)
    return which[i];
  traces.stopped = true;
  return give_up(&traces.early, "the others are of no interest any more");
}

static uint32_t pick(const struct operation *options, uint32_t count) {
  if (count == 0)
    return give_up(&traces.early, "a thread looks again later");
  if (replays())
    return pick_replayed(options, count);
  if (search.scout.on)
    return trace_ahead_pick(options, count);
  if (traces.join.frozen && traces.dpor.at >= traces.dpor.events.length)
    return pick_alone(options, count);
  if (trace_join_here(options, count)) {
    traces.stopped = true;
    return give_up(&traces.early, "an earlier execution was in the same state");
  }
  bool missing;
  uint32_t i = dpor_pick(&traces.dpor, options, count, &missing);
  if (i != DPOR_NOBODY)
    return i;
  if (missing)
    schedule.unfit = TRACES_UNREPEATED;
  else if (dpor_is_barred(&traces.dpor))
    schedule_tell_who_waits();
  return give_up(&traces.blocked, "every way to go on was tried in another order");
}

static bool repeats(uint32_t *thread, bool *drain) {
  const struct dpor *d = &traces.dpor;
  if (replays() || d->at >= d->events.length)
    return false;
  *thread = d->events.data[d->at].process / 2;
  *drain = d->events.data[d->at].process % 2;
  return true;
}

static void waits(const struct operation *o) {
  if (!replays() && o->lock == OPERATION_LOCK_ACQUIRE)
    dpor_waits(&traces.dpor, o);
}

void traces_run_begins(void) {
  traces.operations = 0;
  traces.also.length = traces.waiting.length = 0;
  dpor_preview_begin(&traces.last, &traces.preview);
  dpor_rewind(&traces.run, 0);
}

uint32_t traces_happens(const struct operation *o) {
  bool same;
  if (traces.operations == 0)
    traces.clock = clock_state();
  if (traces.orders && search.level != LEVEL)
    dpor_note(&traces.run, o, o->after, &same);
  return ++traces.operations;
}

bool traces_ordered(uint32_t earlier, uint32_t later) {
  const struct dpor *d = search.level == LEVEL ? &traces.dpor : &traces.run;
  return !earlier || (later && dpor_before(d, earlier - 1, later - 1));
}

/* What a wakeup tree has next may be impossible because a load was answered differently: skip it. */
uint32_t traces_pick_last(const struct operation *options, uint32_t count, bool planned) {
  struct dpor *d = &traces.last;
  bool missing;
  uint32_t i = dpor_pick(d, options, count, &missing);
  while (missing) {
    dpor_skip(d);
    if (planned && !d->plan)
      return DPOR_NOBODY;
    i = dpor_pick(d, options, count, &missing);
  }
  if (i == DPOR_NOBODY)
    dpor_end(d, false);
  return i;
}

static uint32_t happens(const struct operation *o) {
  struct traces *t = &traces;
  bool same;
  traces_happens(o);
  t->hash = hash_u64(t->hash, 1 + dpor_process(o)); /* 0 would stay 0 */
  vec_push(&t->begins, (uint32_t)search.history.events.length);
  bool new = t->dpor.at == t->dpor.events.length;
  uint32_t position = dpor_note(&t->dpor, o, o->after, &same);
  if (!same)
    schedule.unfit = TRACES_UNREPEATED;
  if (new && !search.scout.on) /* a sample does not come after the states that are open */
    joins_note(&t->join.joins, o);
  return position + 1;
}

static enum door_fate fail(const struct door_failure *f) {
  (void)f;
  return DOOR_GOES_ON;
}

static void note(const struct operation *o) {
  (void)o;
}

static uint64_t where(void) {
  return traces.hash;
}

static void checksum_begin(void) {}

static void checksum_end(bool valid) {
  (void)valid;
}

static const struct door traces_door = {.fail = fail,
                                        .pick = pick,
                                        .repeats = repeats,
                                        .note = note,
                                        .waits = waits,
                                        .happens = happens,
                                        .ordered = traces_ordered,
                                        .where = where,
                                        .checksum_begin = checksum_begin,
                                        .checksum_end = checksum_end};

void traces_also(uint32_t result) {
  vec_push(&traces.also, result);
}

void traces_run_ends(bool given_up) {
  if (!given_up && !schedule.unfit)
    schedule_drain_rest();
  if (traces.operations && traces.clock != clock_state())
    schedule.unfit = "it waits for time to pass, or takes random numbers";
}

void traces_share(void) {
  share_register(&traces, sizeof traces);
  trace_clock_share();
}

/* ---- after an execution ---- */

static bool wants_failure(void) {
  const struct choices *c = &search.history.choices;
  size_t at = c->stack.length;
  return !replays() || (at < c->forced.length && c->forced.data[at].kind == CHOICE_CUT);
}

static void count(uint32_t result) {
  struct search *s = &search;
  if (s->scout.on) {
    s->glimpsed(result);
    return;
  }
  bool complete = choice_complete(&s->history.choices);
  s->executions += complete;
  s->schedules += complete;
  search_finish(result, traces.also.data, (uint32_t)traces.also.length);
}

void traces_cover(uint32_t result) {
  struct search *s = &search;
  struct traces *t = &traces;
  for (size_t i = 0; i < t->dpor.events.length; i++) {
    const struct dpor_event *e = &t->dpor.events.data[i];
    choice_open_at(&s->history.choices, CHOICE_TURN, UINT32_MAX, e->process);
    vec_push(&s->history.steps, ((struct history_step){.execution = LEVEL, .operation = e->op}));
  }
  if (t->stopped)
    choice_open_at(&s->history.choices, CHOICE_TURN, UINT32_MAX, NOBODY_GOES_ON);
  if (!t->early)
    count(result);
  if (s->failures_max > LEVEL && !search_over() && wants_failure())
    trace_cut_search();
  CHECK(s->history.failures.length == 0 && s->memory.open == 0 && s->memory.failed == 0,
        "a failure is left: %zu, open %x, failed %x", s->history.failures.length, s->memory.open,
        s->memory.failed);
  s->history.steps.length = 0;
  s->history.choices.stack.length = 0;
}

/* ---- executions ---- */

/* The events of the execution before can go if those of executions after a failure, which stay, do
 * not lie among them. */
static void forget_events(void) {
  struct search *s = &search;
  struct traces *t = &traces;
  if (t->runs_base == s->runs_after_failure && t->events_base <= s->history.events.length) {
    s->history.events.length = t->events_base;
    s->history.frames.length = t->frames_base;
  }
  t->events_base = s->history.events.length;
  t->frames_base = s->history.frames.length;
  t->runs_base = s->runs_after_failure;
}

/* The choices name the execution before it runs, for the case that the program kills its process. */
static void tell_choices(void) {
  struct choices *c = &search.history.choices;
  dpor_decided(&traces.dpor, &traces.decided);
  c->stack.length = 0;
  for (size_t i = 0; i < traces.decided.length; i++)
    vec_push(&c->stack, ((struct choice){.kind = CHOICE_TURN, .taken = traces.decided.data[i]}));
}

uint32_t traces_run_once(void) {
  struct search *s = &search;
  struct traces *t = &traces;
  forget_events();
  t->blocked = t->early = t->stopped = false;
  trace_join_run_begins();
  t->hash = 0;
  t->begins.length = 0;
  traces_run_begins();
  t->events_begin = (uint32_t)s->history.events.length;
  s->level = s->generation = LEVEL;
  s->record.path.length = s->record.cursor = 0;
  s->resume = NULL;
  spin_begin();
  dpor_begin(&t->dpor);
  access_set_recording(s->failures_max > LEVEL);
  door = &traces_door;
  schedule_set_traces(true);
  trace_clock_begin(&t->dpor);
  if (!replays())
    tell_choices();
  uint32_t result = s->execute(LEVEL);
  trace_clock_end();
  schedule_set_traces(false);
  CHECK(t->begins.length == t->dpor.at || schedule.unfit || search_over(),
        "%zu operations have begun, %zu are known", t->begins.length, (size_t)t->dpor.at);
  s->history.choices.stack.length = 0;
  s->program_runs++;
  t->events_end = (uint32_t)s->history.events.length;
  return result;
}

static bool is_left(void) {
  return search.unit_is_left && search.unit_is_left();
}

static void find_parting(void) {
  traces.parting.length = 0;
  if (!replays())
    dpor_out_of_turn(&traces.dpor, &traces.parting);
}

static uint32_t run_here(void) {
  joins_run_begins(&traces.join.joins);
  return traces_run_once();
}

/* Has the run to be made again, knowing that a loop ends?  Otherwise what it has come to counts. */
static bool is_given_up(void) {
  bool again = spin_ended() && !schedule.unfit && !search_over();
  joins_run_ends(&traces.join.joins, again);
  return again;
}

/* The execution was joined: run that thread alone from the state on, and search the failures of that. */
static void explore_alone(int thread) {
  struct traces *t = &traces;
  struct dpor_mark mark = {.events = t->dpor.events.length, .sleepers = t->dpor.sleepers.length};
  t->join.frozen = ~((uint64_t)1 << thread | t->join.joining);
  uint32_t result = run_here();
  while (is_given_up()) {
    dpor_back(&t->dpor, &mark);
    result = run_here();
  }
  t->join.frozen = 0;
  t->early = true; /* it says nothing, and does not count */
  if (!t->covered && !schedule.unfit && !search_over()) {
    find_parting();
    traces_cover(result);
  }
  dpor_back(&t->dpor, &mark);
}

/* The execution was joined: what follows its state was explored; plan what is left to try, and search failures before.
 * Threads are run alone even if the failures are left to others: what they do counts as something that came after the
 * states on the way. */
static void cover_joined(uint32_t result) {
  struct traces *t = &traces;
  uint64_t alone = t->join.alone;
  trace_join_foresee();
  if (!search.failures_max)
    return;
  if (!alone && !t->covered)
    traces_cover(result);
  for (; alone && !schedule.unfit && !search_over(); alone &= alone - 1)
    explore_alone(__builtin_ctzl(alone));
}

static void explore_execution(void) {
  struct traces *t = &traces;
  size_t kept = t->dpor.events.length;
  joins_retreat(&t->join.joins, kept);
  uint32_t result = run_here();
  while (is_given_up()) {
    if (t->given)
      search.reload_unit();
    else
      dpor_rewind(&t->dpor, kept);
    result = run_here();
  }
  if (schedule.unfit || search_over())
    return;
  find_parting();
  if (search.unit_covers && !t->ahead.again)
    search.unit_covers(t->hash);
  if (t->join.joined)
    cover_joined(result);
  else if (!t->blocked && !t->covered)
    traces_cover(result);
  if (!is_left() && !t->ahead.due)
    dpor_end(&t->dpor, !t->blocked);
}

static void begin(void) {
  struct traces *t = &traces;
  dpor_free(&t->dpor);
  dpor_free(&t->last);
  dpor_free(&t->run);
  t->dpor.pm = t->last.pm = t->run.pm = true;
  t->events_base = t->frames_base = 0;
  t->runs_base = UINT32_MAX;
  trace_join_begin();
  trace_ahead_begin();
  schedule.unfit = NULL;
}

/* The walk that follows the first execution was left for a look ahead: so far that is all there is, so go back to the
 * beginning. */
static void begin_again(void) {
  struct search *s = &search;
  uint64_t schedules = traces.ahead.schedules, failure_points = traces.ahead.failure_points;
  search_count_again();
  s->schedules = schedules;
  s->failure_points = failure_points;
  begin();
  if (traces.given)
    s->reload_unit();
  traces.ahead.again = true;
}

static void explore_next(void) {
  struct traces *t = &traces;
  explore_execution();
  trace_ahead_look();
  while (t->ahead.due && !schedule.unfit && !search_over()) {
    begin_again();
    explore_execution();
    trace_ahead_look();
  }
  t->ahead.first = t->ahead.due = t->ahead.again = false;
}

/* Can the search not be done in parts?  Where it is explored state by state, or has to start again, what it relies on
 * would depend on who came first. */
static bool is_undivided(bool whole) {
  return !traces.on || schedule.unfit || (!whole && search.restart);
}

/* Whoever explores all of them may start again by himself. */
static void explore_unit(const struct unit *u) {
  struct search *s = &search;
  struct traces *t = &traces;
  bool more = true, goes_on = true, stopped = false, undivided = is_undivided(u->whole);
  trace_join_begin();
  trace_ahead_begin();
  t->given = true;
  t->covered = u->covered;
  while (more && goes_on && !undivided) {
    explore_next();
    t->given = t->covered = false;
    undivided = is_undivided(u->whole && !is_left());
    stopped = s->stopped(s);
    more = !undivided && !stopped && !is_left() && (s->restart || dpor_next(&t->dpor));
    if (s->restart && more) {
      search_begin_again();
      begin();
      s->reload_unit();
      t->given = true;
    } else if (more) {
      goes_on = s->unit_goes_on();
      joins_leave(&t->join.joins, t->dpor.root);
    }
  }
  if (!more || undivided)
    s->unit_ends(undivided ? UNIT_UNDIVIDED : stopped ? UNIT_PARTIAL : UNIT_DONE);
}

void traces_explore_units(void) {
  struct unit u;
  search_begin_again();
  begin();
  while (search.next_unit(&u))
    explore_unit(&u);
}

void traces_explore(void) {
  struct traces *t = &traces;
  begin();
  do {
    explore_next();
  } while (!schedule.unfit && !search_over() && !replays() && dpor_next(&t->dpor));
  if (!schedule.unfit)
    return;
  t->on = false;
  search.restart = true;
  struct str text = {0};
  str_format(&text,
             "schedules are explored state by state, which takes longer, because of what the "
             "program does: %s",
             schedule.unfit);
  stop_remark(str_text(&text));
  str_free(&text);
  schedule.unfit = NULL;
}
