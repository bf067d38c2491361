/* What has happened: clocks, and races between what is not ordered. */
#include "base/check.h"
#include "event/window.h"
#include "explore/dpor_internal.h"
#include <string.h>

/* Keys of things: an aligned word of memory, a lock, a heap block for those who touch it or for those who
 * give it back, a line of persistent memory for those who store to it or for others. */
#define LOCK_KEY ((uint64_t)1 << 63)
#define BLOCK_KEY ((uint64_t)1 << 62)
#define FREED_KEY ((uint64_t)1 << 61)
#define LINE_KEY ((uint64_t)1 << 60)
#define STORED_KEY ((uint64_t)1 << 59)
#define WORD_SHIFT 3
#define WIDTH_MIN 8

/* ---- what an operation is about ---- */

/* Persistent memory: lines. */
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

/* The bytes of the word that it is about. */
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
  const uint32_t *other = clock_of(d, position);
  for (uint32_t i = 0; i < d->width; i++)
    if (clock[i] < other[i])
      clock[i] = other[i];
}

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

static uint32_t previous_of(const struct dpor *d, uint32_t position, uint64_t key) {
  const struct dpor_event *e = &d->events.data[position];
  return e->previous[number_of_key(e, key)];
}

/* 1 + position of the newest event up to at - 1 that stored to it, or 0. */
static uint32_t store_at(const struct dpor *d, uint32_t at, uint64_t key) {
  if (!at || d->events.data[at - 1].op.kind == OPERATION_WRITE)
    return at;
  const struct dpor_event *e = &d->events.data[at - 1];
  return e->stored[number_of_key(e, key)];
}

/* The race, if it is one, between an earlier event and the new one, whose clock so far is that. */
static void meet(struct dpor *d, uint32_t *clock, uint32_t earlier, uint32_t position) {
  if (!covers(d, clock, earlier))
    vec_push(&d->races, ((struct dpor_race){.first = earlier, .second = position}));
}

/* Whatever the event comes after, it may not be possible right before that, but earlier. */
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

/* All operations on a lock depend on each other.  An acquisition cannot come before the release
 * that made it possible, but before the acquisition that belongs to that; a join cannot come before
 * the end of the thread. */
static void meet_lock(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  uint32_t newest = *newest_at(d, key);
  if (!newest)
    return;
  uint32_t other = newest - 1;
  uint8_t how = d->events.data[position].op.lock;
  bool had_to_wait = how == OPERATION_LOCK_ACQUIRE || how == OPERATION_LOCK_JOIN;
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

/* Is it a store from the load's own buffer to all that it loads? */
static bool answers(const struct operation *store, const struct operation *load) {
  return store->drain && store->store && store->thread == load->thread && !load->mixed &&
         store->address <= load->address &&
         load->address + load->size <= store->address + store->size;
}

/* A load comes after the stores that it reads from.  What its own thread has stored it would have read from the
 * buffer, too, whatever others had stored before. */
static void meet_stores(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  struct dpor_event *e = &d->events.data[position];
  const struct operation *o = &e->op;
  unsigned left = operation_answered(o) ? 0 : bytes_of(o, key);
  bool newest = true;
  for (uint32_t at = store_at(d, *newest_at(d, key), key); at && left;
       at = store_at(d, previous_of(d, at - 1, key), key)) {
    const struct operation *other = &d->events.data[at - 1].op;
    unsigned bytes = bytes_of(other, key);
    if (!(bytes & left))
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
    if (other->thread != o->thread || !dpor_commute(d, other, o))
      left &= ~bytes;
  }
}

/* Bytes whose newest store has left a buffer, and which one: loads that its thread made meanwhile are not ordered with
 * that, but come before whatever is stored over it. */
struct uncovered {
  const struct operation *store[8]; /* by byte; NULL: there is none */
  uint32_t issued;                  /* no such load is older than that, 1 + its position */
};

static void uncover(struct uncovered *u, unsigned bytes, const struct dpor_event *e) {
  for (; bytes; bytes &= bytes - 1)
    u->store[__builtin_ctz(bytes)] = &e->op;
  u->issued = u->issued < e->after ? u->issued : e->after;
}

/* Not if a younger store has answered it, which is still in the buffer. */
static bool is_uncovered(const struct uncovered *u, unsigned bytes, const struct operation *load) {
  for (; bytes; bytes &= bytes - 1) {
    const struct operation *s = u->store[__builtin_ctz(bytes)];
    if (s && s->thread == load->thread && load->store <= s->store)
      return true;
  }
  return false;
}

/* A store covers what was done to its bytes before. */
static void meet_accesses(struct dpor *d, uint32_t *clock, uint64_t key, uint32_t position) {
  const struct operation *o = &d->events.data[position].op;
  struct uncovered beside = {.issued = UINT32_MAX};
  unsigned left = bytes_of(o, key);
  for (uint32_t at = *newest_at(d, key); at && (left || at > beside.issued);
       at = previous_of(d, at - 1, key)) {
    const struct dpor_event *e = &d->events.data[at - 1];
    unsigned bytes = bytes_of(&e->op, key);
    bool others = e->op.thread != o->thread, writes = e->op.kind == OPERATION_WRITE;
    bool meets = bytes & left && !(others && dpor_commute(d, &e->op, o));
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
    if (others || !dpor_commute(d, &e->op, o))
      left &= ~bytes;
  }
}

/* A look that would be in vain right before the newest store, which it meets anyhow, may not be so before an earlier
 * one. */
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

void dpor_append(struct dpor *d, const struct operation *o, uint32_t after) {
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
                         .sleep_own = d->sleep_own,
                         .bars = d->bars,
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
  struct dpor_event *new = &d->events.data[position];
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
  clock[column] = e.number;
  d->newest.data[process] = position + 1;
}

static void undo_event(struct dpor *d, const struct dpor_event *e) {
  for (int i = e->key_count; i-- > 0;)
    *newest_at(d, e->keys[i]) = e->previous[i];
  d->newest.data[e->process] = e->before;
  d->numbers.data[e->column]--;
  if (!d->pm)
    lanes_take_back(&d->lanes, &e->lanes);
  d->sleepers.length = e->sleep_end;
  d->sleep_begin = e->sleep_begin;
  d->sleep_own = e->sleep_own;
  d->bars = e->bars;
}

struct dpor_event dpor_pop(struct dpor *d) {
  struct dpor_event e = vec_pop(&d->events);
  d->clocks.length = d->events.length * d->width;
  undo_event(d, &e);
  while (d->races.length && vec_last(&d->races).second == d->events.length)
    d->races.length--;
  return e;
}
