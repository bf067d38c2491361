#include "search/trace_join.h"
#include "access/schedule.h"
#include "access/store_buffer.h"
#include "base/check.h"
#include "base/str.h"
#include "explore/dpor_unit.h"
#include "process/fiber.h"
#include "search/search_internal.h"
#include "search/trace_cut.h"
#include "search/traces.h"
#include "thread/thread.h"

#define THREADS 64 /* sets of threads are masks of 64 bits */

/* After TRIAL states, at least one in SHARE must have led to a join; otherwise it does not pay. */
#define TRIAL 20000
#define SHARE 64
#define MEMORY_SHARE 4 /* of what the search may keep, at most */

/* In front of a unit's text: joining has begun. */
#define MARK 'j'

static void forget(void) {
  joins_clear(&traces.join.joins);
  joins_clear(&traces.join.joins_last);
  trace_states_clear(&traces.join.states);
}

void trace_join_begin(void) {
  struct trace_join *j = &traces.join;
  if (j->states.states.items.length)
    forget();
  j->begun = traces.dpor.explored;
  j->pays = true;
  j->crowded = j->settled = false;
  j->frozen = 0;
  traces.dpor.beginnings = j->inherited;
}

void trace_join_tell(struct str *out) {
  if (traces.dpor.beginnings)
    str_append_char(out, MARK);
}

const char *trace_join_hear(const char *text) {
  traces.join.inherited = *text == MARK;
  return text + traces.join.inherited;
}

static bool wants_states(void) {
  const struct trace_join *j = &traces.join;
  return j->allowed && j->after >= 0 && j->pays && !j->crowded && !search.scout.on &&
         traces.dpor.explored - j->begun >= (uint64_t)j->after;
}

/* After the last failure. */
static bool wants_last(void) {
  const struct trace_join *j = &traces.join;
  return j->allowed && j->after >= 0 && j->pays && !j->crowded_last && !search.scout.on &&
         !search.history.choices.replaying &&
         traces.last.explored - j->begun_last >= (uint64_t)j->after;
}

void trace_join_run_begins(void) {
  struct trace_join *j = &traces.join;
  if (!j->pays && j->states.states.items.length)
    forget();
  j->said = outcome_mark();
  schedule.compares = j->allowed && j->after >= 0;
  j->others = j->asks = j->joined = false;
  j->alone = 0;
}

void traces_others_go_on(void) {
  traces.join.others = true;
}

static void take(void) {
  bool fails = search.level < search.failures_max;
  traces.join.state = trace_state_take(&traces.join.states, traces.join.said,
                                       fails ? &search.history.events : NULL, traces.events_begin);
}

/* The number of the state.  A fiber cannot save the world that it runs in: it pauses, and the host does it. */
static uint32_t state_here(void) {
  struct trace_join *j = &traces.join;
  j->state = 0;
  if (fiber_current()) {
    j->asks = true;
    schedule_wipe_stack();
    thread_pause();
  } else {
    take();
  }
  return j->state;
}

bool traces_answer(void) {
  if (!traces.join.asks)
    return false;
  traces.join.asks = false;
  take();
  return true;
}

/* ---- which failures would be lost ---- */

/* Does the operation store or write back anything, so that a cut can lie before it? */
static bool has_moment(uint32_t operation) {
  const struct traces *t = &traces;
  size_t end = operation + 1 < t->begins.length ? t->begins.data[operation + 1]
                                                : search.history.events.length;
  for (size_t i = t->begins.data[operation]; i < end; i++)
    if (trace_cut_is_moment(&search.history.events.data[i]))
      return true;
  return false;
}

/* 1 + the newest operation of the process that has a moment, or 0. */
static uint32_t newest_moment(uint32_t process) {
  const struct dpor *d = &traces.dpor;
  uint32_t at = process < d->newest.length ? d->newest.data[process] : 0;
  while (at && !has_moment(at - 1))
    at = d->events.data[at - 1].before;
  return at;
}

/* Does everything that the process does from now on come after that operation? */
static bool comes_after(uint32_t process, uint32_t after, uint32_t operation) {
  const struct dpor *d = &traces.dpor;
  uint32_t newest = process < d->newest.length ? d->newest.data[process] : 0;
  return (newest && dpor_before(d, operation, newest - 1)) ||
         (after && dpor_before(d, operation, after - 1));
}

/* Could the thread, or what is in its buffer, go on if that operation had not happened? */
static bool goes_on_without(const struct thread *t, uint32_t operation) {
  uint32_t process = 2 * (uint32_t)t->id;
  if (t->state == THREAD_READY && !(t->next.lock == OPERATION_LOCK_JOIN && sync_blocks(&t->next)) &&
      !comes_after(process, t->turn.after, operation))
    return true;
  return !store_buffer_empty(t) &&
         !comes_after(process + 1, store_buffer_oldest(t)->issued, operation);
}

/* The other threads, a bit each, that could go on if the newest store or write-back of that thread had not happened. */
static uint64_t others_without(int thread) {
  uint64_t found = 0;
  for (uint32_t process = 2 * (uint32_t)thread; process < 2 * (uint32_t)thread + 2; process++) {
    uint32_t newest = newest_moment(process);
    for (int i = 0; newest && i < thread_count(); i++)
      if (i != thread && goes_on_without(thread_by_id(i), newest - 1))
        found |= (uint64_t)1 << i;
  }
  return found;
}

/* Fills in traces.join.alone, see trace_join.h.  False: two threads could go on while something is missing. */
static bool find_alone(void) {
  struct trace_join *j = &traces.join;
  j->alone = 0;
  if (!search.failures_max)
    return true;
  j->joining = 0;
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (t->state == THREAD_READY && t->next.lock == OPERATION_LOCK_JOIN && sync_blocks(&t->next))
      j->joining |= (uint64_t)1 << i;
    uint64_t others = others_without(i);
    if (others & (others - 1))
      return false;
    j->alone |= others;
  }
  return true;
}

/* ---- joining ---- */

/* Can more than two threads go on?  Then joining does not pay: too many orders have to be planned for it, and too many
 * threads run alone. */
static bool is_crowded(const struct operation *options, uint32_t count) {
  uint32_t first = UINT32_MAX, second = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t t = options[i].thread;
    if (first == UINT32_MAX || first == t)
      first = t;
    else if (second == UINT32_MAX || second == t)
      second = t;
    else
      return true;
  }
  return false;
}

/* Can it go on in several ways?  Otherwise the next state does as well. */
static bool branches(uint32_t count) {
  return count > 1;
}

/* Is the execution beyond what it repeats of earlier ones, and of its unit? */
static bool is_new(void) {
  const struct dpor *d = &traces.dpor;
  return d->at == d->events.length && d->at >= dpor_given_events(d);
}

/* Once it does not pay it is over; what was kept is dropped between two runs (trace_join_run_begins). */
static bool is_worth_it(const struct joins *x, bool judge) {
  struct trace_join *j = &traces.join;
  size_t bytes = trace_states_bytes(&j->states) + joins_bytes(x);
  if ((judge && x->joined < x->visits / SHARE && j->after) ||
      bytes > search.memory_max / MEMORY_SHARE)
    j->pays = false;
  return j->pays;
}

static bool is_tried(const struct joins *x) {
  return x->visits + x->joined >= TRIAL;
}

static bool wants_state(void) {
  struct trace_join *j = &traces.join;
  return wants_states() && !j->frozen && !j->others && is_new() && thread_count() <= THREADS &&
         is_worth_it(&j->joins, is_tried(&j->joins));
}

bool trace_join_here(const struct operation *options, uint32_t count) {
  struct trace_join *j = &traces.join;
  CHECK(!search.scout.on, "a sample is no part of the reduction");
  j->crowded |= j->allowed && is_crowded(options, count);
  if (!branches(count) || !wants_state())
    return false;
  traces.dpor.beginnings = true;
  state_here();
  if (!j->state)
    return false;
  if (joins_find(&j->joins, &traces.dpor, j->state)) {
    j->joined = joins_stay_among(&j->joins, j->state, (uint32_t)thread_count()) && find_alone();
    if (j->joined)
      return true;
  }
  joins_enter(&j->joins, &traces.dpor, j->state);
  return false;
}

/* For joins_join: after which event what is in the buffer of the operation's thread came there.  The world still is
 * that of the joined execution. */
static uint32_t issued(const struct operation *o) {
  const struct thread *t = thread_by_id(o->thread);
  const struct dpor *d = &traces.dpor;
  uint32_t process = 2u * o->thread;
  if (!store_buffer_empty(t)) {
    const struct store_buffer *b = t->store_buffer;
    for (uint32_t i = 0; i < b->length; i++) {
      const struct buffered *x = &b->items[(b->first + i) % b->capacity];
      if (x->piece.address == o->address || x->kind == BUFFERED_FENCE)
        return b->items[b->first % b->capacity].issued;
    }
  }
  return process < d->newest.length ? d->newest.data[process] : 0;
}

void trace_join_foresee(void) {
  joins_join(&traces.join.joins, &traces.dpor, traces.join.state, issued);
}

/* Also as long as it is not known yet. */
bool trace_join_spares(void) {
  const struct trace_join *j = &traces.join;
  return j->allowed && j->after >= 0 && j->pays && !j->crowded;
}

bool trace_join_is_settled(void) {
  return traces.join.pays && traces.join.settled;
}

/* ---- after the last failure ---- */

void trace_join_last_begins(void) {
  struct trace_join *j = &traces.join;
  joins_clear(&j->joins_last);
  j->begun_last = traces.last.explored;
  j->choices_last = search.history.choices.stack.length;
  j->crowded_last = j->judged_last = false;
  traces.last.beginnings = false;
}

/* Judged once for each beginning: what others rely on must not change later if that can be helped. */
static bool last_is_worth_it(void) {
  struct trace_join *j = &traces.join;
  bool judge = !j->judged_last && is_tried(&j->joins_last);
  j->judged_last |= judge;
  j->settled |= judge;
  return is_worth_it(&j->joins_last, judge);
}

bool trace_join_last_state(struct memo_node *n) {
  struct trace_join *j = &traces.join;
  n->placed = branches(n->option_count) && wants_last();
  n->epoch = j->states.epoch;
  if (!n->placed || j->others || is_crowded(n->options, n->option_count) || !last_is_worth_it())
    return false;
  uint32_t state = n->place = state_here();
  return state < j->joins_last.places.length && j->joins_last.places.data[state].finished;
}

/* Has a load been answered that had several answers?  Then the lines' intervals, which are no part of the state,
 * differ. */
static bool has_read(void) {
  const struct choices *c = &search.history.choices;
  for (size_t i = traces.join.choices_last; i < c->stack.length; i++)
    if (c->stack.data[i].kind != CHOICE_TURN)
      return true;
  return false;
}

static const struct memo_node *joining; /* scratch */

/* Entries of a buffer leave it in their order: the oldest one is the one that can be chosen. */
static uint32_t issued_last(const struct operation *o) {
  const struct dpor *d = &traces.last;
  for (uint32_t i = 0; i < joining->option_count; i++)
    if (joining->options[i].drain && joining->options[i].thread == o->thread)
      return joining->options[i].after;
  return 2u * o->thread < d->newest.length ? d->newest.data[2u * o->thread] : 0;
}

bool trace_join_last_lacks(const struct memo_node *n) {
  struct trace_join *j = &traces.join;
  j->crowded_last |= is_crowded(n->options, n->option_count);
  return branches(n->option_count) && !(n->placed && n->epoch == j->states.epoch) && wants_last() &&
         !has_read();
}

bool trace_join_last_here(const struct memo_node *n) {
  struct trace_join *j = &traces.join;
  struct dpor *d = &traces.last;
  joins_retreat(&j->joins_last, d->events.length);
  if (!n->place || n->epoch != j->states.epoch || !wants_last() || has_read())
    return false;
  d->beginnings = true;
  if (!joins_find(&j->joins_last, d, n->place)) {
    joins_enter(&j->joins_last, d, n->place);
    return false;
  }
  joining = n;
  joins_join(&j->joins_last, d, n->place, issued_last);
  return true;
}

void trace_join_last_note(const struct operation *o) {
  joins_run_begins(&traces.join.joins_last);
  joins_note(&traces.join.joins_last, o);
  joins_run_ends(&traces.join.joins_last, false);
}

void trace_join_last_retreat(size_t operations) {
  joins_retreat(&traces.join.joins_last, operations);
}
