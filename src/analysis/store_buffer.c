#include "analysis/store_buffer.h"
#include "analysis/prefix.h"
#include "base/check.h"
#include "base/fours.h"
#include <string.h>

/* Two orders of the operations are kept as clocks: the one that store buffers keep, with two numbers for
 * each thread, of its loads and of its stores (Fig. 3 of the paper); and the one of the execution, a
 * plain vector clock.  An operation is before what has a clock if its own number is in that.
 *
 * Blocks in `clocks`, for the threads t, with room for R of them, a multiple of four:
 *    of an operation   kept[2R] plain[R]
 *    of a thread       loads[2R] stores[2R] plain[R]
 *    of a place        all[2R] plain_all[R] plain_writes[R] visible[t][2R] */
struct store_buffer_place {
  uint32_t block;  /* 0: nothing was done to it yet */
  uint32_t writes; /* 1 + link of the newest write, or 0 */
};

struct store_buffer_changed {
  uint32_t number;
  struct store_buffer_place before;
};

/* A write to a place, and the one before it. */
struct store_buffer_link {
  uint32_t position, older;
};

struct store_buffer_own {
  uint32_t block; /* 0: it has done nothing yet */
  uint32_t last;  /* 1 + position of its newest operation */
};

struct store_buffer_step {
  uint32_t block;
  struct store_buffer_own before; /* of its thread */
  uint32_t clocks, links, trail;  /* how long they were */
};

/* Keys say what they are in their lowest bits. */
enum key_kind { KEY_WHOLE = 1, KEY_BYTE, KEY_LOCK };
#define KEY(number, kind) ((uint64_t)(number) << 3 | (kind))
#define KEYS_MAX 16 /* bytes of an access */

/* ---- blocks ---- */

static uint32_t *clock(const struct store_buffer *m, uint32_t at) {
  return &m->clocks.data[at];
}

static uint32_t new_block(struct store_buffer *m, uint32_t like, uint32_t length) {
  uint32_t at = (uint32_t)m->clocks.length;
  vec_reserve(&m->clocks, m->clocks.length + length);
  m->clocks.length += length;
  if (like)
    memcpy(clock(m, at), clock(m, like), length * sizeof(uint32_t));
  else
    memset(clock(m, at), 0, length * sizeof(uint32_t));
  return at;
}

static void merge(const struct store_buffer *m, uint32_t to, uint32_t from, uint32_t length) {
  fours_raise(clock(m, to), clock(m, from), length);
}

static uint32_t room(const struct store_buffer *m) {
  return fours_up(m->threads);
}

static uint32_t place_length(const struct store_buffer *m) {
  return 2 * room(m) * (2 + m->threads);
}

static uint32_t plain_all(const struct store_buffer *m, uint32_t place) {
  return place + 2 * room(m);
}

static uint32_t plain_writes(const struct store_buffer *m, uint32_t place) {
  return place + 3 * room(m);
}

static uint32_t visible(const struct store_buffer *m, uint32_t place, uint32_t thread) {
  return place + 2 * room(m) * (2 + thread);
}

/* ---- what operations are about ---- */

static bool is_access(const struct operation *o) {
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE;
}

static bool is_store(const struct operation *o) {
  return o->kind == OPERATION_WRITE || operation_is_barrier(o);
}

/* A word whose accesses are all of the same bytes is one place; otherwise each byte is. */
#define SHAPE_MIXED UINT32_MAX

/* False: it was taken for one place so far. */
static bool note_shape(struct store_buffer *m, const struct operation *o) {
  bool fits = true;
  for (uintptr_t w = o->address >> 3; is_access(o) && w <= (o->address + o->size - 1) >> 3; w++) {
    uint32_t *known = map_at(&m->shapes, KEY(w, KEY_WHOLE));
    uint32_t shape = 1 + (uint32_t)(o->address - (w << 3)) * 32 + o->size;
    fits &= !*known || *known == shape || *known == SHAPE_MIXED;
    *known = !*known || *known == shape ? shape : SHAPE_MIXED;
  }
  return fits;
}

static int keys_of(const struct store_buffer *m, const struct operation *o, uint64_t *keys) {
  int n = 0;
  if (o->kind == OPERATION_LOCK) {
    keys[n++] = KEY(o->address, KEY_LOCK);
    if (o->also)
      keys[n++] = KEY(o->also, KEY_LOCK);
    return n;
  }
  if (!is_access(o))
    return 0;
  CHECK(o->size <= KEYS_MAX, "an access of %u bytes in one step", o->size);
  bool mixed = false;
  for (uintptr_t w = o->address >> 3; w <= (o->address + o->size - 1) >> 3; w++)
    mixed |= map_get(&m->shapes, KEY(w, KEY_WHOLE)) == SHAPE_MIXED;
  if (!mixed)
    keys[n++] = KEY(o->address, KEY_WHOLE);
  for (uint32_t i = 0; mixed && i < o->size; i++)
    keys[n++] = KEY(o->address + i, KEY_BYTE);
  return n;
}

static uint32_t number_of(struct store_buffer *m, uint64_t key) {
  uint32_t *number = map_at(&m->numbers, key);
  if (!*number) {
    *number = (uint32_t)m->places.length + 1;
    vec_push(&m->places, (struct store_buffer_place){0});
  }
  return *number - 1;
}

/* ---- the question ---- */

static uint32_t own_number(const struct store_buffer *m, uint32_t position, uint32_t *component) {
  const struct operation *o = &m->operations.data[position];
  *component = 2 * o->thread + is_store(o);
  return clock(m, m->steps.data[position].block)[*component];
}

/* Is the operation before what has this clock, in the order that store buffers keep? */
static bool kept_before(const struct store_buffer *m, uint32_t position, const uint32_t *kept) {
  uint32_t component, number = own_number(m, position, &component);
  return number <= kept[component];
}

static const uint32_t *kept_of(const struct store_buffer *m, uint32_t position) {
  return clock(m, m->steps.data[position].block);
}

/* The same in the order of the execution. */
static bool before(const struct store_buffer *m, uint32_t a, uint32_t b) {
  uint32_t thread = m->operations.data[a].thread, plain = 2 * room(m) + thread;
  return kept_of(m, a)[plain] <= kept_of(m, b)[plain];
}

/* The oldest store of the thread since its last barrier that comes after the write. */
static uint32_t overtaken(const struct store_buffer *m, uint32_t thread, uint32_t write,
                          uint32_t load) {
  uint32_t found = load;
  for (uint32_t i = load; i-- > 0;) {
    const struct operation *o = &m->operations.data[i];
    if (o->thread != thread)
      continue;
    if (operation_is_barrier(o))
      break;
    if (o->kind == OPERATION_WRITE && before(m, write, i))
      found = i;
  }
  return found;
}

static bool overlap(const struct operation *a, const struct operation *b) {
  return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* The first write of another thread to what was loaded, after the load. */
static uint32_t missed(const struct store_buffer *m, uint32_t load, uint32_t end) {
  const struct operation *o = &m->operations.data[load];
  for (uint32_t i = load + 1; i < end; i++) {
    const struct operation *w = &m->operations.data[i];
    if (w->kind == OPERATION_WRITE && w->thread != o->thread && overlap(o, w))
      return i;
  }
  return end;
}

/* The load at the position might miss the write.  Either a store of its own thread is late, or, if that
 * thread has waited for its stores, one of another thread that leads from the write to here. */
static struct store_buffer_report culprits(const struct store_buffer *m, uint32_t position,
                                           uint32_t write, uint32_t last) {
  uint32_t store = overtaken(m, m->operations.data[position].thread, write, position);
  for (uint32_t i = write + 1; store == position && i < position; i++) {
    const struct operation *o = &m->operations.data[i];
    if (o->kind != OPERATION_READ || o->locked || !before(m, i, last))
      continue;
    uint32_t other = overtaken(m, o->thread, write, i), other_write = missed(m, i, position);
    if (other != i && other_write != position)
      return (struct store_buffer_report){i, other, other_write, position};
  }
  return (struct store_buffer_report){position, store, write, position};
}

/* Before all loads that the thread makes from now on? */
static bool comes_before_loads(const struct store_buffer *m, uint32_t write,
                               const struct store_buffer_own *p) {
  return p->block && kept_before(m, write, clock(m, p->block));
}

/* Could the load have read what was there before one of these writes (Fig. 2)? */
static bool check_load(const struct store_buffer *m, const struct operation *o, uint32_t writes,
                       struct store_buffer_report *r) {
  const struct store_buffer_own *p = &m->own.data[o->thread];
  for (uint32_t at = writes; at && p->last; at = m->links.data[at - 1].older) {
    uint32_t write = m->links.data[at - 1].position;
    if (m->operations.data[write].thread == o->thread || comes_before_loads(m, write, p))
      return false; /* it reads that one for certain, or a newer one */
    if (before(m, write, p->last - 1)) {
      *r = culprits(m, (uint32_t)m->operations.length - 1, write, p->last - 1);
      return true;
    }
  }
  return false;
}

/* Could a store to the block still be in its buffer when the block is given back? */
static bool check_free(const struct store_buffer *m, const struct operation *o,
                       struct store_buffer_report *r) {
  const struct store_buffer_own *p = &m->own.data[o->thread];
  uint32_t position = (uint32_t)m->operations.length - 1;
  for (uint32_t i = position; i-- > 0 && p->last;) {
    const struct operation *w = &m->operations.data[i];
    if (w->kind != OPERATION_WRITE || w->block != o->block || w->thread == o->thread || w->locked ||
        comes_before_loads(m, i, p))
      continue;
    if (before(m, i, p->last - 1)) {
      *r = culprits(m, position, i, p->last - 1);
      return true;
    }
  }
  return false;
}

/* ---- clocks ---- */

/* What comes before the operation, and itself. */
static uint32_t stamp(struct store_buffer *m, const struct operation *o, const uint32_t *numbers,
                      int n) {
  uint32_t R = room(m), block = new_block(m, 0, 3 * R), own = m->own.data[o->thread].block;
  bool stores = is_store(o), writes = o->kind == OPERATION_WRITE || o->kind == OPERATION_LOCK;
  if (own) {
    merge(m, block, own, 2 * R);
    if (stores)
      merge(m, block, own + 2 * R, 2 * R);
    merge(m, block + 2 * R, own + 4 * R, R);
  }
  for (int i = 0; i < n; i++) {
    uint32_t place = m->places.data[numbers[i]].block;
    if (!place)
      continue;
    merge(m, block, stores ? place : visible(m, place, o->thread), 2 * R);
    merge(m, block + 2 * R, writes ? plain_all(m, place) : plain_writes(m, place), R);
  }
  clock(m, block)[2 * o->thread] += !stores || operation_is_barrier(o);
  clock(m, block)[2 * o->thread + 1] += stores;
  clock(m, block)[2 * R + o->thread]++;
  return block;
}

static void touch(struct store_buffer *m, const struct operation *o, uint32_t block,
                  uint32_t number) {
  uint32_t R = room(m);
  bool stores = is_store(o), writes = o->kind == OPERATION_WRITE || o->kind == OPERATION_LOCK;
  struct store_buffer_place *x = &m->places.data[number];
  vec_push(&m->trail, ((struct store_buffer_changed){number, *x}));
  uint32_t place = x->block = new_block(m, x->block, place_length(m));
  merge(m, place, block, 2 * R);
  merge(m, plain_all(m, place), block + 2 * R, R);
  if (writes)
    merge(m, plain_writes(m, place), block + 2 * R, R);
  for (uint32_t t = 0; stores && t < m->threads; t++)
    if (t != o->thread || operation_is_barrier(o))
      merge(m, visible(m, place, t), block, 2 * R);
    else /* its loads are answered from the buffer until somebody else stores (not in Fig. 3) */
      memset(clock(m, visible(m, place, t)), 0, 2 * R * sizeof(uint32_t));
  if (!writes)
    return;
  vec_push(&m->links, ((struct store_buffer_link){(uint32_t)m->operations.length - 1, x->writes}));
  x->writes = (uint32_t)m->links.length;
}

static void advance(struct store_buffer *m, const struct operation *o, uint32_t block) {
  uint32_t R = room(m);
  struct store_buffer_own *p = &m->own.data[o->thread];
  bool barrier = operation_is_barrier(o), stores = is_store(o);
  p->block = new_block(m, p->block, 5 * R);
  if (!stores || barrier)
    merge(m, p->block, block, 2 * R);
  if (stores)
    merge(m, p->block + 2 * R, block, 2 * R);
  merge(m, p->block + 4 * R, block + 2 * R, R);
  p->last = (uint32_t)m->operations.length;
}

/* The thread goes on because another one has created it or woken it up: nothing that it does now comes before that, a
 * load behind its next store neither. */
static void wake(struct store_buffer *m, const struct operation *o) {
  uint32_t R = room(m), by = m->steps.data[o->after - 1].block;
  struct store_buffer_own *p = &m->own.data[o->thread];
  p->block = new_block(m, p->block, 5 * R);
  merge(m, p->block, by, 2 * R);
  merge(m, p->block + 2 * R, by, 2 * R);
  merge(m, p->block + 4 * R, by + 2 * R, R);
}

/* ---- executions ---- */

static void add(struct store_buffer *m, const struct operation *o) {
  struct store_buffer_step step = {.before = m->own.data[o->thread],
                                   .clocks = (uint32_t)m->clocks.length,
                                   .links = (uint32_t)m->links.length,
                                   .trail = (uint32_t)m->trail.length};
  uint64_t keys[KEYS_MAX];
  uint32_t numbers[KEYS_MAX];
  int n = keys_of(m, o, keys);
  for (int i = 0; i < n; i++)
    numbers[i] = number_of(m, keys[i]);
  vec_push(&m->operations, *o);
  struct store_buffer_report r;
  if (o->after)
    wake(m, o);
  for (int i = 0; i < n && o->kind == OPERATION_READ && !o->locked; i++)
    if (check_load(m, o, m->places.data[numbers[i]].writes, &r)) {
      vec_push(&m->reports, r);
      break;
    }
  if (o->kind == OPERATION_FREE && check_free(m, o, &r))
    vec_push(&m->reports, r);
  step.block = stamp(m, o, numbers, n);
  for (int i = 0; i < n; i++)
    touch(m, o, step.block, numbers[i]);
  advance(m, o, step.block);
  vec_push(&m->steps, step);
}

static void take_back(struct store_buffer *m) {
  struct operation o = vec_pop(&m->operations);
  struct store_buffer_step step = vec_pop(&m->steps);
  while (m->trail.length > step.trail) {
    struct store_buffer_changed c = vec_pop(&m->trail);
    m->places.data[c.number] = c.before;
  }
  m->clocks.length = step.clocks;
  m->links.length = step.links;
  m->own.data[o.thread] = step.before;
  if (m->reports.length && vec_last(&m->reports).found == m->operations.length)
    m->reports.length--;
}

/* With room for more threads, or other places, everything is learnt anew. */
static void begin(struct store_buffer *m, uint32_t threads) {
  while (m->operations.length)
    take_back(m);
  m->threads = m->threads > threads ? m->threads : threads;
  map_free(&m->numbers);
  m->places.length = m->own.length = m->clocks.length = 0;
  vec_push(&m->clocks, 0); /* 0 is no block */
  for (uint32_t t = 0; t < m->threads; t++)
    vec_push(&m->own, (struct store_buffer_own){0});
}

void store_buffer_follow(struct store_buffer *m, const struct operation *operations, size_t count,
                         size_t known) {
  size_t same = prefix_length(m->operations.data, m->operations.length, operations, count, known);
  uint32_t threads = prefix_threads(operations + same, count - same);
  bool fits = threads <= m->threads;
  for (size_t i = same; i < count; i++)
    fits &= note_shape(m, &operations[i]);
  if (!fits) {
    begin(m, threads);
    same = 0;
  }
  while (m->operations.length > same)
    take_back(m);
  for (size_t i = same; i < count; i++)
    add(m, &operations[i]);
}
