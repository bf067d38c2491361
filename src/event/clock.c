#include "event/clock.h"
#include "base/check.h"
#include "base/hash.h"

enum note_kind { NOTE_STORED, NOTE_RELEASED, NOTE_ISSUED };

#define WORD 8

/* ---- vectors ---- */

static uint32_t vector_length(const struct clock *c, uint32_t vector) {
  return vector ? c->pool.data[vector] : 0;
}

static uint32_t vector_at(const struct clock *c, uint32_t vector, uint32_t thread) {
  return thread < vector_length(c, vector) ? c->pool.data[vector + 1 + thread] : 0;
}

/* A new vector of that length, all zero; offset 0 is the vector without components. */
static uint32_t vector_create(struct clock *c, uint32_t length) {
  if (c->pool.length == 0)
    vec_push(&c->pool, 0);
  CHECK(c->pool.length + length < UINT32_MAX, "clocks of %zu numbers", c->pool.length);
  uint32_t offset = (uint32_t)c->pool.length;
  vec_push(&c->pool, length);
  for (uint32_t i = 0; i < length; i++)
    vec_push(&c->pool, 0);
  return offset;
}

/* The larger of two in each component, and at least `tick` for `thread`.  The first one itself if
 * nothing is larger. */
static uint32_t vector_join(struct clock *c, uint32_t a, uint32_t b, uint32_t thread,
                            uint32_t tick) {
  uint32_t length = vector_length(c, a);
  bool larger = tick > vector_at(c, a, thread);
  for (uint32_t i = 0; i < vector_length(c, b) && !larger; i++)
    larger = vector_at(c, b, i) > vector_at(c, a, i);
  if (!larger)
    return a;
  if (vector_length(c, b) > length)
    length = vector_length(c, b);
  if (tick && thread >= length)
    length = thread + 1;
  uint32_t new = vector_create(c, length);
  for (uint32_t i = 0; i < length; i++) {
    uint32_t x = vector_at(c, a, i), y = vector_at(c, b, i);
    c->pool.data[new + 1 + i] = x > y ? x : y;
  }
  if (tick > vector_at(c, new, thread))
    c->pool.data[new + 1 + thread] = tick;
  return new;
}

/* ---- notes ---- */

static uint32_t *bucket_of(struct clock *c, enum note_kind kind, int level, uintptr_t key) {
  uint64_t hash = hash_u64((uint64_t)kind * CLOCK_LEVELS + (uint64_t)level + 1, key);
  return &c->buckets.data[hash & (c->buckets.length - 1)];
}

static void link_note(struct clock *c, uint32_t index) {
  struct clock_note *n = &c->notes.data[index];
  uint32_t *bucket = bucket_of(c, n->kind, n->level, n->key);
  n->next = *bucket;
  *bucket = index + 1;
}

static void grow_buckets(struct clock *c) {
  size_t count = c->buckets.length ? c->buckets.length * 4 : 256;
  vec_reserve(&c->buckets, count);
  c->buckets.length = count;
  for (size_t i = 0; i < count; i++)
    c->buckets.data[i] = 0;
  for (uint32_t i = 0; i < c->notes.length; i++)
    link_note(c, i);
}

static void add_note(struct clock *c, struct clock_note n) {
  if (c->notes.length >= c->buckets.length)
    grow_buckets(c);
  vec_push(&c->notes, n);
  link_note(c, (uint32_t)c->notes.length - 1);
}

/* The newest with that key at or after the one called number; 0: there is none. */
static uint32_t find_note(const struct clock *c, uint32_t number, enum note_kind kind, int level,
                          uintptr_t key) {
  while (number) {
    const struct clock_note *n = &c->notes.data[number - 1];
    if (n->kind == kind && n->level == level && n->key == key)
      break;
    number = n->next;
  }
  return number;
}

static uint32_t newest_note(struct clock *c, enum note_kind kind, int level, uintptr_t key) {
  return c->buckets.length ? find_note(c, *bucket_of(c, kind, level, key), kind, level, key) : 0;
}

/* ---- threads ---- */

/* The thread's entry, which is about to be changed. */
static struct clock_thread *thread_of(struct clock *c, int level, uint32_t thread) {
  while (c->threads[level].length <= thread) {
    struct clock_change added = {.level = (uint8_t)level, .added = true};
    vec_push(&c->trail, added);
    vec_push(&c->threads[level], ((struct clock_thread){0}));
  }
  struct clock_thread *t = &c->threads[level].data[thread];
  vec_push(&c->trail, ((struct clock_change){
                          .level = (uint8_t)level, .thread = (uint16_t)thread, .before = *t}));
  return t;
}

/* Everything up to there has happened before what the thread does next. */
static void learn(struct clock *c, int level, uint32_t thread, uint32_t vector, uint32_t whose,
                  uint32_t tick) {
  uint32_t old = c->threads[level].data[thread].others;
  uint32_t new = vector_join(c, old, vector, whose, tick);
  if (new != old)
    thread_of(c, level, thread)->others = new;
}

/* ---- events ---- */

static uint8_t word_mask(const struct event *e) {
  return (uint8_t)(((1u << e->size) - 1) << (e->address % WORD));
}

static void note_store(struct clock *c, const struct event *e, int level, uint32_t step) {
  if (c->threads[level].length < 2 || c->reads_told)
    return; /* there is one thread: later ones are created by it, and know of the store anyway */
  add_note(c, (struct clock_note){.kind = NOTE_STORED,
                                  .level = (uint8_t)level,
                                  .key = e->address / WORD,
                                  .mask = word_mask(e),
                                  .value = step});
}

static void learn_from_stores(struct clock *c, const struct event *e, int level) {
  uint8_t wanted = word_mask(e);
  uintptr_t key = e->address / WORD;
  for (uint32_t n = newest_note(c, NOTE_STORED, level, key); n && wanted;
       n = find_note(c, c->notes.data[n - 1].next, NOTE_STORED, level, key)) {
    const struct clock_note *note = &c->notes.data[n - 1];
    if (!(note->mask & wanted))
      continue;
    wanted &= (uint8_t)~note->mask;
    const struct clock_time *stored = &c->times.data[note->value];
    if (stored->thread != e->thread)
      learn(c, level, e->thread, stored->others, stored->thread, stored->tick);
  }
}

static void learn_from_release(struct clock *c, const struct event *e, int level) {
  uint32_t n = newest_note(c, NOTE_RELEASED, level, e->address);
  if (n)
    learn(c, level, e->thread, c->notes.data[n - 1].value, 0, 0);
}

static void release(struct clock *c, const struct event *e, int level) {
  uint32_t n = e->detail ? 0 : newest_note(c, NOTE_RELEASED, level, e->address);
  const struct clock_thread t = c->threads[level].data[e->thread];
  uint32_t value = vector_join(c, n ? c->notes.data[n - 1].value : 0, t.others, e->thread, t.tick);
  add_note(c,
           (struct clock_note){
               .kind = NOTE_RELEASED, .level = (uint8_t)level, .key = e->address, .value = value});
}

static uintptr_t issue_key(uint32_t thread, uint32_t number) {
  return (uintptr_t)thread << 32 | number;
}

/* The time of what has left a store buffer. */
static struct clock_time issue_time(struct clock *c, const struct event *e, int level) {
  uint32_t number = event_issue(e);
  uint32_t n = newest_note(c, NOTE_ISSUED, level, issue_key(e->thread, number));
  CHECK(n, "%s %u of thread %u was not issued", event_kind_text(e->kind), number, e->thread);
  return c->times.data[c->notes.data[n - 1].value];
}

static void order_between_threads(struct clock *c, const struct event *e, int level) {
  switch ((enum event_kind)e->kind) {
  case EVENT_LOAD:
    learn_from_stores(c, e, level);
    break;
  case EVENT_ACQUIRE:
    learn_from_release(c, e, level);
    break;
  case EVENT_JOIN: {
    thread_of(c, level, e->detail);
    const struct clock_thread t = c->threads[level].data[e->detail];
    learn(c, level, e->thread, t.others, e->detail, t.tick);
    break;
  }
  default:
    break;
  }
}

static void after_tick(struct clock *c, const struct event *e, int level, uint32_t step) {
  switch ((enum event_kind)e->kind) {
  case EVENT_RELEASE:
    release(c, e, level);
    break;
  case EVENT_ISSUE:
    add_note(c, (struct clock_note){.kind = NOTE_ISSUED,
                                    .level = (uint8_t)level,
                                    .key = issue_key(e->thread, e->detail),
                                    .value = step});
    break;
  case EVENT_CREATE: {
    thread_of(c, level, e->detail);
    const struct clock_thread t = c->threads[level].data[e->thread];
    learn(c, level, e->detail, t.others, e->thread, t.tick);
    break;
  }
  default:
    break;
  }
}

static void note_tick(struct clock *c, uint32_t thread, uint32_t tick, uint32_t step) {
  while (c->ticks.length <= thread)
    vec_push(&c->ticks, ((clock_step_list){0}));
  if (c->ticks.data[thread].length < tick)
    vec_push(&c->ticks.data[thread], step);
}

void clock_step(struct clock *c, const struct event *e, int level) {
  bool stores = e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE;
  uint32_t step = (uint32_t)c->times.length;
  struct clock_time time;
  thread_of(c, level, e->thread); /* makes an entry if there is none */
  if (event_issue(e)) {
    time = issue_time(c, e, level);
  } else {
    order_between_threads(c, e, level);
    struct clock_thread *t = &c->threads[level].data[e->thread];
    t->tick += !(stores && e->joined); /* both halves are one step */
    time = (struct clock_time){
        .tick = t->tick, .others = t->others, .thread = e->thread, .level = (uint8_t)level};
    if (level == 0)
      note_tick(c, e->thread, time.tick, step);
  }
  vec_push(&c->times, time);
  if (stores)
    note_store(c, e, level, step);
  else
    after_tick(c, e, level, step);
}

void clock_learn_from(struct clock *c, int level, int thread, uint32_t step) {
  const struct clock_time stored = c->times.data[step];
  if (stored.thread == thread)
    return;
  if (c->threads[level].length <= (size_t)thread)
    thread_of(c, level, (uint32_t)thread);
  learn(c, level, (uint32_t)thread, stored.others, stored.thread, stored.tick);
}

uint32_t clock_ticks(const struct clock *c, int level, int thread) {
  return (size_t)thread < c->threads[level].length ? c->threads[level].data[thread].tick : 0;
}

uint32_t clock_known(const struct clock *c, int level, int thread, int other) {
  const struct clock_thread *t = &c->threads[level].data[thread];
  return thread == other ? t->tick : vector_at(c, t->others, (uint32_t)other);
}

bool clock_knows_tick(const struct clock *c, int level, int thread, int other, uint32_t tick) {
  return (size_t)thread < c->threads[level].length && tick <= clock_known(c, level, thread, other);
}

bool clock_knows(const struct clock *c, int level, int thread, uint32_t step) {
  const struct clock_time *t = &c->times.data[step];
  return clock_knows_tick(c, level, thread, t->thread, t->tick);
}

uint32_t clock_component(const struct clock *c, uint32_t step, int thread) {
  const struct clock_time *t = &c->times.data[step];
  return t->thread == thread ? t->tick : vector_at(c, t->others, (uint32_t)thread);
}

int clock_threads(const struct clock *c, int level) {
  return (int)c->threads[level].length;
}

/* ---- going back ---- */

struct clock_mark clock_mark(const struct clock *c) {
  return (struct clock_mark){c->times.length, c->pool.length, c->notes.length, c->trail.length};
}

void clock_undo(struct clock *c, struct clock_mark m) {
  while (c->trail.length > m.trail) {
    struct clock_change x = vec_pop(&c->trail);
    if (x.added)
      c->threads[x.level].length--;
    else
      c->threads[x.level].data[x.thread] = x.before;
    if (!x.added && x.level == 0 && x.thread < c->ticks.length)
      c->ticks.data[x.thread].length = x.before.tick;
  }
  while (c->notes.length > m.notes) {
    const struct clock_note *n = &vec_last(&c->notes);
    *bucket_of(c, n->kind, n->level, n->key) = n->next;
    c->notes.length--;
  }
  c->pool.length = m.pool;
  c->times.length = m.times;
}

void clock_free(struct clock *c) {
  vec_free(&c->times);
  for (int i = 0; i < CLOCK_LEVELS; i++)
    vec_free(&c->threads[i]);
  for (size_t i = 0; i < c->ticks.length; i++)
    vec_free(&c->ticks.data[i]);
  vec_free(&c->ticks);
  vec_free(&c->pool);
  vec_free(&c->notes);
  vec_free(&c->buckets);
  vec_free(&c->trail);
}
