#include "analysis/store_buffer.h"
#include "analysis/prefix.h"
#include "base/check.h"
#include "base/fours.h"
#include <string.h>

/* Two orders of the operations are kept as clocks: the one that store buffers keep, with two numbers for
 * each thread, of its loads and of its stores (Fig. 3 of the paper); and the one of the execution, a
 * plain vector clock.  An operation is before what has a clock if its own number is in that.
 *
 * Blocks in `clocks` have room for R threads, a multiple of four: kept[2R] plain[R].  They are never changed, so what is
 * the same is one block: whatever stores to a place or comes from a thread has all that is known there in its own clock. */
struct store_buffer_place {
  uint32_t all;    /* 0: nothing was done to it yet; otherwise all that was */
  uint32_t store;  /* the newest store: what loads see, 0: none; */
  uint32_t hidden; /* 1 + the thread whose loads do not, because its buffer answers them, or 0 */
  uint32_t write;  /* the newest write */
  uint32_t writes; /* 1 + link of that, or 0 */
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
  uint32_t loads, stores; /* kept before those that it makes from now on; 0: nothing is */
  uint32_t newest;        /* plain; 0: it has done nothing yet */
  uint32_t last;          /* 1 + position of its newest operation */
};

/* All accesses to a word are of the same bytes, which then are one place; otherwise each byte is one. */
struct store_buffer_word {
  uint32_t shape; /* in any execution */
  uint32_t place; /* 1 + its number, or 0 */
};

struct store_buffer_step {
  uint32_t block;
  struct store_buffer_own before; /* of its thread */
  uint32_t clocks, links, trail;  /* how long they were */
};

/* Keys say what they are in their lowest bits. */
enum key_kind { KEY_WORD = 1, KEY_BYTE, KEY_LOCK };
#define KEY(number, kind) ((uint64_t)(number) << 3 | (kind))
#define PLACES_MAX 16 /* bytes of an access */

/* ---- blocks ---- */

static uint32_t *clock(const struct store_buffer *m, uint32_t at) {
  return &m->clocks.data[at];
}

static uint32_t room(const struct store_buffer *m) {
  return fours_up(m->threads);
}

static uint32_t new_block(struct store_buffer *m, uint32_t like) {
  uint32_t at = (uint32_t)m->clocks.length, length = 3 * room(m);
  vec_reserve(&m->clocks, m->clocks.length + length);
  m->clocks.length += length;
  if (like)
    memcpy(clock(m, at), clock(m, like), length * sizeof(uint32_t));
  else
    memset(clock(m, at), 0, length * sizeof(uint32_t));
  return at;
}

/* from 0: nothing. */
static void merge_kept(const struct store_buffer *m, uint32_t to, uint32_t from) {
  if (from)
    fours_raise(clock(m, to), clock(m, from), 2 * room(m));
}

static void merge_plain(const struct store_buffer *m, uint32_t to, uint32_t from) {
  uint32_t R = room(m);
  if (from)
    fours_raise(clock(m, to + 2 * R), clock(m, from + 2 * R), R);
}

/* A new block with both. */
static uint32_t union_of(struct store_buffer *m, uint32_t a, uint32_t b) {
  uint32_t block = new_block(m, a);
  fours_raise(clock(m, block), clock(m, b), 3 * room(m));
  return block;
}

/* ---- what operations are about ---- */

static bool is_access(const struct operation *o) {
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE;
}

static bool is_store(const struct operation *o) {
  return o->kind == OPERATION_WRITE || operation_is_barrier(o);
}

#define SHAPE_MIXED UINT32_MAX

static uint32_t word_of(struct store_buffer *m, uintptr_t number) {
  uint32_t *at = map_at(&m->word_numbers, KEY(number, KEY_WORD));
  if (!*at) {
    vec_push(&m->words, (struct store_buffer_word){0});
    *at = (uint32_t)m->words.length;
  }
  return *at - 1;
}

/* False: it was taken for one place so far. */
static bool note_shape(struct store_buffer_word *w, uintptr_t number, const struct operation *o) {
  uint32_t shape = 1 + (uint32_t)(o->address - (number << 3)) * 32 + o->size;
  bool fits = !w->shape || w->shape == shape || w->shape == SHAPE_MIXED;
  w->shape = !w->shape || w->shape == shape ? shape : SHAPE_MIXED;
  return fits;
}

static uint32_t new_place(struct store_buffer *m) {
  vec_push(&m->places, (struct store_buffer_place){0});
  return (uint32_t)m->places.length;
}

static uint32_t place_of(struct store_buffer *m, uintptr_t address, enum key_kind kind) {
  uint32_t *number = map_at(&m->numbers, KEY(address, kind));
  if (!*number)
    *number = new_place(m);
  return *number - 1;
}

static uint32_t place_of_word(struct store_buffer *m, uint32_t word) {
  struct store_buffer_word *w = &m->words.data[word];
  if (!w->place)
    w->place = new_place(m);
  return w->place - 1;
}

/* Which places the operation is about; -1: some were taken for one so far that are not. */
static int places_of(struct store_buffer *m, const struct operation *o, uint32_t *places) {
  int n = 0;
  if (o->kind == OPERATION_LOCK) {
    places[n++] = place_of(m, o->address, KEY_LOCK);
    if (o->also)
      places[n++] = place_of(m, o->also, KEY_LOCK);
    return n;
  }
  if (!is_access(o))
    return 0;
  CHECK(o->size <= PLACES_MAX, "an access of %u bytes in one step", o->size);
  uintptr_t first = o->address >> 3, last = (o->address + o->size - 1) >> 3;
  bool fits = true, mixed = false;
  uint32_t word = 0;
  for (uintptr_t w = last + 1; w-- > first;) {
    word = word_of(m, w);
    fits &= note_shape(&m->words.data[word], w, o);
    mixed |= m->words.data[word].shape == SHAPE_MIXED;
  }
  if (!fits)
    return -1;
  if (!mixed)
    places[n++] = place_of_word(m, word);
  for (uint32_t i = 0; mixed && i < o->size; i++)
    places[n++] = place_of(m, o->address + i, KEY_BYTE);
  return n;
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
  return p->loads && kept_before(m, write, clock(m, p->loads));
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
  const struct store_buffer_own own = m->own.data[o->thread];
  bool stores = is_store(o), writes = o->kind == OPERATION_WRITE || o->kind == OPERATION_LOCK;
  uint32_t block = new_block(m, own.loads);
  if (own.loads != own.newest) {
    memset(clock(m, block + 2 * room(m)), 0, room(m) * sizeof(uint32_t));
    merge_plain(m, block, own.newest);
  }
  if (stores && own.stores != own.loads)
    merge_kept(m, block, own.stores);
  for (int i = 0; i < n; i++) {
    const struct store_buffer_place *x = &m->places.data[numbers[i]];
    if (stores || x->hidden != 1u + o->thread)
      merge_kept(m, block, stores ? x->all : x->store);
    merge_plain(m, block, writes ? x->all : x->write);
  }
  clock(m, block)[2 * o->thread] += !stores || operation_is_barrier(o);
  clock(m, block)[2 * o->thread + 1] += stores;
  clock(m, block)[2 * room(m) + o->thread]++;
  return block;
}

static void touch(struct store_buffer *m, const struct operation *o, uint32_t block,
                  uint32_t number) {
  bool writes = o->kind == OPERATION_WRITE || o->kind == OPERATION_LOCK;
  struct store_buffer_place *x = &m->places.data[number];
  vec_push(&m->trail, ((struct store_buffer_changed){number, *x}));
  x->all = writes || !x->all ? block : union_of(m, x->all, block);
  if (is_store(o)) {
    x->store = block;
    /* Its loads are answered from the buffer until somebody else stores (not in Fig. 3). */
    x->hidden = operation_is_barrier(o) ? 0 : 1u + o->thread;
  }
  if (!writes)
    return;
  x->write = block;
  vec_push(&m->links, ((struct store_buffer_link){(uint32_t)m->operations.length - 1, x->writes}));
  x->writes = (uint32_t)m->links.length;
}

static void advance(struct store_buffer *m, const struct operation *o, uint32_t block) {
  struct store_buffer_own *p = &m->own.data[o->thread];
  bool barrier = operation_is_barrier(o), stores = is_store(o);
  if (!stores || barrier)
    p->loads = block;
  if (stores)
    p->stores = block;
  p->newest = block;
  p->last = (uint32_t)m->operations.length;
}

/* The thread goes on because another one has created it or woken it up: nothing that it does now comes before that, a
 * load behind its next store neither. */
static void wake(struct store_buffer *m, const struct operation *o) {
  uint32_t by = m->steps.data[o->after - 1].block;
  struct store_buffer_own *p = &m->own.data[o->thread];
  uint32_t loads = p->loads ? union_of(m, p->loads, by) : by;
  p->stores = p->stores ? union_of(m, p->stores, by) : by;
  p->newest = p->newest ? union_of(m, p->newest, by) : by;
  p->loads = loads;
}

/* ---- executions ---- */

/* False: what is known so far has taken bytes for one place that are not. */
static bool add(struct store_buffer *m, const struct operation *o) {
  struct store_buffer_step step = {.before = m->own.data[o->thread],
                                   .clocks = (uint32_t)m->clocks.length,
                                   .links = (uint32_t)m->links.length,
                                   .trail = (uint32_t)m->trail.length};
  uint32_t numbers[PLACES_MAX];
  int n = places_of(m, o, numbers);
  if (n < 0)
    return false;
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
  return true;
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
  for (size_t i = 0; i < m->words.length; i++)
    m->words.data[i].place = 0;
  m->places.length = m->own.length = m->clocks.length = 0;
  vec_push(&m->clocks, 0); /* 0 is no block */
  for (uint32_t t = 0; t < m->threads; t++)
    vec_push(&m->own, (struct store_buffer_own){0});
}

void store_buffer_follow(struct store_buffer *m, const struct operation *operations, size_t count,
                         size_t known) {
  size_t same = prefix_length(m->operations.data, m->operations.length, operations, count, known);
  uint32_t threads = prefix_threads(operations + same, count - same);
  if (threads > m->threads) {
    begin(m, threads);
    same = 0;
  }
  while (m->operations.length > same)
    take_back(m);
  while (m->operations.length < count)
    if (!add(m, &operations[m->operations.length]))
      begin(m, 0);
}
