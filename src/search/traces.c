#include "search/traces.h"
#include "access/access.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "base/check.h"
#include "base/hash.h"
#include "process/share.h"
#include "process/virtual_clock.h"
#include "search/search_internal.h"
#include "search/trace_clock.h"
#include "search/trace_join.h"
#include "thread/thread.h"

struct traces traces;

#define LEVEL 0 /* of the executions that are explored here */

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
  if (new)
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

/* ---- moments ---- */

/* Number n, from 1, of the operations of that process. */
static uint32_t operation_of(uint32_t process, uint32_t n) {
  CHECK(n > 0 && traces.firsts.data[process] + n <= traces.firsts.data[process + 1],
        "operation %u of process %u", n, process);
  return traces.numbers.data[traces.firsts.data[process] + n - 1];
}

static void sort_operations(void) {
  struct traces *t = &traces;
  const struct dpor *d = &t->dpor;
  uint32_t width = t->moments.width;
  t->firsts.length = t->ticks.length = 0;
  for (uint32_t p = 0; p <= width; p++) {
    vec_push(&t->firsts, 0);
    vec_push(&t->ticks, 0);
  }
  for (size_t i = 0; i < d->events.length; i++)
    t->firsts.data[d->events.data[i].process + 1]++;
  for (uint32_t p = 0; p < width; p++)
    t->firsts.data[p + 1] += t->firsts.data[p];
  vec_reserve(&t->numbers, d->events.length + 1);
  t->numbers.length = d->events.length;
  CHECK(t->firsts.data[width] == d->events.length, "%u of %zu operations are of some process",
        t->firsts.data[width], d->events.length);
  for (uint32_t i = 0; i < d->events.length; i++) {
    const struct dpor_event *e = &d->events.data[i];
    t->numbers.data[t->firsts.data[e->process] + e->number - 1] = i;
  }
}

/* How many moments of each process come before what the operation does; a row of the pool. */
static uint32_t times_of(uint32_t operation) {
  struct traces *t = &traces;
  uint32_t row = (uint32_t)t->moments.pool.length;
  for (uint32_t p = 0; p < t->moments.width; p++) {
    uint32_t n = dpor_clock(&t->dpor, operation, p);
    uint32_t last = n ? operation_of(p, n) : operation;
    uint32_t time = n && last != operation ? t->reached.data[last] : 0;
    vec_push(&t->moments.pool, p == 0 && time < t->before ? t->before : time);
  }
  return row;
}

/* One more moment of the process, which is a part of the operation whose row that is. */
static uint32_t add_moment(uint32_t process, uint32_t row) {
  struct traces *t = &traces;
  vec_push(&t->moments.all,
           ((struct moment){.process = process, .tick = ++t->ticks.data[process], .times = row}));
  return (uint32_t)t->moments.all.length - 1;
}

/* Does the event have a moment of its own? */
static bool is_moment(const struct event *e) {
  bool stores = e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE;
  return e->kind == EVENT_PERSIST || (stores && !e->joined);
}

static void apply_effect(uint32_t event, uint32_t process, uint32_t row) {
  struct search *s = &search;
  const struct event *e = &s->history.events.data[event];
  if (e->kind != EVENT_PERSIST && e->kind != EVENT_FAILURE_POINT)
    search_note_step(LEVEL, event);
  if (e->kind == EVENT_PERSIST) {
    struct line *l = &space_line(e->address)->line;
    CHECK(e->detail <= l->latest[LEVEL], "all but %u of %u stores of a line are persistent",
          e->detail, l->latest[LEVEL]);
    memory_write_back(&s->memory, l, LEVEL, l->latest[LEVEL] - e->detail, add_moment(process, row));
  } else if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE) {
    uint32_t moment =
        e->joined ? (uint32_t)traces.moments.all.length - 1 : add_moment(process, row);
    search_apply_store(LEVEL, e, event, moment);
  } else if (e->kind == EVENT_FAILURE_POINT) {
    s->progress.failure_points++;
  }
}

/* Tell memory what the execution did, and when. */
static void apply(void) {
  struct traces *t = &traces;
  const struct dpor *d = &t->dpor;
  t->moments.width = d->width ? d->width : 1;
  t->moments.all.length = t->moments.pool.length = t->reached.length = 0;
  for (uint32_t p = 0; p < t->moments.width; p++) /* the row of what came before all others */
    vec_push(&t->moments.pool, 0);
  sort_operations();
  uint32_t at = t->events_begin, count = (uint32_t)d->events.length;
  CHECK(t->begins.length == count, "%zu of %u operations have begun", t->begins.length, count);
  uint32_t end = count ? t->begins.data[0] : t->events_end;
  for (; at < end; at++)
    apply_effect(at, 0, 0);
  t->before = t->ticks.data[0];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t process = d->events.data[i].process, row = UINT32_MAX;
    for (end = i + 1 < count ? t->begins.data[i + 1] : t->events_end; at < end; at++) {
      if (row == UINT32_MAX)
        row = times_of(i);
      apply_effect(at, process, row);
    }
    vec_push(&t->reached, t->ticks.data[process]);
  }
}

/* ---- after an execution ---- */

/* Cuts without the events that part this execution from earlier ones were searched with those: require these events.
 * In a replay the token says how far each process had come. */
static void begin_cut(void) {
  struct search *s = &search;
  struct traces *t = &traces;
  for (size_t i = 0; i < t->parting.length; i++) {
    uint32_t operation = t->parting.data[i];
    uint32_t row = times_of(operation);
    memory_require(&s->memory, LEVEL,
                   &(struct cut_step){.thread = t->dpor.events.data[operation].process,
                                      .tick = t->reached.data[operation],
                                      .times = &t->moments.pool.data[row],
                                      .threads = t->moments.width,
                                      .step = TRACE_NONE});
  }
  for (uint32_t p = 0; p < t->moments.width; p++) {
    uint32_t low = cut_low(&s->memory.cuts, LEVEL, p);
    uint32_t wanted = choice_open_at(&s->history.choices, CHOICE_CUT, UINT32_MAX, low);
    memory_require(&s->memory, LEVEL,
                   &(struct cut_step){.thread = p, .tick = wanted, .step = TRACE_NONE});
  }
}

/* Search the executions after a failure at any cut of this one. */
static void cut(void) {
  struct search *s = &search;
  struct traces *t = &traces;
  size_t mark = memory_mark(&s->memory), trace = s->history.trace.steps.length;
  struct analyses_mark analyses;
  s->progress = (struct search_progress){0};
  if (s->analyses)
    analyses = analyses_mark(s->analyses);
  apply();
  s->failure_points += s->progress.failure_points;
  s->memory.open |= 1u << LEVEL;
  s->memory.opened++;
  s->memory.moments[LEVEL] = &t->moments;
  begin_cut();
  search_fail(LEVEL, &(struct history_failure){.machine = -1,
                                               .event = t->events_end,
                                               .before = "the end of the program"});
  for (uint32_t p = 0; p < t->moments.width; p++)
    choice_close(&s->history.choices);
  CHECK(s->memory.open == 1u << LEVEL && s->memory.failed == 0, "open %x, failed %x",
        s->memory.open, s->memory.failed);
  s->memory.open &= ~(1u << LEVEL);
  memory_undo(&s->memory, mark);
  s->history.trace.steps.length = trace;
  if (s->analyses)
    analyses_undo(s->analyses, &analyses);
}

static bool wants_failure(void) {
  const struct choices *c = &search.history.choices;
  size_t at = c->stack.length;
  return !replays() || (at < c->forced.length && c->forced.data[at].kind == CHOICE_CUT);
}

/* Put down how the execution came about, count it, and search failures in it. */
static void cover(uint32_t result) {
  struct search *s = &search;
  struct traces *t = &traces;
  for (size_t i = 0; i < t->dpor.events.length; i++) {
    const struct dpor_event *e = &t->dpor.events.data[i];
    choice_open_at(&s->history.choices, CHOICE_TURN, UINT32_MAX, e->process);
    vec_push(&s->history.steps, ((struct history_step){.execution = LEVEL, .operation = e->op}));
  }
  if (t->stopped)
    choice_open_at(&s->history.choices, CHOICE_TURN, UINT32_MAX, NOBODY_GOES_ON);
  if (!t->early && choice_complete(&s->history.choices)) {
    s->executions++;
    s->schedules++;
  }
  if (!t->early)
    search_finish(result, t->also.data, (uint32_t)t->also.length);
  if (s->failures_max > LEVEL && !search_over() && wants_failure())
    cut();
  s->history.steps.length = 0;
  s->history.choices.stack.length = 0;
}

/* The operation that moment number `tick` of the process, from 1, is a part of. */
static uint32_t operation_at(uint32_t process, uint32_t tick) {
  uint32_t n = 1;
  while (traces.reached.data[operation_of(process, n)] < tick)
    n++;
  return operation_of(process, n);
}

/* The least that must have happened: how many operations of each process.  Fills in traces.happened. */
static void find_least_cut(void) {
  struct traces *t = &traces;
  t->happened.length = 0;
  for (uint32_t p = 0; p < t->moments.width; p++)
    vec_push(&t->happened, 0);
  for (uint32_t p = 0; p < t->moments.width; p++) {
    uint32_t low = cut_low(&search.memory.cuts, LEVEL, p);
    if (low <= (p == 0 ? t->before : 0))
      continue;
    uint32_t newest = operation_at(p, low);
    for (uint32_t q = 0; q < t->moments.width; q++) {
      uint32_t n = dpor_clock(&t->dpor, newest, q);
      if (t->happened.data[q] < n)
        t->happened.data[q] = n;
    }
  }
}

static bool has_happened(uint32_t operation) {
  const struct dpor_event *e = &traces.dpor.events.data[operation];
  return e->number <= traces.happened.data[e->process];
}

/* How many moments of process 0 come before that event.  pre: one from before there was a second thread. */
static uint32_t moments_before(uint32_t event) {
  const event_list *events = &search.history.events;
  uint32_t n = 0;
  for (uint32_t i = traces.events_begin; i < event; i++)
    n += is_moment(&events->data[i]);
  return n;
}

bool traces_has_happened(uint32_t event) {
  const struct traces *t = &traces;
  uint32_t low = 0, high = (uint32_t)t->begins.length;
  if (!(search.memory.open >> LEVEL & 1))
    return true;
  while (low < high) { /* operations that begin at or before it */
    uint32_t middle = (low + high) / 2;
    if (t->begins.data[middle] <= event)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return cut_low(&search.memory.cuts, LEVEL, 0) > moments_before(event);
  find_least_cut();
  return has_happened(low - 1);
}

/* The first operation of the process that has not; NULL: they all have. */
static const struct operation *next_of(uint32_t process, uint32_t *position) {
  const struct traces *t = &traces;
  uint32_t happened = t->happened.data[process];
  if (happened == t->firsts.data[process + 1] - t->firsts.data[process])
    return NULL;
  *position = operation_of(process, happened + 1);
  return &t->dpor.events.data[*position].op;
}

/* Has the thread gone on since it put that entry into its buffer? */
static bool is_overtaken(uint32_t thread, const struct operation *drain) {
  uint32_t happened = traces.happened.data[thread];
  return happened && operation_of(thread, happened) >= drain->after;
}

/* Had it been created? */
static bool has_begun(uint32_t thread) {
  const struct traces *t = &traces;
  if (t->happened.data[thread] || t->firsts.data[thread] == t->firsts.data[thread + 1])
    return true;
  uint32_t after = t->dpor.events.data[operation_of(thread, 1)].after;
  return !after || has_happened(after - 1);
}

/* What a thread was about to do at the failure.  In program order the oldest entry of its buffer comes first, unless it
 * is not there yet. */
static void describe_stand(uint32_t thread, uint32_t buffer) {
  struct history *h = &search.history;
  if (!has_begun(thread))
    return;
  uint32_t step = 0, drain = 0;
  const struct operation *next = next_of(thread, &step), *held = next_of(buffer, &drain);
  bool overtaken = held && is_overtaken(thread, held);
  if (overtaken)
    h->steps.data[drain].when = HISTORY_HELD_BACK;
  else if (held && (!held->after || has_happened(held->after - 1) || !next))
    h->steps.data[drain].when = HISTORY_NEXT;
  if (next && !(held && h->steps.data[drain].when == HISTORY_NEXT))
    h->steps.data[step].when = HISTORY_NEXT;
}

/* Which operations the failure comes after, and before which. */
static void describe_cut(void) {
  const struct traces *t = &traces;
  find_least_cut();
  for (uint32_t i = 0; i < t->dpor.events.length; i++)
    search.history.steps.data[i].when = has_happened(i) ? HISTORY_HAPPENED : HISTORY_LATER;
  for (uint32_t p = 0; p + 1 < t->moments.width; p += 2)
    describe_stand(p, p + 1);
}

/* The failure point before which the last of that lies. */
static void describe_point(void) {
  struct search *s = &search;
  const struct traces *t = &traces;
  const event_list *events = &s->history.events;
  uint32_t moment = 0, last = t->events_begin, point = 0;
  for (uint32_t i = t->events_begin; i < t->events_end; i++) {
    const struct event *e = &events->data[i];
    if (!is_moment(e))
      continue;
    const struct moment *m = &t->moments.all.data[moment++];
    if (m->tick <= cut_low(&s->memory.cuts, LEVEL, m->process))
      last = i + 1;
  }
  for (uint32_t i = t->events_begin; i < t->events_end; i++) {
    if (events->data[i].kind != EVENT_FAILURE_POINT)
      continue;
    if (i >= last) {
      struct history_failure f = search_describe_point(i, point);
      f.event = t->events_end;
      f.point = s->history.failures.data[0].point;
      s->history.failures.data[0] = f;
      return;
    }
    point++;
  }
}

void traces_describe_failure(void) {
  if (!traces.on || !search.history.failures.length)
    return;
  describe_cut();
  describe_point();
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

static uint32_t run_once(void) {
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

/* The execution was joined: run that thread alone from the state on, and search the failures of that. */
static void explore_alone(int thread) {
  struct traces *t = &traces;
  struct dpor_mark mark = {.events = t->dpor.events.length, .sleepers = t->dpor.sleepers.length};
  t->join.frozen = ~((uint64_t)1 << thread | t->join.joining);
  uint32_t result = run_once();
  while (spin_ended() && !schedule.unfit && !search_over()) {
    dpor_back(&t->dpor, &mark);
    result = run_once();
  }
  t->join.frozen = 0;
  t->early = true; /* it says nothing, and does not count */
  if (!schedule.unfit && !search_over()) {
    find_parting();
    cover(result);
  }
  dpor_back(&t->dpor, &mark);
}

/* The execution was joined: what follows its state was explored; plan what is left to try, and search failures
 * before. */
static void cover_joined(uint32_t result) {
  struct traces *t = &traces;
  uint64_t alone = t->join.alone;
  trace_join_foresee();
  if (!search.failures_max)
    return;
  if (!alone)
    cover(result);
  for (; alone && !schedule.unfit && !search_over(); alone &= alone - 1)
    explore_alone(__builtin_ctzl(alone));
}

static void explore_next(void) {
  struct traces *t = &traces;
  size_t kept = t->dpor.events.length;
  joins_retreat(&t->join.joins, kept);
  uint32_t result = run_once();
  while (spin_ended() && !schedule.unfit && !search_over()) {
    if (t->given)
      search.reload_unit();
    else
      dpor_rewind(&t->dpor, kept);
    joins_leave(&t->join.joins, UINT32_MAX); /* states that the abandoned run has entered */
    result = run_once();
  }
  if (schedule.unfit || search_over())
    return;
  find_parting();
  if (search.unit_covers)
    search.unit_covers();
  if (t->join.joined)
    cover_joined(result);
  else if (!t->blocked && !t->covered)
    cover(result);
  if (!is_left())
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
  schedule.unfit = NULL;
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
