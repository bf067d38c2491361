#include "analysis/data_race.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/vec.h"
#include <string.h>

/* Newest accesses of a thread to a word: plain and atomic, loads and stores. */
enum access_kind { LOAD, STORE, ATOMIC_LOAD, ATOMIC_STORE, ACCESS_KINDS };

struct newest {
  uint32_t position[8]; /* by byte of the word: 1 + position, or 0 */
  uint32_t time[8];     /* the thread's own clock then */
};

/* A word has several atomic objects, if they are small: by the first byte of each. */
struct place {
  uint64_t key; /* 0: unused */
  struct {
    uint32_t release; /* row: what an acquiring load of it learns; of a lock: what was released */
    uint32_t size;    /* 0: none */
  } object[8];
  uint32_t first; /* words: newest accesses, ACCESS_KINDS for each thread, from there on */
};

/* Rows: what the thread knows; what relaxed loads would have told it; what its last release fence
 * published. */
struct own {
  uint32_t clock, pending, fence;
  bool begun;
};

static struct detector {
  uint32_t threads;
  VEC(uint32_t) rows; /* clocks, `threads` numbers each */
  VEC(uint32_t) at;   /* by position: row of the thread's clock then, or 0 */
  VEC(struct own) own;
  VEC(struct newest) newest;
  struct place *places;
  uint32_t place_count, place_capacity;
} d;

#define LOCK_KEY ((uint64_t)1 << 63)

static uint32_t *row(uint32_t n) {
  return &d.rows.data[(size_t)n * d.threads];
}

static uint32_t new_row(void) {
  uint32_t n = (uint32_t)(d.rows.length / d.threads);
  vec_reserve(&d.rows, d.rows.length + d.threads);
  memset(&d.rows.data[d.rows.length], 0, d.threads * sizeof *d.rows.data);
  d.rows.length += d.threads;
  return n;
}

static void merge(uint32_t to, uint32_t from) {
  for (uint32_t i = 0; i < d.threads; i++)
    if (row(to)[i] < row(from)[i])
      row(to)[i] = row(from)[i];
}

static void copy(uint32_t to, uint32_t from) {
  memcpy(row(to), row(from), d.threads * sizeof *d.rows.data);
}

static struct place *place(uint64_t key);

static void grow_places(void) {
  struct place *old = d.places;
  uint32_t capacity = d.place_capacity;
  d.place_capacity = capacity ? capacity * 2 : 64;
  d.places = mem_alloc(d.place_capacity * sizeof *d.places);
  d.place_count = 0;
  for (uint32_t i = 0; i < capacity; i++)
    if (old[i].key)
      *place(old[i].key) = old[i];
  mem_free(old, capacity * sizeof *old);
}

static struct place *place(uint64_t key) {
  if (d.place_count * 2 >= d.place_capacity)
    grow_places();
  for (uint64_t at = hash_u64(0, key);; at++) {
    struct place *p = &d.places[at & (d.place_capacity - 1)];
    if (p->key == key)
      return p;
    if (p->key)
      continue;
    p->key = key;
    d.place_count++;
    return p;
  }
}

/* ---- synchronisation ---- */

static bool acquires(int order) {
  return order == ABI_ACQUIRE || order == ABI_CONSUME || order == ABI_ACQ_REL ||
         order == ABI_SEQ_CST;
}

static bool releases(int order) {
  return order == ABI_RELEASE || order == ABI_ACQ_REL || order == ABI_SEQ_CST;
}

/* The row of what was released at the object that begins there. */
static uint32_t released(struct place *p, uint32_t first, uint32_t size) {
  if (!p->object[first].release)
    p->object[first].release = new_row();
  p->object[first].size = size;
  return p->object[first].release;
}

static void at_lock(const struct operation *o, struct own *self) {
  uint32_t lock = released(place(LOCK_KEY | (o->also ? o->also : o->address)), 0, 1);
  if (o->lock != OPERATION_LOCK_RELEASE)
    merge(self->clock, lock);
  if (o->lock == OPERATION_LOCK_RELEASE || o->lock == OPERATION_LOCK_OTHER)
    merge(lock, self->clock);
}

static void at_fence(const struct operation *o, struct own *self) {
  int order = o->order - 1;
  if (acquires(order))
    merge(self->clock, self->pending);
  if (releases(order))
    copy(self->fence, self->clock);
}

static void learn(const struct place *word, const struct operation *o, struct own *self) {
  uint32_t first = o->address & 7;
  for (uint32_t i = 0; i < 8; i++) {
    if (!word->object[i].size || i + word->object[i].size <= first || first + o->size <= i)
      continue;
    merge(self->pending, word->object[i].release);
    if (acquires(o->order - 1))
      merge(self->clock, word->object[i].release);
  }
}

static void at_atomic(const struct operation *o, struct own *self) {
  struct place *word = place(1 + (o->address >> 3));
  uint32_t first = o->address & 7, publishes = releases(o->order - 1) ? self->clock : self->fence;
  if (o->kind == OPERATION_READ || o->locked)
    learn(word, o, self);
  if (o->kind != OPERATION_WRITE)
    return;
  bool goes_on = o->locked && word->object[first].size == o->size; /* a release sequence */
  for (uint32_t i = 0; i < 8; i++)
    if (i >= first && i + word->object[i].size <= first + o->size)
      word->object[i].size = 0; /* overwritten as a whole */
  uint32_t object = released(word, first, o->size);
  if (goes_on)
    merge(object, publishes);
  else
    copy(object, publishes);
}

/* ---- accesses ---- */

static unsigned bytes_of(const struct operation *o, uintptr_t word) {
  unsigned mask = 0;
  for (uint32_t i = 0; i < o->size; i++)
    if ((o->address + i) >> 3 == word)
      mask |= 1u << ((o->address + i) & 7);
  return mask;
}

static bool conflict(enum access_kind a, enum access_kind b) {
  bool stores = a == STORE || a == ATOMIC_STORE || b == STORE || b == ATOMIC_STORE;
  bool plain = a == LOAD || a == STORE || b == LOAD || b == STORE;
  return stores && plain;
}

static uint32_t unordered(const struct place *w, const struct operation *o, enum access_kind kind,
                          unsigned bytes, const struct own *self) {
  for (uint32_t t = 0; t < d.threads; t++)
    for (int k = 0; t != o->thread && k < ACCESS_KINDS; k++) {
      if (!conflict(kind, (enum access_kind)k))
        continue;
      const struct newest *n = &d.newest.data[w->first + t * ACCESS_KINDS + (uint32_t)k];
      for (int b = 0; b < 8; b++)
        if (bytes >> b & 1 && n->position[b] && row(self->clock)[t] < n->time[b])
          return n->position[b];
    }
  return 0;
}

static uint32_t at_word(const struct operation *o, uintptr_t word, uint32_t position,
                        const struct own *self) {
  struct place *w = place(1 + word);
  if (!w->first) {
    w->first = (uint32_t)d.newest.length;
    for (uint32_t i = 0; i < d.threads * ACCESS_KINDS; i++)
      vec_push(&d.newest, (struct newest){0});
  }
  enum access_kind kind = o->kind == OPERATION_WRITE ? STORE : LOAD;
  if (o->order)
    kind = kind == STORE ? ATOMIC_STORE : ATOMIC_LOAD;
  unsigned bytes = bytes_of(o, word);
  uint32_t other = unordered(w, o, kind, bytes, self);
  struct newest *n = &d.newest.data[w->first + o->thread * ACCESS_KINDS + kind];
  for (int b = 0; b < 8; b++)
    if (bytes >> b & 1) {
      n->position[b] = position + 1;
      n->time[b] = row(self->clock)[o->thread];
    }
  return other;
}

static void begin(const struct operation *operations, size_t count) {
  d.threads = 1;
  for (size_t i = 0; i < count; i++)
    if (operations[i].thread >= d.threads)
      d.threads = operations[i].thread + 1u;
  d.rows.length = d.at.length = d.own.length = d.newest.length = 0;
  new_row();
  vec_push(&d.newest, (struct newest){0}); /* 0 is none */
  for (uint32_t t = 0; t < d.threads; t++) {
    uint32_t clock = new_row(), pending = new_row(), fence = new_row();
    row(clock)[t] = 1;
    vec_push(&d.own, ((struct own){.clock = clock, .pending = pending, .fence = fence}));
  }
  if (d.places)
    memset(d.places, 0, d.place_capacity * sizeof *d.places);
  d.place_count = 0;
}

void data_race_check(const struct operation *operations, size_t count,
                     void (*found)(const struct data_race_report *r)) {
  begin(operations, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct operation *o = &operations[i];
    struct own *self = &d.own.data[o->thread];
    if (!self->begun && o->after) /* what its creator knew */
      merge(self->clock, d.at.data[o->after - 1]);
    self->begun = true;
    uint32_t other = 0;
    bool access = o->kind == OPERATION_READ || o->kind == OPERATION_WRITE;
    if (o->kind == OPERATION_LOCK)
      at_lock(o, self);
    else if (o->kind == OPERATION_FENCE)
      at_fence(o, self);
    else if (access && o->order)
      at_atomic(o, self);
    for (uintptr_t w = o->address >> 3; access && w <= (o->address + o->size - 1) >> 3; w++)
      other = other ? other : at_word(o, w, i, self);
    if (other)
      found(&(struct data_race_report){other - 1, i});
    uint32_t now = new_row();
    copy(now, self->clock);
    vec_push(&d.at, now);
    row(self->clock)[o->thread]++;
  }
}
