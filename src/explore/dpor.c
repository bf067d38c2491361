#include "explore/dpor.h"
#include "base/check.h"
#include <string.h>

struct dpor_sleeper {
  uint32_t process;
  struct operation op;
};

struct dpor_branch {
  uint32_t process;
  struct operation op;
  uint32_t tried; /* ways of it that were explored in this place, with its own; 0: only that */
  struct dpor_branch *children, *next;
};

/* Keys of things: an aligned word of memory, a lock, a heap block for those who touch it or for those who
 * give it back. */
#define LOCK_KEY ((uint64_t)1 << 63)
#define BLOCK_KEY ((uint64_t)1 << 62)
#define FREED_KEY ((uint64_t)1 << 61)
#define LINE_KEY ((uint64_t)1 << 60)
#define WORD_SHIFT 3
#define WIDTH_MIN 8

static bool commute(const struct dpor *d, const struct operation *a, const struct operation *b) {
  return d->pm ? operations_commute_pm(a, b) : operations_commute(a, b);
}

/* ---- what an operation is about ---- */

/* Persistent memory: lines. */
static int line_keys_of(const struct operation *o, uint64_t keys[DPOR_KEYS]) {
  keys[0] = LINE_KEY | o->address >> OPERATION_LINE_SHIFT;
  keys[1] = LINE_KEY | (o->address + o->size - 1) >> OPERATION_LINE_SHIFT;
  CHECK(keys[1] - keys[0] <= 1, "an access of %u bytes in one step", o->size);
  return keys[0] == keys[1] ? 1 : 2;
}

static int keys_of(const struct dpor *d, const struct operation *o, uint64_t keys[DPOR_KEYS]) {
  int n = 0;
  switch ((enum operation_kind)o->kind) {
  case OPERATION_FLUSH:
    return d->pm ? line_keys_of(o, keys) : 0;
  case OPERATION_READ:
  case OPERATION_WRITE:
    if (d->pm && abi_watched(o->address))
      return line_keys_of(o, keys);
    keys[n++] = 1 + (o->address >> WORD_SHIFT);
    keys[n++] = 1 + ((o->address + o->size - 1) >> WORD_SHIFT);
    CHECK(keys[1] - keys[0] <= 1, "an access of %u bytes in one step", o->size);
    n -= keys[0] == keys[1];
    break;
  case OPERATION_LOCK:
    keys[n++] = LOCK_KEY | o->address;
    if (o->also)
      keys[n++] = LOCK_KEY | o->also;
    break;
  case OPERATION_FREE:
    keys[n++] = FREED_KEY | o->block;
    return n;
  default:
    return 0;
  }
  if (o->block)
    keys[n++] = BLOCK_KEY | o->block;
  return n;
}

/* The bytes of the word that it is about. */
static unsigned bytes_of(const struct operation *o, uint64_t key) {
  if (key & LOCK_KEY)
    return 0xff;
  uintptr_t word = (key - 1) << WORD_SHIFT;
  unsigned mask = 0;
  for (uint32_t i = 0; i < o->size; i++)
    if (o->address + i - word < 8)
      mask |= 1u << (o->address + i - word);
  return mask;
}

/* 1 + position of the newest event that touched it, or 0. */
static uint32_t *newest_at(struct dpor *d, uint64_t key) {
  return map_at(&d->things, key);
}

/* ---- clocks ---- */

static uint32_t *clock_of(const struct dpor *d, uint32_t position) {
  return &d->clocks.data[(size_t)position * d->width];
}

static void widen(struct dpor *d, uint32_t columns) {
  uint32_t width = d->width ? d->width : WIDTH_MIN;
  while (width < columns)
    width *= 2;
  if (width == d->width)
    return;
  size_t rows = d->events.length;
  uint32_t old = d->width;
  d->width = width;
  vec_reserve(&d->clocks, (rows + 1) * width);
  d->clocks.length = rows * width;
  for (size_t r = rows; r-- > 0;) { /* from the end: rows move apart */
    memmove(&d->clocks.data[r * width], &d->clocks.data[r * old], old * sizeof *d->clocks.data);
    memset(&d->clocks.data[r * width + old], 0, (width - old) * sizeof *d->clocks.data);
  }
}

static void join(const struct dpor *d, uint32_t *clock, uint32_t position) {
  const uint32_t *other = clock_of(d, position);
  for (uint32_t i = 0; i < d->width; i++)
    if (clock[i] < other[i])
      clock[i] = other[i];
}

static bool covers(const struct dpor *d, const uint32_t *clock, uint32_t position) {
  const struct dpor_event *e = &d->events.data[position];
  return clock[e->column] >= e->number;
}

void dpor_decided(const struct dpor *d, dpor_processes *out) {
  out->length = 0;
  for (size_t i = 0; i < d->events.length; i++)
    vec_push(out, d->events.data[i].process);
  for (const struct dpor_branch *b = d->plan; b; b = b->children)
    vec_push(out, b->process);
}

uint32_t dpor_clock(const struct dpor *d, uint32_t position, uint32_t process) {
  return process < d->width ? clock_of(d, position)[process] : 0;
}

bool dpor_before(const struct dpor *d, uint32_t a, uint32_t b) {
  return covers(d, clock_of(d, b), a);
}

uint32_t dpor_newest(const struct dpor *d, uint32_t process) {
  uint32_t newest = process < d->newest.length ? d->newest.data[process] : 0;
  while (newest > d->at) /* still to be repeated */
    newest = d->events.data[newest - 1].before;
  return newest;
}

/* ---- races ---- */

static uint32_t previous_of(const struct dpor *d, uint32_t position, uint64_t key) {
  const struct dpor_event *e = &d->events.data[position];
  uint64_t keys[DPOR_KEYS];
  int n = keys_of(d, &e->op, keys);
  for (int i = 0; i < n; i++)
    if (keys[i] == key)
      return e->previous[i];
  CHECK(false, "an event is not about what it is listed for");
}

/* The race, if it is one, between an earlier event and the new one, whose clock so far is that. */
static void meet(struct dpor *d, uint32_t *clock, uint32_t earlier, uint32_t position) {
  if (!covers(d, clock, earlier))
    vec_push(&d->races, ((struct dpor_race){earlier, position}));
}

/* All operations on a lock depend on each other.  An acquisition cannot come before the release
 * that made it possible, but before the acquisition that belongs to that; a join cannot come before
 * the end of the thread. */
static void meet_lock(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  uint32_t newest = *newest_at(d, key);
  if (!newest)
    return;
  uint32_t other = newest - 1;
  const struct dpor_event *e = &d->events.data[other];
  uint8_t how = d->events.data[position].op.lock;
  bool had_to_wait = how == OPERATION_LOCK_ACQUIRE || how == OPERATION_LOCK_JOIN;
  if (had_to_wait && key == (LOCK_KEY | d->events.data[position].op.address)) {
    uint32_t thread = e->op.thread, at = newest;
    while (at && !(d->events.data[at - 1].op.thread == thread &&
                   (d->events.data[at - 1].op.lock == OPERATION_LOCK_ACQUIRE ||
                    d->events.data[at - 1].op.lock == OPERATION_LOCK_TRY) &&
                   key == (LOCK_KEY | d->events.data[at - 1].op.address)))
      at = previous_of(d, at - 1, key);
    if (at)
      meet(d, clock, at - 1, position);
  } else {
    meet(d, clock, other, position);
  }
  join(d, clock, other);
}

/* A store covers what was done to its bytes before, except loads that its own thread made while it
 * was in the buffer: they are not ordered with its leaving it. */
static void meet_word(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  unsigned left = bytes_of(o, key), beside = 0; /* bytes whose newest store left that buffer: */
  uint32_t buffer = DPOR_NOBODY;
  for (uint32_t at = *newest_at(d, key); at && (left | beside); at = previous_of(d, at - 1, key)) {
    const struct dpor_event *e = &d->events.data[at - 1];
    unsigned bytes = bytes_of(&e->op, key);
    bool writes = e->op.kind == OPERATION_WRITE;
    if (bytes & left && (writes || o->kind == OPERATION_WRITE)) {
      if (e->op.thread != o->thread)
        meet(d, clock, at - 1, position);
      if (!commute(d, &e->op, o))
        join(d, clock, at - 1);
    } else if (bytes & beside && !writes && e->process + 1 == buffer) {
      meet(d, clock, at - 1, position);
      join(d, clock, at - 1);
    }
    if (!writes)
      continue;
    beside = e->process == buffer ? beside : beside & ~bytes;
    if (e->op.drain && e->op.thread != o->thread && o->kind == OPERATION_WRITE) {
      beside = (e->process == buffer ? beside : 0) | (bytes & left);
      buffer = e->process;
    }
    left &= ~bytes;
  }
}

/* Who gives a block back comes before or after each who touches it, or gives it back. */
static void meet_block(struct dpor *d, uint32_t *clock, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  bool frees = o->kind == OPERATION_FREE;
  uint32_t freed = *newest_at(d, FREED_KEY | o->block);
  if (freed && !operations_commute(&d->events.data[freed - 1].op, o)) {
    meet(d, clock, freed - 1, position);
    join(d, clock, freed - 1);
  }
  for (uint32_t at = frees ? *newest_at(d, BLOCK_KEY | o->block) : 0; at;
       at = previous_of(d, at - 1, BLOCK_KEY | o->block)) {
    if (operations_commute(&d->events.data[at - 1].op, o))
      continue;
    meet(d, clock, at - 1, position);
    join(d, clock, at - 1);
  }
}

/* A line of persistent memory.  What one store covers need not be covered by the next: loads of other
 * bytes, and loads and flushes of the thread whose store it is, are not ordered with it. */
static void meet_line(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  for (uint32_t at = *newest_at(d, key); at; at = previous_of(d, at - 1, key)) {
    const struct dpor_event *e = &d->events.data[at - 1];
    if (e->op.thread == o->thread || covers(d, clock, at - 1) || commute(d, &e->op, o))
      continue;
    meet(d, clock, at - 1, position);
    join(d, clock, at - 1);
    if (o->kind != OPERATION_WRITE) /* all earlier stores happen before this one */
      break;
  }
}

/* The column of the operation, which is about to be event number `position`.  In persistent memory cuts are
 * told by process. */
static uint32_t enter_lane(struct dpor *d, const struct operation *o, uint32_t after,
                           struct lanes_change *change) {
  *change = (struct lanes_change){0};
  if (d->pm)
    return dpor_process(o);
  uint32_t creator = after ? d->events.data[after - 1].op.thread : LANES_NONE;
  struct operation told = *o;
  told.after = after;
  *change = lanes_add(&d->lanes, &told, (uint32_t)d->events.length, creator);
  return 2 * d->lanes.of.data[o->thread] + o->drain;
}

static void append(struct dpor *d, const struct operation *o, uint32_t after) {
  uint32_t process = dpor_process(o), position = (uint32_t)d->events.length;
  struct lanes_change lanes;
  uint32_t column = enter_lane(d, o, after, &lanes);
  if (column + 2 > d->width)
    widen(d, column + 2);
  while (d->newest.length <= process + 1)
    vec_push(&d->newest, 0);
  while (d->numbers.length <= column)
    vec_push(&d->numbers, 0);
  struct dpor_event e = {.op = *o,
                         .process = process,
                         .column = column,
                         .number = ++d->numbers.data[column],
                         .lanes = lanes,
                         .before = d->newest.data[process],
                         .done = d->next_done,
                         .begun = (double)d->explored,
                         .after = after,
                         .sleep_begin = d->sleep_begin,
                         .sleep_end = (uint32_t)d->sleepers.length};
  d->next_done = (struct dpor_done){0};
  vec_push(&d->events, e);
  vec_reserve(&d->clocks, d->events.length * d->width);
  d->clocks.length = d->events.length * d->width;
  uint32_t *clock = clock_of(d, position);
  memset(clock, 0, d->width * sizeof *clock);
  if (e.before)
    join(d, clock, e.before - 1);
  if (after)
    join(d, clock, after - 1);
  uint32_t buffer = d->newest.data[process | 1];
  if (o->drained && !o->drain && buffer)
    join(d, clock, buffer - 1);
  for (uint32_t p = 0; o->lock == OPERATION_LOCK_EXIT && p < d->newest.length; p++)
    if (d->newest.data[p])
      join(d, clock, d->newest.data[p] - 1);
  uint64_t keys[DPOR_KEYS];
  int n = keys_of(d, o, keys);
  for (int i = 0; i < n; i++) {
    if (keys[i] & LOCK_KEY)
      meet_lock(d, clock, keys[i], position);
    else if (keys[i] & (BLOCK_KEY | FREED_KEY))
      meet_block(d, clock, position);
    else if (keys[i] & LINE_KEY)
      meet_line(d, clock, keys[i], position);
    else
      meet_word(d, clock, keys[i], position);
    uint32_t *newest = newest_at(d, keys[i]);
    d->events.data[position].previous[i] = *newest;
    *newest = position + 1;
  }
  clock[column] = e.number;
  d->newest.data[process] = position + 1;
}

/* ---- sequences ---- */

/* What should happen instead: events that do not depend on the first of a race, then its second. */
struct item {
  uint32_t process, position;
  struct operation op;
  bool taken; /* no longer part of the sequence */
};
typedef VEC(struct item) item_list;

/* Must x come before the last item of the sequence, the second event of the race? */
static bool leads_to(const struct dpor *d, const struct item *x, const struct item *last) {
  return x->process == last->process || x->position + 1 == d->events.data[last->position].after ||
         !commute(d, &x->op, &last->op);
}

/* Can item number n come first? */
static bool is_initial(const struct dpor *d, const item_list *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const struct item *x = &v->data[i];
    if (x->taken)
      continue;
    if (n + 1 == v->length ? leads_to(d, x, &v->data[n])
                           : dpor_before(d, x->position, v->data[n].position))
      return false;
  }
  return true;
}

static size_t find_process(const item_list *v, uint32_t process) {
  size_t n = 0;
  while (n < v->length && (v->data[n].taken || v->data[n].process != process))
    n++;
  return n;
}

/* Does a schedule that begins with this operation of the process lead to the sequence as well?
 * *which: its item, or the length of v. */
static bool is_weak_initial(const struct dpor *d, const item_list *v, uint32_t process,
                            const struct operation *o, size_t *which) {
  *which = find_process(v, process);
  if (*which < v->length)
    return is_initial(d, v, *which);
  for (size_t i = 0; i < v->length; i++)
    if (!v->data[i].taken && !commute(d, o, &v->data[i].op))
      return false;
  return true;
}

static bool sleeps_already(const struct dpor *d, const struct dpor_event *e, const item_list *v) {
  size_t which;
  for (uint32_t i = e->sleep_begin; i < e->sleep_end; i++)
    if (is_weak_initial(d, v, d->sleepers.data[i].process, &d->sleepers.data[i].op, &which))
      return true;
  return false;
}

static struct dpor_branch *new_branch(struct dpor *d, struct dpor_branch value) {
  struct dpor_branch *b = d->unused;
  if (b)
    d->unused = b->next;
  else
    b = mem_alloc(sizeof *b);
  *b = value;
  return b;
}

static struct dpor_branch *make_chain(struct dpor *d, const item_list *v) {
  struct dpor_branch *chain = NULL;
  for (size_t i = v->length; i-- > 0;)
    if (!v->data[i].taken)
      chain =
          new_branch(d, (struct dpor_branch){
                            .process = v->data[i].process, .op = v->data[i].op, .children = chain});
  return chain;
}

static void insert(struct dpor *d, struct dpor_branch **siblings, item_list *v) {
  struct dpor_branch **end = siblings;
  while (*end) {
    struct dpor_branch *b = *end;
    size_t which;
    if (!is_weak_initial(d, v, b->process, &b->op, &which)) {
      end = &b->next;
      continue;
    }
    if (which < v->length && v->data[which].op.way != b->op.way)
      return; /* it will be tried in every way there */
    if (which < v->length)
      v->data[which].taken = true;
    if (!b->children)
      return; /* the tree leads there already */
    end = &b->children;
  }
  *end = make_chain(d, v);
}

static void turn_round(struct dpor *d, struct dpor_race r) {
  static item_list v; /* scratch */
  struct dpor_event *first = &d->events.data[r.first];
  v.length = 0;
  for (uint32_t i = r.first + 1; i < d->events.length; i++)
    if (!dpor_before(d, r.first, i))
      vec_push(&v, ((struct item){d->events.data[i].process, i, d->events.data[i].op, false}));
  const struct dpor_event *second = &d->events.data[r.second];
  vec_push(&v, ((struct item){second->process, r.second, second->op, false}));
  if (!sleeps_already(d, first, &v))
    insert(d, &first->instead, &v);
}

/* ---- executions ---- */

void dpor_begin(struct dpor *d) {
  d->at = 0;
}

static bool asleep(const struct dpor *d, uint32_t process) {
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    if (d->sleepers.data[i].process == process)
      return true;
  return false;
}

static uint32_t option_of(const struct operation *options, uint32_t count, uint32_t process) {
  for (uint32_t i = 0; i < count; i++)
    if (dpor_process(&options[i]) == process)
      return i;
  return DPOR_NOBODY;
}

bool dpor_goes_on(const struct dpor *d, const struct operation *o) {
  uint32_t process = dpor_process(o);
  if (d->at < d->events.length)
    return d->events.data[d->at].process == process;
  if (d->plan)
    return d->plan->process == process;
  return !asleep(d, process);
}

static void drop_branches(struct dpor *d, struct dpor_branch *b) {
  while (b) {
    struct dpor_branch *next = b->next;
    drop_branches(d, b->children);
    b->next = d->unused;
    d->unused = b;
    b = next;
  }
}

void dpor_skip(struct dpor *d) {
  struct dpor_branch *b = d->plan;
  d->plan = b->next;
  b->next = NULL;
  drop_branches(d, b);
}

uint32_t dpor_pick(struct dpor *d, const struct operation *options, uint32_t count, bool *missing) {
  *missing = false;
  if (d->at < d->events.length) {
    uint32_t i = option_of(options, count, d->events.data[d->at].process);
    *missing = i == DPOR_NOBODY;
    return i;
  }
  if (d->plan) {
    while (!d->pm && d->plan && option_of(options, count, d->plan->process) == DPOR_NOBODY)
      dpor_skip(d);
    uint32_t i = d->plan ? option_of(options, count, d->plan->process) : DPOR_NOBODY;
    *missing = d->pm && i == DPOR_NOBODY;
    return i;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!asleep(d, dpor_process(&options[i])))
      return i;
  return DPOR_NOBODY;
}

uint32_t dpor_way(const struct dpor *d, const struct operation *o) {
  uint32_t process = dpor_process(o);
  if (d->at < d->events.length)
    return d->events.data[d->at].op.way;
  return d->plan && d->plan->process == process ? d->plan->op.way : 0;
}

static void wake_dependent(struct dpor *d, const struct dpor_event *e) {
  uint32_t end = e->sleep_end;
  for (uint32_t i = e->sleep_begin; i < end; i++) {
    struct dpor_sleeper s = d->sleepers.data[i];
    if (s.process != e->process && commute(d, &s.op, &e->op))
      vec_push(&d->sleepers, s);
  }
  d->sleep_begin = end;
}

uint32_t dpor_note(struct dpor *d, const struct operation *o, uint32_t after, bool *same) {
  uint32_t position = d->at++;
  if (position < d->events.length) {
    const struct dpor_event *e = &d->events.data[position];
    *same = e->process == dpor_process(o) && e->op.kind == o->kind && e->op.address == o->address;
    return position;
  }
  *same = true;
  append(d, o, after);
  struct dpor_event *e = &d->events.data[position];
  struct dpor_branch *b = d->plan;
  e->tried = 1u << o->way;
  if (b && b->process == e->process) {
    e->tried |= b->tried;
    e->planned = true;
    e->instead = b->next;
    d->plan = b->children;
    b->next = d->unused;
    d->unused = b;
  } else {
    CHECK(!b, "an event that was not planned");
  }
  wake_dependent(d, e);
  return position;
}

void dpor_end(struct dpor *d, bool complete) {
  d->explored += complete;
  d->blocked += !complete;
  for (size_t i = 0; i < d->races.length; i++)
    turn_round(d, d->races.data[i]);
  drop_branches(d, d->plan); /* it came to an end before */
  d->plan = NULL;
}

static void undo_event(struct dpor *d, const struct dpor_event *e) {
  uint64_t keys[DPOR_KEYS];
  int n = keys_of(d, &e->op, keys);
  for (int i = n; i-- > 0;)
    *newest_at(d, keys[i]) = e->previous[i];
  d->newest.data[e->process] = e->before;
  d->numbers.data[e->column]--;
  if (!d->pm)
    lanes_take_back(&d->lanes, &e->lanes);
  d->sleepers.length = e->sleep_end;
  d->sleep_begin = e->sleep_begin;
}

/* The same event again, in a way that was not tried. */
static struct dpor_branch *other_way(struct dpor *d, const struct dpor_event *e) {
  for (uint8_t way = 0; way < e->op.ways; way++)
    if (!(e->tried >> way & 1)) {
      struct dpor_branch *b = new_branch(
          d, (struct dpor_branch){
                 .process = e->process, .op = e->op, .tried = e->tried, .next = e->instead});
      b->op.way = way;
      return b;
    }
  return NULL;
}

static uint32_t count_branches(const struct dpor_branch *b) {
  uint32_t n = 0;
  for (; b; b = b->next)
    n++;
  return n;
}

double dpor_estimate(const struct dpor *d) {
  double all = 1;
  for (size_t i = d->events.length; i-- > 0;) {
    const struct dpor_event *e = &d->events.data[i];
    double here = (double)d->explored - e->begun;
    if (e->done.events)
      all = e->done.last;
    if (all < here)
      all = here;
    all += e->done.executions + count_branches(e->instead) * all;
  }
  return all;
}

static struct dpor_event pop_event(struct dpor *d) {
  struct dpor_event e = vec_pop(&d->events);
  d->clocks.length = d->events.length * d->width;
  undo_event(d, &e);
  while (d->races.length && vec_last(&d->races).second == d->events.length)
    d->races.length--;
  return e;
}

void dpor_rewind(struct dpor *d, size_t kept) {
  while (d->events.length > kept) {
    struct dpor_event e = pop_event(d);
    if (!e.planned)
      continue;
    d->plan = new_branch(
        d, (struct dpor_branch){
               .process = e.process, .op = e.op, .children = d->plan, .next = e.instead});
  }
  d->at = 0;
}

static void drop_plan(struct dpor *d) {
  drop_branches(d, d->plan);
  d->plan = NULL;
}

bool dpor_retreat(struct dpor *d) {
  drop_plan(d);
  struct dpor_event e = pop_event(d);
  d->at = (uint32_t)d->events.length;
  d->plan = other_way(d, &e);
  if (d->plan)
    return true;
  vec_push(&d->sleepers, ((struct dpor_sleeper){e.process, e.op}));
  d->plan = e.instead;
  return d->plan != NULL;
}

static struct dpor_branch *copy_branches(struct dpor *d, const struct dpor_branch *b) {
  struct dpor_branch *first = NULL, **end = &first;
  for (; b; b = b->next) {
    struct dpor_branch *copy =
        new_branch(d, (struct dpor_branch){.process = b->process, .op = b->op});
    copy->children = copy_branches(d, b->children);
    *end = copy;
    end = &copy->next;
  }
  return first;
}

struct dpor_mark dpor_here(struct dpor *d) {
  return (struct dpor_mark){d->events.length, d->sleepers.length, copy_branches(d, d->plan)};
}

void dpor_forget(struct dpor *d, const struct dpor_mark *m) {
  drop_branches(d, m->plan);
}

struct dpor_mark dpor_at_next(const struct dpor *d) {
  return (struct dpor_mark){d->events.length + 1, SIZE_MAX, NULL};
}

/* What has been put to sleep since was tried with the other outcome. */
void dpor_back(struct dpor *d, const struct dpor_mark *m) {
  while (d->events.length > m->events)
    drop_branches(d, pop_event(d).instead);
  if (d->sleepers.length > m->sleepers)
    d->sleepers.length = m->sleepers;
  d->at = (uint32_t)d->events.length;
  drop_plan(d);
  d->plan = copy_branches(d, m->plan);
}

bool dpor_next(struct dpor *d) {
  d->next_done = (struct dpor_done){0};
  while (d->events.length) {
    const struct dpor_event *e = &vec_last(&d->events);
    double size = (double)d->explored - e->begun;
    struct dpor_done done = {e->done.events + 1, e->done.executions + size, size};
    if (dpor_retreat(d)) {
      d->next_done = done;
      return true;
    }
  }
  return false;
}

void dpor_preview_begin(const struct dpor *d, struct dpor_preview *p) {
  p->plan = d->plan;
  p->sleepers.length = 0;
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    vec_push(&p->sleepers, d->sleepers.data[i]);
}

static bool sleeps_in(const struct dpor_preview *p, uint32_t process) {
  for (size_t i = 0; i < p->sleepers.length; i++)
    if (p->sleepers.data[i].process == process)
      return true;
  return false;
}

uint32_t dpor_preview_pick(struct dpor_preview *p, const struct operation *options,
                           uint32_t count) {
  for (; p->plan; p->plan = p->plan->next) {
    uint32_t planned = option_of(options, count, p->plan->process);
    if (planned != DPOR_NOBODY)
      return planned;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!sleeps_in(p, dpor_process(&options[i])))
      return i;
  return DPOR_NOBODY;
}

void dpor_preview_take(const struct dpor *d, struct dpor_preview *p, const struct operation *o) {
  uint32_t process = dpor_process(o);
  p->plan = p->plan && p->plan->process == process ? p->plan->children : NULL;
  size_t kept = 0;
  for (size_t i = 0; i < p->sleepers.length; i++) {
    struct dpor_sleeper s = p->sleepers.data[i];
    if (s.process != process && commute(d, &s.op, o))
      p->sleepers.data[kept++] = s;
  }
  p->sleepers.length = kept;
}

/* Does anything wake the sleeper that the event at that position does not happen before?  pre: that event
 * wakes it. */
static bool woken_otherwise(const struct dpor *d, const struct dpor_sleeper *s, uint32_t position) {
  for (uint32_t i = position + 1; i < d->events.length; i++) {
    const struct dpor_event *e = &d->events.data[i];
    if (e->process == s->process)
      return false;
    if (!dpor_before(d, position, i) && !commute(d, &s->op, &e->op))
      return true;
  }
  return false;
}

void dpor_out_of_turn(const struct dpor *d, dpor_positions *out) {
  out->length = 0;
  for (uint32_t i = 0; i < d->events.length; i++) {
    const struct dpor_event *e = &d->events.data[i];
    bool parts = false;
    for (uint32_t n = e->sleep_begin; n < e->sleep_end && !parts; n++) {
      const struct dpor_sleeper *s = &d->sleepers.data[n];
      parts = s->process != e->process && !commute(d, &s->op, &e->op) && !woken_otherwise(d, s, i);
    }
    if (parts)
      vec_push(out, i);
  }
}

void dpor_free(struct dpor *d) {
  bool pm = d->pm;
  for (size_t i = 0; i < d->events.length; i++)
    drop_branches(d, d->events.data[i].instead);
  drop_branches(d, d->plan);
  while (d->unused) {
    struct dpor_branch *b = d->unused;
    d->unused = b->next;
    mem_free(b, sizeof *b);
  }
  vec_free(&d->events);
  vec_free(&d->clocks);
  vec_free(&d->newest);
  vec_free(&d->numbers);
  vec_free(&d->lanes.of);
  vec_free(&d->lanes.unused);
  vec_free(&d->sleepers);
  vec_free(&d->races);
  map_free(&d->things);
  *d = (struct dpor){.pm = pm};
}
