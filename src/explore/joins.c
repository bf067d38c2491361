#include "explore/joins.h"
#include "base/check.h"
#include "explore/dpor_internal.h"
#include <string.h>

#define WORD_BITS 64

static struct joins_place *place_of(struct joins *j, uint32_t state) {
  while (j->places.length <= state)
    vec_push(&j->places, ((struct joins_place){0}));
  return &j->places.data[state];
}

static bool same_sleeper(const struct dpor_sleeper *a, const struct dpor_sleeper *b) {
  return a->process == b->process && a->barred == b->barred && a->op.kind == b->op.kind &&
         a->op.address == b->op.address && a->op.size == b->op.size;
}

static bool sleeps(const struct dpor *d, const struct dpor_sleeper *s) {
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    if (same_sleeper(&d->sleepers.data[i], s))
      return true;
  return false;
}

bool joins_find(const struct joins *j, const struct dpor *d, uint32_t state) {
  if (state >= j->places.length || !j->places.data[state].finished)
    return false;
  const struct joins_place *p = &j->places.data[state];
  for (uint32_t i = 0; i < p->sleeper_count; i++)
    if (!sleeps(d, &j->sleepers.data[p->sleep_begin + i]))
      return false;
  return true;
}

void joins_enter(struct joins *j, const struct dpor *d, uint32_t state) {
  struct joins_place *p = place_of(j, state);
  j->visits++;
  if (p->open)
    return;
  *p = (struct joins_place){.open = true, .sleep_begin = (uint32_t)j->sleepers.length};
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    vec_push(&j->sleepers, d->sleepers.data[i]);
  p->sleeper_count = (uint32_t)j->sleepers.length - p->sleep_begin;
  if (j->open_count == j->open.length)
    vec_push(&j->open, ((struct joins_open){0}));
  struct joins_open *o = &j->open.data[j->open_count++];
  o->state = state;
  o->depth = (uint32_t)d->events.length;
  CHECK(j->open_count == 1 || o[-1].depth <= o->depth, "a state at %u within one at %u", o->depth,
        o[-1].depth);
  o->after.length = 0;
}

/* The number of an operation; only what dependence looks at counts. */
static uint32_t number_of(struct joins *j, const struct operation *o) {
  struct operation x;
  memset(&x, 0, sizeof x);
  x.kind = o->kind;
  x.lock = o->lock;
  x.drain = o->drain;
  x.drained = o->drained;
  x.locked = o->locked;
  x.thread = o->thread;
  x.size = o->size;
  x.address = o->address;
  x.also = o->also;
  return intern(&j->operations, &x, sizeof x);
}

static struct operation operation_of(const struct joins *j, uint32_t number) {
  struct operation o;
  CHECK(number && number <= j->operations.items.length, "operation %u of %zu", number,
        j->operations.items.length);
  memcpy(&o, j->operations.bytes.data + j->operations.items.data[number - 1].offset, sizeof o);
  return o;
}

static void set_bit(struct joins_open *o, uint32_t bit) {
  while (o->after.length <= bit / WORD_BITS)
    vec_push(&o->after, 0);
  o->after.data[bit / WORD_BITS] |= (uint64_t)1 << bit % WORD_BITS;
}

void joins_note(struct joins *j, const struct operation *o) {
  if (j->open_count)
    vec_push(&j->noted, ((struct joins_noted){j->open_count, *o}));
}

void joins_run_begins(struct joins *j) {
  j->open_before = j->open_count;
  j->visits_before = j->visits;
  j->noted.length = 0;
}

void joins_run_ends(struct joins *j, bool given_up) {
  for (size_t i = 0; i < j->noted.length && !given_up; i++) {
    const struct joins_noted *n = &j->noted.data[i];
    set_bit(&j->open.data[n->places - 1], number_of(j, &n->operation) - 1);
  }
  j->noted.length = 0;
  if (!given_up)
    return;
  j->visits = j->visits_before;
  while (j->open_count > j->open_before)
    j->places.data[j->open.data[--j->open_count].state] = (struct joins_place){0};
}

static void add_set(struct joins_open *o, const uint64_t *words, size_t count) {
  while (o->after.length < count)
    vec_push(&o->after, 0);
  for (size_t i = 0; i < count; i++)
    o->after.data[i] |= words[i];
}

static void close_newest(struct joins *j, bool finished) {
  CHECK(j->open_count, "no state is open");
  struct joins_open *o = &j->open.data[--j->open_count];
  CHECK(o->state < j->places.length && j->places.data[o->state].open, "state %u is not open",
        o->state);
  struct joins_place *p = &j->places.data[o->state];
  p->open = false;
  p->finished = finished;
  if (finished && o->after.length)
    p->after = intern(&j->sets, o->after.data, o->after.length * sizeof o->after.data[0]);
  if (j->open_count)
    add_set(&j->open.data[j->open_count - 1], o->after.data, o->after.length);
}

void joins_retreat(struct joins *j, size_t events) {
  while (j->open_count && j->open.data[j->open_count - 1].depth > events)
    close_newest(j, true);
}

void joins_leave(struct joins *j, size_t events) {
  size_t kept = 0;
  for (size_t i = 0; i < j->open_count; i++) {
    struct joins_open x = j->open.data[i];
    if (x.depth < events) {
      j->places.data[x.state] = (struct joins_place){0};
    } else { /* swap, so that each keeps the memory of its own list */
      j->open.data[i] = j->open.data[kept];
      j->open.data[kept++] = x;
    }
  }
  j->open_count = kept;
}

/* The words of the set; *count of them. */
static const uint64_t *set_of(const struct joins *j, uint32_t number, size_t *count) {
  *count = 0;
  if (!number)
    return NULL;
  const struct intern_item *x = &j->sets.items.data[number - 1];
  *count = x->length / sizeof(uint64_t);
  return (const uint64_t *)(const void *)(j->sets.bytes.data + x->offset);
}

/* The next operation of the set from *bit on; false: there is none. */
static bool next_of(const uint64_t *words, size_t count, size_t *bit) {
  for (; *bit < count * WORD_BITS; ++*bit)
    if (words[*bit / WORD_BITS] >> *bit % WORD_BITS & 1)
      return true;
  return false;
}

bool joins_stay_among(const struct joins *j, uint32_t state, uint32_t threads) {
  size_t count;
  const uint64_t *words = set_of(j, j->places.data[state].after, &count);
  for (size_t bit = 0; next_of(words, count, &bit); bit++)
    if (operation_of(j, (uint32_t)bit + 1).thread >= threads)
      return false;
  return true;
}

/* The processes of all operations of the set. */
static void find_processes(const struct joins *j, const uint64_t *words, size_t count,
                           dpor_processes *out) {
  out->length = 0;
  for (size_t bit = 0; next_of(words, count, &bit); bit++) {
    struct operation o = operation_of(j, (uint32_t)bit + 1);
    bool new = true;
    for (size_t i = 0; i < out->length && new; i++)
      new = out->data[i] != dpor_process(&o);
    if (new)
      vec_push(out, dpor_process(&o));
  }
}

void joins_join(struct joins *j, struct dpor *d, uint32_t state,
                uint32_t (*issued)(const struct operation *o)) {
  static dpor_processes processes; /* scratch */
  size_t count;
  CHECK(state < j->places.length && j->places.data[state].finished, "state %u is not known", state);
  const uint64_t *words = set_of(j, j->places.data[state].after, &count);
  j->joined++;
  find_processes(j, words, count, &processes);
  dpor_drop_plan(d);
  for (size_t bit = 0; next_of(words, count, &bit); bit++) {
    struct operation o = operation_of(j, (uint32_t)bit + 1);
    o.after = o.drain ? issued(&o) : 0;
    o.patient = o.kind == OPERATION_LOCK;
    dpor_foresee(d, &o, &processes);
  }
  if (j->open_count)
    add_set(&j->open.data[j->open_count - 1], words, count);
}

size_t joins_bytes(const struct joins *j) {
  return j->operations.bytes.capacity + j->sets.bytes.capacity +
         j->sleepers.capacity * sizeof j->sleepers.data[0] +
         j->places.capacity * sizeof j->places.data[0];
}

void joins_clear(struct joins *j) {
  for (size_t i = 0; i < j->open.length; i++)
    vec_free(&j->open.data[i].after);
  vec_free(&j->open);
  vec_free(&j->places);
  vec_free(&j->sleepers);
  vec_free(&j->noted);
  intern_free(&j->operations);
  intern_free(&j->sets);
  j->open_count = j->open_before = 0;
  j->visits = j->joined = 0;
}
