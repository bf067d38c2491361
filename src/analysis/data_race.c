#include "analysis/data_race.h"
#include "analysis/prefix.h"
#include "base/fours.h"
#include <string.h>

enum access_kind { LOAD, STORE, ATOMIC_LOAD, ATOMIC_STORE, ACCESS_KINDS };

/* A word has several atomic objects, if they are small: by the first byte of each. */
struct object {
  uint32_t release; /* row: what an acquiring load of it learns; of a lock: what was released */
  uint32_t size;    /* 0: none */
  /* Updates that add up, one of which was the last to change it: the row before the first of them (of a barrier: before
   * the round under way), and 1 + position of the newest; 0: there are none. */
  uint32_t base, update;
};

struct data_race_place {
  struct object object[8];
};

struct data_race_changed {
  uint32_t number, first; /* of the place, and of the object */
  struct object before;
};

/* Rows: what the thread knows; what relaxed loads would have told it; what its last release fence
 * published. */
struct data_race_own {
  uint32_t clock, pending, fence;
  bool begun;
};

struct data_race_step {
  struct data_race_own before; /* of its thread */
  uint32_t rows, trail;        /* how long they were */
  uint32_t clock;              /* row: what its thread knew then */
  uint32_t number[2];          /* of the words that it accesses; */
  uint32_t older[2];           /* 1 + position of its thread's access of the same kind before it */
  /* An update that adds up with others: row, what it releases; 1 + position of the one before it, or 0. */
  uint32_t published, update;
};

#define LOCK_KEY ((uint64_t)1 << 63)

static uint32_t *row(const struct data_race *d, uint32_t n) {
  return &d->rows.data[(size_t)n * d->threads];
}

static uint32_t copy_row(struct data_race *d, uint32_t from) {
  uint32_t n = (uint32_t)(d->rows.length / d->threads);
  vec_reserve(&d->rows, d->rows.length + d->threads);
  d->rows.length += d->threads;
  memcpy(row(d, n), row(d, from), d->threads * sizeof *d->rows.data);
  return n;
}

static bool within(const struct data_race *d, uint32_t a, uint32_t b) {
  return fours_within(row(d, a), row(d, b), d->threads);
}

/* A row of both. */
static uint32_t merge(struct data_race *d, uint32_t a, uint32_t b) {
  if (a == b || within(d, b, a))
    return a;
  uint32_t n = copy_row(d, a);
  fours_raise(row(d, n), row(d, b), d->threads);
  return n;
}

static uint32_t number_of(struct data_race *d, uint64_t key) {
  uint32_t *number = map_at(&d->numbers, key);
  if (*number)
    return *number - 1;
  *number = (uint32_t)d->places.length + 1;
  vec_push(&d->places, (struct data_race_place){0});
  for (uint32_t i = 0; i < d->threads * ACCESS_KINDS; i++)
    vec_push(&d->newest, 0);
  return (uint32_t)d->places.length - 1;
}

static struct object *change(struct data_race *d, uint32_t number, uint32_t first) {
  struct object *x = &d->places.data[number].object[first];
  vec_push(&d->trail, ((struct data_race_changed){number, first, *x}));
  return x;
}

/* ---- synchronisation ---- */

static bool acquires(int order) {
  return order == ABI_ACQUIRE || order == ABI_CONSUME || order == ABI_ACQ_REL ||
         order == ABI_SEQ_CST;
}

static bool releases(int order) {
  return order == ABI_RELEASE || order == ABI_ACQ_REL || order == ABI_SEQ_CST;
}

/* Who arrives knows of earlier rounds.  The last one knows of all arrivals, and so do those who go on after it
 * (operation.learns). */
static void at_barrier(struct data_race *d, const struct operation *o, struct data_race_own *self,
                       uint32_t number) {
  struct object barrier = d->places.data[number].object[0];
  self->clock = merge(d, self->clock, barrier.base);
  barrier.release = merge(d, barrier.release, self->clock);
  if (operation_completes(o))
    self->clock = barrier.base = barrier.release;
  barrier.size = 1;
  *change(d, number, 0) = barrier;
}

static void at_lock(struct data_race *d, const struct operation *o, struct data_race_own *self) {
  uint32_t number = number_of(d, LOCK_KEY | (o->also ? o->also : o->address));
  uint32_t lock = d->places.data[number].object[0].release;
  bool gives = o->lock == OPERATION_LOCK_RELEASE || o->lock == OPERATION_LOCK_LEAVE;
  if (o->lock == OPERATION_LOCK_FAILED || o->lock == OPERATION_LOCK_NUMBER ||
      o->lock == OPERATION_LOCK_SETUP)
    return;
  if (o->round) {
    at_barrier(d, o, self, number);
    return;
  }
  if (!gives)
    self->clock = merge(d, self->clock, lock);
  if (!gives && o->lock != OPERATION_LOCK_OTHER && o->lock != OPERATION_LOCK_ARRIVE)
    return;
  lock = merge(d, lock, self->clock);
  *change(d, number, 0) = (struct object){lock, 1, lock, 0};
}

static void at_fence(struct data_race *d, const struct operation *o, struct data_race_own *self) {
  int order = o->order - 1;
  if (acquires(order))
    self->clock = merge(d, self->clock, self->pending);
  if (releases(order))
    self->fence = self->clock;
}

/* Is it one more of the updates that add up, the newest of which is at that position? */
static bool adds_up(const struct data_race *d, const struct object *x, const struct operation *o) {
  return x->update && operations_add_up(&d->operations.data[x->update - 1], o);
}

/* What such an update learns from the object: not what others like it release that could as well come after it.  What
 * its own thread has acquired with one is known. */
static uint32_t known_to(struct data_race *d, const struct object *x, const struct operation *o) {
  if (!adds_up(d, x, o))
    return x->release;
  uint32_t known = x->base, position = (uint32_t)d->operations.length;
  for (uint32_t at = x->update; at; at = d->steps.data[at - 1].update) {
    const struct operation *other = &d->operations.data[at - 1];
    if (other->thread == o->thread && acquires(other->order - 1))
      return known;
    uint32_t published = d->steps.data[at - 1].published;
    if (!within(d, published, known) && d->before(at - 1, position))
      known = merge(d, known, published);
  }
  return known;
}

static void learn(struct data_race *d, uint32_t number, const struct operation *o,
                  struct data_race_own *self) {
  uint32_t first = o->address & 7;
  for (uint32_t i = 0; i < 8; i++) {
    struct object x = d->places.data[number].object[i];
    if (!x.size || i + x.size <= first || first + o->size <= i)
      continue;
    uint32_t told = known_to(d, &x, o);
    self->pending = merge(d, self->pending, told);
    if (acquires(o->order - 1))
      self->clock = merge(d, self->clock, told);
  }
}

static void at_atomic(struct data_race *d, const struct operation *o, struct data_race_own *self,
                      struct data_race_step *step) {
  uint32_t number = step->number[0], first = o->address & 7;
  if (o->kind == OPERATION_READ || o->locked)
    learn(d, number, o, self);
  if (o->kind != OPERATION_WRITE)
    return;
  uint32_t published = releases(o->order - 1) ? self->clock : self->fence;
  struct object old = d->places.data[number].object[first], new = {.size = o->size};
  bool more = adds_up(d, &old, o);
  step->published = published;
  step->update = more ? old.update : 0;
  if (o->locked && old.size == o->size) /* a release sequence goes on */
    published = merge(d, old.release, published);
  new.release = published;
  if (o->blind) {
    new.base = more ? old.base : o->locked &&old.size == o->size ? old.release : 0;
    new.update = 1 + (uint32_t)d->operations.length;
  }
  for (uint32_t i = first + 1; i < 8; i++) {
    uint32_t size = d->places.data[number].object[i].size;
    if (size && i + size <= first + o->size)
      change(d, number, i)->size = 0; /* overwritten as a whole */
  }
  *change(d, number, first) = new;
}

/* ---- accesses ---- */

static unsigned bytes_of(const struct operation *o, uintptr_t word) {
  uintptr_t begin = word << 3, end = o->address + o->size;
  if (end <= begin || o->address >= begin + 8)
    return 0;
  unsigned first = o->address > begin ? (unsigned)(o->address - begin) : 0;
  unsigned behind = end < begin + 8 ? (unsigned)(end - begin) : 8;
  return (1u << behind) - (1u << first);
}

/* To use a lock is like an atomic load of it: its initialisation has to happen before, its end after. */
static enum access_kind kind_of(const struct operation *o) {
  if (o->kind == OPERATION_LOCK)
    return o->lock == OPERATION_LOCK_SETUP ? STORE : ATOMIC_LOAD;
  if (operation_is_store(o))
    return o->order ? ATOMIC_STORE : STORE;
  return o->order ? ATOMIC_LOAD : LOAD;
}

static bool conflict(enum access_kind a, enum access_kind b) {
  bool stores = a == STORE || a == ATOMIC_STORE || b == STORE || b == ATOMIC_STORE;
  bool plain = a == LOAD || a == STORE || b == LOAD || b == STORE;
  return stores && plain;
}

static uint32_t *newest(struct data_race *d, uint32_t number, uint32_t thread, uint32_t kind) {
  return &d->newest.data[((size_t)number * d->threads + thread) * ACCESS_KINDS + kind];
}

static uint32_t older(const struct data_race *d, uint32_t position, uintptr_t word) {
  return d->steps.data[position].older[word != d->operations.data[position].address >> 3];
}

/* The newest access of that thread and kind to any of the bytes, unless it happens before.  If one does, so do all before
 * it. */
static uint32_t unordered_with(const struct data_race *d, uint32_t at, uintptr_t word,
                               unsigned bytes, const uint32_t *clock) {
  for (; at; at = older(d, at - 1, word)) {
    const struct operation *o = &d->operations.data[at - 1];
    if (clock[o->thread] >= row(d, d->steps.data[at - 1].clock)[o->thread])
      return 0;
    if (bytes_of(o, word) & bytes)
      return at;
  }
  return 0;
}

static uint32_t unordered(struct data_race *d, const struct operation *o, uintptr_t word,
                          uint32_t number, const uint32_t *clock) {
  enum access_kind kind = kind_of(o);
  unsigned bytes = bytes_of(o, word);
  for (uint32_t t = 0; t < d->threads; t++)
    for (uint32_t k = 0; t != o->thread && k < ACCESS_KINDS; k++) {
      uint32_t at = conflict(kind, (enum access_kind)k) ? *newest(d, number, t, k) : 0;
      uint32_t other = at ? unordered_with(d, at, word, bytes, clock) : 0;
      if (other)
        return other;
    }
  return 0;
}

/* clock: row of what is known to its thread when it begins.  Whoever releases a lock has taken it before, which was looked
 * at. */
static void at_access(struct data_race *d, const struct operation *o, uint32_t position,
                      uint32_t clock) {
  bool looks = o->kind != OPERATION_LOCK || o->lock != OPERATION_LOCK_RELEASE;
  uint32_t other = 0;
  int n = 0;
  for (uintptr_t w = o->address >> 3; w <= (o->address + o->size - 1) >> 3; w++, n++) {
    uint32_t number = d->steps.data[position].number[n];
    if (!other && looks)
      other = unordered(d, o, w, number, row(d, clock));
    uint32_t *own = newest(d, number, o->thread, kind_of(o));
    d->steps.data[position].older[n] = *own;
    *own = position + 1;
  }
  if (other)
    vec_push(&d->reports, ((struct data_race_report){other - 1, position}));
}

static bool is_access(const struct operation *o) {
  if (o->order == OPERATION_BY_KERNEL)
    return false;
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE ||
         (o->kind == OPERATION_LOCK && o->size);
}

/* Giving a block back is like a store to all of it.  Who touches it later is another matter. */
static void at_free(struct data_race *d, const struct operation *o, uint32_t position) {
  const uint32_t *clock = row(d, d->steps.data[position].clock);
  for (uint32_t i = position; i-- > 0;) {
    const struct operation *x = &d->operations.data[i];
    if (is_access(x) && x->block == o->block && x->thread != o->thread &&
        clock[x->thread] < row(d, d->steps.data[i].clock)[x->thread]) {
      vec_push(&d->reports, ((struct data_race_report){i, position}));
      return;
    }
  }
}

/* ---- executions ---- */

static void add(struct data_race *d, const struct operation *o) {
  uint32_t position = (uint32_t)d->operations.length;
  struct data_race_own self = d->own.data[o->thread];
  struct data_race_step step = {
      .before = self, .rows = (uint32_t)d->rows.length, .trail = (uint32_t)d->trail.length};
  if ((!self.begun || o->begins || o->learns) && o->after) /* what its creator knew */
    self.clock = merge(d, self.clock, d->steps.data[o->after - 1].clock);
  self.begun = true;
  uint32_t known = self.clock;
  for (uintptr_t w = o->address >> 3; is_access(o) && w <= (o->address + o->size - 1) >> 3; w++)
    step.number[w - (o->address >> 3)] = number_of(d, 1 + w);
  if (o->kind == OPERATION_LOCK)
    at_lock(d, o, &self);
  else if (o->kind == OPERATION_FENCE)
    at_fence(d, o, &self);
  else if (o->order && is_access(o))
    at_atomic(d, o, &self, &step);
  step.clock = self.clock;
  vec_push(&d->operations, *o);
  vec_push(&d->steps, step);
  if (is_access(o))
    at_access(d, o, position, o->kind == OPERATION_LOCK ? known : self.clock);
  else if (o->kind == OPERATION_FREE && o->order != OPERATION_BY_KERNEL)
    at_free(d, o, position);
  self.clock = copy_row(d, self.clock);
  row(d, self.clock)[o->thread]++;
  d->own.data[o->thread] = self;
}

static void take_back(struct data_race *d) {
  struct operation o = vec_pop(&d->operations);
  struct data_race_step step = vec_pop(&d->steps);
  int n = 0;
  for (uintptr_t w = o.address >> 3; is_access(&o) && w <= (o.address + o.size - 1) >> 3; w++, n++)
    *newest(d, step.number[n], o.thread, kind_of(&o)) = step.older[n];
  while (d->trail.length > step.trail) {
    struct data_race_changed c = vec_pop(&d->trail);
    d->places.data[c.number].object[c.first] = c.before;
  }
  d->rows.length = step.rows;
  d->own.data[o.thread] = step.before;
  if (d->reports.length && vec_last(&d->reports).second == d->operations.length)
    d->reports.length--;
}

/* With room for more threads everything is learnt anew. */
static void begin(struct data_race *d, uint32_t threads) {
  while (d->operations.length)
    take_back(d);
  d->threads = d->threads ? d->threads : 4;
  while (d->threads < threads)
    d->threads *= 2;
  map_free(&d->numbers);
  d->places.length = d->newest.length = d->own.length = d->rows.length = 0;
  vec_reserve(&d->rows, d->threads);
  memset(d->rows.data, 0, d->threads * sizeof *d->rows.data);
  d->rows.length = d->threads;
  for (uint32_t t = 0; t < d->threads; t++) {
    vec_push(&d->own, ((struct data_race_own){.clock = copy_row(d, 0)}));
    row(d, d->own.data[t].clock)[t] = 1;
  }
}

void data_race_follow(struct data_race *d, const struct operation *operations, size_t count,
                      size_t known) {
  size_t same = prefix_length(d->operations.data, d->operations.length, operations, count, known);
  uint32_t threads = prefix_threads(operations + same, count - same);
  if (threads > d->threads) {
    begin(d, threads);
    same = 0;
  }
  while (d->operations.length > same)
    take_back(d);
  for (size_t i = same; i < count; i++)
    add(d, &operations[i]);
}
