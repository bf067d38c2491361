#include "search/trace_cut.h"
#include "access/space.h"
#include "base/check.h"
#include "search/search_internal.h"
#include "search/traces.h"

#define LEVEL TRACES_LEVEL

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
bool trace_cut_is_moment(const struct event *e) {
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

/* ---- failures ---- */

/* Cuts without the events that part this execution from earlier ones were searched with those: require these events.
 * In a replay the token says how far each process had come. */
static void begin_cut(void) {
  struct search *s = &search;
  struct traces *t = &traces;
  for (size_t i = 0; i < t->parting.length; i++) {
    uint32_t operation = t->parting.data[i];
    uint32_t row = times_of(operation);
    bool possible =
        memory_require(&s->memory, LEVEL,
                       &(struct cut_step){.thread = t->dpor.events.data[operation].process,
                                          .tick = t->reached.data[operation],
                                          .times = &t->moments.pool.data[row],
                                          .threads = t->moments.width,
                                          .step = TRACE_NONE});
    CHECK(possible, "operation %u cannot have happened", operation);
  }
  for (uint32_t p = 0; p < t->moments.width; p++) {
    uint32_t low = cut_low(&s->memory.cuts, LEVEL, p);
    uint32_t wanted = choice_open_at(&s->history.choices, CHOICE_CUT, UINT32_MAX, low);
    memory_require(&s->memory, LEVEL,
                   &(struct cut_step){.thread = p, .tick = wanted, .step = TRACE_NONE});
  }
}

void trace_cut_search(void) {
  struct search *s = &search;
  struct traces *t = &traces;
  size_t mark = memory_mark(&s->memory), trace = s->history.trace.steps.length;
  struct analyses_mark analyses;
  s->progress = (struct search_progress){0};
  if (s->analyses)
    analyses = analyses_mark(s->analyses);
  apply();
  if (!s->scout.on)
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

/* ---- what is said of one ---- */

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
    n += trace_cut_is_moment(&events->data[i]);
  return n;
}

bool trace_cut_has_happened(uint32_t event) {
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
    if (!trace_cut_is_moment(e))
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

void trace_cut_describe(void) {
  if (!traces.on || !search.history.failures.length)
    return;
  describe_cut();
  describe_point();
}
