/* Events: their vector clocks, and races between events that depend on each other and are not ordered otherwise. */
#include "base/check.h"
#include "base/fours.h"
#include "event/window.h"
#include "explore/dpor_internal.h"
#include <string.h>

/* Keys of things: an aligned word of memory (no flag), a lock, a heap block as touched or as freed, a line of
 * persistent memory as stored to or as loaded and flushed. */
#define LOCK_KEY ((uint64_t)1 << 63)
#define BLOCK_KEY ((uint64_t)1 << 62)
#define FREED_KEY ((uint64_t)1 << 61)
#define LINE_KEY ((uint64_t)1 << 60)
#define STORED_KEY ((uint64_t)1 << 59)
#define WORD_SHIFT 3
#define WIDTH_MIN 8

/* ---- what an operation is about ---- */

/* The lines of persistent memory that an access touches. */
static int line_keys_of(const struct operation *o, uint64_t keys[DPOR_KEYS]) {
  uint64_t kind = o->kind == OPERATION_WRITE ? STORED_KEY : LINE_KEY;
  keys[0] = kind | o->address >> OPERATION_LINE_SHIFT;
  keys[1] = kind | (o->address + o->size - 1) >> OPERATION_LINE_SHIFT;
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
    if (d->pm && window_has(o->address))
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

/* Which bytes of the word the operation touches, a bit each. */
static unsigned bytes_of(const struct operation *o, uint64_t key) {
  if (key & LOCK_KEY)
    return 0xff;
  uintptr_t word = (key - 1) << WORD_SHIFT, end = o->address + o->size;
  unsigned first = o->address > word ? (unsigned)(o->address - word) : 0;
  unsigned behind = end < word + 8 ? (unsigned)(end - word) : 8;
  return (0xffu << first) & ((1u << behind) - 1);
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
  fours_raise(clock, clock_of(d, position), d->width);
}

/* Does that event happen before whatever has this clock? */
static bool covers(const struct dpor *d, const uint32_t *clock, uint32_t position) {
  const struct dpor_event *e = &d->events.data[position];
  return clock[e->column] >= e->number;
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

static int number_of_key(const struct dpor_event *e, uint64_t key) {
  for (int i = 0; i < e->key_count; i++)
    if (e->keys[i] == key)
      return i;
  CHECK(false, "an event is not about what it is listed for");
}

/* 1 + position of the event before that one that touched the key, or 0. */
static uint32_t previous_of(const struct dpor *d, uint32_t position, uint64_t key) {
  const struct dpor_event *e = &d->events.data[position];
  return e->previous[number_of_key(e, key)];
}

/* 1 + position of the newest event up to at - 1 that stored to the key, or 0; at - 1 has touched it. */
static uint32_t store_at(const struct dpor *d, uint32_t at, uint64_t key) {
  if (!at || d->events.data[at - 1].op.kind == OPERATION_WRITE)
    return at;
  const struct dpor_event *e = &d->events.data[at - 1];
  return e->stored[number_of_key(e, key)];
}

/* An earlier event depends on the new one, whose clock so far is that: it is a race unless it is ordered otherwise. */
static void meet(struct dpor *d, uint32_t *clock, uint32_t earlier, uint32_t position) {
  if (!covers(d, clock, earlier))
    vec_push(&d->races, ((struct dpor_race){.first = earlier, .second = position}));
}

/* An operation on a lock that has waited: it may not have been possible right before the newest operation on the lock,
 * but before an earlier one. */
static void meet_each(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  for (uint32_t at = *newest_at(d, key); at; at = previous_of(d, at - 1, key))
    if (d->events.data[at - 1].op.lock != OPERATION_LOCK_RELEASE)
      meet(d, clock, at - 1, position);
}

/* 1 + the position of the acquisition that the release at newest - 1 belongs to, or 0: of a recursive mutex, the
 * outermost. */
static uint32_t acquisition_of(const struct dpor *d, uint64_t key, uint32_t newest) {
  uint32_t thread = d->events.data[newest - 1].op.thread, depth = 0;
  for (uint32_t at = newest; at; at = previous_of(d, at - 1, key)) {
    const struct operation *o = &d->events.data[at - 1].op;
    bool acquires = (o->lock == OPERATION_LOCK_ACQUIRE || o->lock == OPERATION_LOCK_TRY ||
                     o->lock == OPERATION_LOCK_TRY_READ) &&
                    key == (LOCK_KEY | o->address);
    if (o->thread != thread)
      continue;
    depth += o->lock == OPERATION_LOCK_RELEASE;
    if (acquires && depth-- <= 1)
      return at;
  }
  return 0;
}

/* Arrivals at a barrier depend on those in other rounds; those of the newest other round happen after all before.  So does
 * whatever else is done to the barrier. */
static void meet_arrivals(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  uint32_t round = 0;
  for (uint32_t at = *newest_at(d, key); at; at = previous_of(d, at - 1, key)) {
    const struct operation *other = &d->events.data[at - 1].op;
    if (other->thread != o->thread && dpor_commute(d, other, o))
      continue;
    if (round && other->round != round)
      return;
    round = other->round;
    meet(d, clock, at - 1, position);
    join(d, clock, at - 1);
    if (!round)
      return;
  }
}

/* All other operations on a lock depend on each other.  An acquisition cannot come right before the release that made it
 * possible, but before the acquisition that this release belongs to; a join cannot come before the end of the
 * thread. */
static void meet_lock(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  uint32_t newest = *newest_at(d, key);
  if (!newest)
    return;
  uint32_t other = newest - 1;
  uint8_t how = d->events.data[position].op.lock;
  if (d->events.data[other].op.round) {
    meet_arrivals(d, clock, key, position);
    return;
  }
  /* If an attempt has failed last, who acquires it now holds it already. */
  bool again = d->events.data[other].op.lock == OPERATION_LOCK_FAILED;
  bool had_to_wait = !again && (how == OPERATION_LOCK_ACQUIRE || how == OPERATION_LOCK_JOIN);
  bool patient = d->events.data[position].op.patient;
  if (had_to_wait && !patient && key == (LOCK_KEY | d->events.data[position].op.address)) {
    bool free = how == OPERATION_LOCK_ACQUIRE && d->events.data[other].op.found_free;
    uint32_t at = free ? newest : acquisition_of(d, key, newest);
    if (at)
      meet(d, clock, at - 1, position);
  } else if (patient) {
    meet_each(d, clock, key, position);
  } else {
    meet(d, clock, other, position);
  }
  join(d, clock, other);
}

/* Updates that add up are not ordered with each other, so the newest one does not stand for those before it.  By byte: the
 * newest, as long as there are only others like it before it. */
struct updates {
  const struct operation *newest[8]; /* for bytes in open */
  unsigned open;
};

static void updates_begin(struct updates *u, unsigned bytes, const struct operation *o) {
  u->open |= o->blind ? bytes : 0;
  for (; o->blind && bytes; bytes &= bytes - 1)
    u->newest[__builtin_ctz(bytes)] = o;
}

/* Is this store to these bytes, which comes before them, one of them? */
static bool updates_go_on(struct updates *u, unsigned bytes, const struct operation *o) {
  bool same = false;
  for (bytes &= u->open; bytes; bytes &= bytes - 1) {
    same = operations_add_up(u->newest[__builtin_ctz(bytes)], o);
    u->open &= ~(same ? 0 : bytes & -bytes);
  }
  return same;
}

/* Has the store left the buffer of the load's own thread, and does it cover all bytes of the load? */
static bool answers(const struct operation *store, const struct operation *load) {
  return store->drain && store->store && store->thread == load->thread && !load->mixed &&
         store->address <= load->address &&
         load->address + load->size <= store->address + store->size;
}

/* A load depends on the stores that it reads from: for each byte the newest one, or several that add up.  If that is one of its own thread, the
 * load would have read it from the buffer, too, whatever others had stored before. */
static void meet_stores(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  struct dpor_event *e = &d->events.data[position];
  const struct operation *o = &e->op;
  unsigned left = operation_answered(o) ? 0 : bytes_of(o, key);
  struct updates updates;
  updates.open = 0;
  bool newest = true;
  for (uint32_t at = store_at(d, *newest_at(d, key), key); at && (left || updates.open);
       at = store_at(d, previous_of(d, at - 1, key), key)) {
    const struct operation *other = &d->events.data[at - 1].op;
    unsigned bytes = bytes_of(other, key);
    if (!updates_go_on(&updates, bytes, other) && !(bytes & left))
      continue;
    if (other->thread != o->thread && operations_add_up(other, o))
      continue;
    if (newest && answers(other, o)) {
      e->answer = at;
      return;
    }
    newest = false;
    if (other->thread != o->thread) {
      meet(d, clock, at - 1, position);
      join(d, clock, at - 1);
    }
    if (other->thread != o->thread || !dpor_commute(d, other, o)) {
      updates_begin(&updates, bytes & left, other);
      left &= ~bytes;
    }
  }
}

/* For each byte, a store of another thread that has left its buffer.  Loads that its thread answered from the buffer
 * are not ordered with that, but come before whatever is stored over it. */
struct uncovered {
  const struct operation *store[8]; /* by byte; NULL: there is none */
  uint32_t issued;                  /* 1 + position: no such load is older */
};

static void uncover(struct uncovered *u, unsigned bytes, const struct dpor_event *e) {
  for (; bytes; bytes &= bytes - 1)
    u->store[__builtin_ctz(bytes)] = &e->op;
  u->issued = u->issued < e->after ? u->issued : e->after;
}

/* Is it a load that such a store has answered from its buffer?  Not if a younger store has, which is still there. */
static bool is_uncovered(const struct uncovered *u, unsigned bytes, const struct operation *load) {
  for (; bytes; bytes &= bytes - 1) {
    const struct operation *s = u->store[__builtin_ctz(bytes)];
    if (s && s->thread == load->thread && load->store <= s->store)
      return true;
  }
  return false;
}

/* A store depends on all accesses to its bytes since the newest store that covers them. */
static void meet_accesses(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  struct uncovered beside = {.issued = UINT32_MAX};
  struct updates updates;
  updates.open = 0;
  unsigned left = bytes_of(o, key);
  for (uint32_t at = *newest_at(d, key); at && (left || updates.open || at > beside.issued);
       at = previous_of(d, at - 1, key)) {
    const struct dpor_event *e = &d->events.data[at - 1];
    unsigned bytes = bytes_of(&e->op, key);
    bool others = e->op.thread != o->thread, writes = e->op.kind == OPERATION_WRITE;
    bool meets = bytes & left && !(others && dpor_commute(d, &e->op, o));
    meets |= writes && updates_go_on(&updates, bytes, &e->op);
    if (!meets && !(others && !writes && is_uncovered(&beside, bytes, &e->op)))
      continue;
    if (others)
      meet(d, clock, at - 1, position);
    if (others || !dpor_commute(d, &e->op, o))
      join(d, clock, at - 1);
    if (!writes)
      continue;
    if (others && e->op.drain)
      uncover(&beside, bytes & left, e);
    if (!others && dpor_commute(d, &e->op, o))
      continue;
    if (!operations_add_up(&e->op, o)) /* its own: what others have added is ordered with neither */
      updates_begin(&updates, bytes & left, &e->op);
    left &= ~bytes;
  }
}

/* A look of a waiting loop (operation.state).  Reversing its race with the newest store may be left out because it
 * would be in vain there (second_of); before an earlier store it may not be, so these are races, too. */
static void meet_older(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  unsigned bytes = operation_answered(o) ? 0 : bytes_of(o, key);
  bool newest = true;
  for (uint32_t at = store_at(d, *newest_at(d, key), key); at && bytes;
       at = store_at(d, previous_of(d, at - 1, key), key)) {
    const struct operation *other = &d->events.data[at - 1].op;
    if (!(bytes_of(other, key) & bytes))
      continue;
    if (other->thread == o->thread) /* before that its own buffer answers */
      bytes &= ~bytes_of(other, key);
    else if (!newest)
      meet(d, clock, at - 1, position);
    newest = false;
  }
}

static void meet_word(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  if (d->events.data[position].op.state)
    meet_older(d, clock, key, position);
  if (d->events.data[position].op.kind == OPERATION_WRITE)
    meet_accesses(d, clock, key, position);
  else
    meet_stores(d, clock, key, position);
}

/* Giving a block back depends on every access to it, and on giving it back. */
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

/* A line of persistent memory: an event depends on every earlier one that it does not commute with.  The newest store
 * does not stand for all of them, because loads of other bytes, and loads and flushes of the storing thread, are not
 * ordered with it. */
static void meet_line(struct dpor *d, uint32_t *clock, uint64_t line, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  bool stores = o->kind == OPERATION_WRITE;
  uint32_t stored = *newest_at(d, STORED_KEY | line);
  uint32_t other = stores ? *newest_at(d, LINE_KEY | line) : 0; /* they commute with each other */
  while (stored || other) {
    uint32_t at = stored > other ? stored : other;
    if (at == stored)
      stored = previous_of(d, at - 1, STORED_KEY | line);
    else
      other = previous_of(d, at - 1, LINE_KEY | line);
    const struct dpor_event *e = &d->events.data[at - 1];
    if (e->op.thread == o->thread || covers(d, clock, at - 1) || dpor_commute(d, &e->op, o))
      continue;
    meet(d, clock, at - 1, position);
    join(d, clock, at - 1);
    if (!stores) /* all earlier stores happen before this one */
      break;
  }
}

/* ---- events ---- */

/* Whoever goes on when a round of a barrier is complete comes after all arrivals in it. */
static void join_round(struct dpor *d, uint32_t *clock, uint32_t position) {
  const struct operation *last = &d->events.data[position].op;
  if (!operation_completes(last))
    return;
  uint64_t key = LOCK_KEY | last->address;
  for (uint32_t at = position + 1; at && operations_meet(&d->events.data[at - 1].op, last);
       at = previous_of(d, at - 1, key))
    join(d, clock, at - 1);
}

bool dpor_lets_go(const struct dpor *d, uint32_t arrival, uint32_t position) {
  const struct dpor_event *e = &d->events.data[position];
  const struct operation *o = &d->events.data[arrival].op;
  return (e->after && operation_completes(&d->events.data[e->after - 1].op) &&
          operations_meet(o, &d->events.data[e->after - 1].op)) ||
         (e->before && operation_completes(&d->events.data[e->before - 1].op) &&
          operations_meet(o, &d->events.data[e->before - 1].op));
}

uint32_t dpor_missed(const struct dpor *d, uint32_t first, uint32_t arrival) {
  const struct operation *o = &d->events.data[arrival].op;
  uint32_t missed = 0;
  for (uint32_t at = previous_of(d, arrival, LOCK_KEY | o->address);
       at > first && operations_meet(&d->events.data[at - 1].op, o);
       at = previous_of(d, at - 1, LOCK_KEY | o->address))
    missed += dpor_before(d, first, at - 1);
  return missed;
}

/* The column of clocks for the operation, which is about to be the next event.  For pm it is the process: cuts have a
 * bound for each process. */
static uint32_t enter_lane(struct dpor *d, const struct operation *o, uint32_t after,
                           struct lanes_change *change) {
  *change = (struct lanes_change){0};
  if (d->pm)
    return dpor_process(o);
  uint32_t creator = after ? d->events.data[after - 1].op.thread : LANES_NONE;
  *change = lanes_add(&d->lanes, o, after, (uint32_t)d->events.length, creator);
  return 2 * d->lanes.of.data[o->thread] + o->drain;
}

void dpor_append(struct dpor *d, const struct operation *o, uint32_t after) {
  uint32_t process = dpor_process(o), position = (uint32_t)d->events.length;
  struct lanes_change lanes;
  CHECK(after <= position, "event %u comes after event %u", position, after);
  uint32_t column = enter_lane(d, o, after, &lanes);
  if (column + 2 > d->width)
    widen(d, column + 2);
  while (d->newest.length <= process + 1)
    vec_push(&d->newest, 0);
  while (d->numbers.length <= column)
    vec_push(&d->numbers, 0);
  vec_reserve(&d->events, d->events.length + 1);
  struct dpor_event *new = &d->events.data[d->events.length++];
  *new = (struct dpor_event){.op = *o,
                             .process = process,
                             .column = column,
                             .number = ++d->numbers.data[column],
                             .lanes = lanes,
                             .before = d->newest.data[process],
                             .done = d->next_done,
                             .begun = (double)d->explored,
                             .after = after,
                             .sleep_begin = d->sleep_begin,
                             .sleep_own = d->sleep_own,
                             .bars = d->bars,
                             .sleep_end = (uint32_t)d->sleepers.length};
  d->next_done = (struct dpor_done){0};
  vec_reserve(&d->clocks, d->events.length * d->width);
  d->clocks.length = d->events.length * d->width;
  uint32_t *clock = clock_of(d, position);
  memset(clock, 0, d->width * sizeof *clock);
  if (new->before) {
    join(d, clock, new->before - 1);
    join_round(d, clock, new->before - 1);
  }
  if (after) {
    join(d, clock, after - 1);
    join_round(d, clock, after - 1);
  }
  uint32_t buffer = d->newest.data[process | 1];
  if (o->drained && !o->drain && buffer)
    join(d, clock, buffer - 1);
  for (uint32_t p = 0; o->lock == OPERATION_LOCK_EXIT && p < d->newest.length; p++)
    if (d->newest.data[p])
      join(d, clock, d->newest.data[p] - 1);
  const uint64_t *keys = new->keys;
  int n = new->key_count = keys_of(d, o, new->keys);
  for (int i = 0; i < n; i++) {
    if (keys[i] & LOCK_KEY)
      meet_lock(d, clock, keys[i], position);
    else if (keys[i] & (BLOCK_KEY | FREED_KEY))
      meet_block(d, clock, position);
    else if (keys[i] & (LINE_KEY | STORED_KEY))
      meet_line(d, clock, keys[i] & ~(LINE_KEY | STORED_KEY), position);
    else
      meet_word(d, clock, keys[i], position);
    uint32_t *newest = newest_at(d, keys[i]);
    new->previous[i] = *newest;
    new->stored[i] = store_at(d, *newest, keys[i]);
    *newest = position + 1;
  }
  clock[column] = new->number;
  d->newest.data[process] = position + 1;
}

static void undo_event(struct dpor *d, const struct dpor_event *e) {
  uint32_t position = (uint32_t)d->events.length;
  for (int i = e->key_count; i-- > 0;) {
    uint32_t *newest = newest_at(d, e->keys[i]);
    CHECK(*newest == position + 1, "event %u goes before event %u", position, *newest - 1);
    *newest = e->previous[i];
  }
  CHECK(d->newest.data[e->process] == position + 1, "process %u has a newer event than %u",
        e->process, position);
  CHECK(d->numbers.data[e->column] == e->number && d->sleepers.length >= e->sleep_end,
        "event %u was not the newest", position);
  d->newest.data[e->process] = e->before;
  d->numbers.data[e->column]--;
  if (!d->pm)
    lanes_take_back(&d->lanes, &e->lanes);
  d->sleepers.length = e->sleep_end;
  d->sleep_begin = e->sleep_begin;
  d->sleep_own = e->sleep_own;
  d->bars = e->bars;
}

struct dpor_event *dpor_pop(struct dpor *d) {
  CHECK(d->events.length > 0, "there is no event to take back");
  struct dpor_event *e = &vec_pop(&d->events);
  d->clocks.length = d->events.length * d->width;
  undo_event(d, e);
  while (d->races.length && vec_last(&d->races).second == d->events.length)
    d->races.length--;
  return e;
}
