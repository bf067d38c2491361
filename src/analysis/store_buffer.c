#include "analysis/store_buffer.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/vec.h"
#include <string.h>

/* One timestamp is two counters for each thread, of its loads and of its stores, for the order that
 * store buffers keep; and one for each thread, of all its operations, for the order of the execution
 * (Fig. 3 of the paper, and a plain vector clock). */
struct place {
  uint64_t key;           /* of what is always accessed as a whole, a byte, or a lock; 0: unused */
  uint32_t writes;        /* 1 + link of the newest write, or 0 */
  uint32_t all;           /* row: everything that was done to it (mc2); 0: none yet */
  uint32_t first_visible; /* row of the first thread: what a load of it comes after (mc1) */
  uint32_t plain_writes, plain_all; /* rows, in the order of the execution */
};

/* A write to a place, and the one before it. */
struct link {
  uint32_t position, older;
};

struct step {
  uint32_t kept;  /* row: its timestamp in the order that store buffers keep */
  uint32_t plain; /* row: its timestamp in the order of the execution */
};

struct own {
  uint32_t loads, stores, plain; /* rows: lc, sc and the plain clock */
  uint32_t last;                 /* 1 + position of its newest operation */
  uint32_t last_read;            /* ... that is not a store */
};

static struct monitor {
  const struct operation *operations;
  uint32_t threads, width;
  VEC(uint32_t) rows; /* timestamps, `width` numbers each; row 0 is zeros */
  VEC(struct step) steps;
  VEC(struct link) links;
  VEC(struct own) own;
  struct place *places;
  uint32_t place_count, place_capacity;
} m;

/* Keys say what they are in their lowest bits. */
enum key_kind { KEY_WHOLE = 1, KEY_BYTE, KEY_LOCK, KEY_SHAPE };
#define KEY(number, kind) ((uint64_t)(number) << 3 | (kind))
#define KEYS_MAX 16 /* bytes of an access */

static uint32_t *row(uint32_t n) {
  return &m.rows.data[(size_t)n * m.width];
}

static uint32_t new_row(void) {
  uint32_t n = (uint32_t)(m.rows.length / m.width);
  vec_reserve(&m.rows, m.rows.length + m.width);
  memset(&m.rows.data[m.rows.length], 0, m.width * sizeof *m.rows.data);
  m.rows.length += m.width;
  return n;
}

static void merge(uint32_t to, uint32_t from) {
  uint32_t *a = row(to);
  const uint32_t *b = row(from);
  for (uint32_t i = 0; i < m.width; i++)
    if (a[i] < b[i])
      a[i] = b[i];
}

static bool at_most(uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < m.width; i++)
    if (row(a)[i] > row(b)[i])
      return false;
  return true;
}

static struct place *place(uint64_t key);

static void grow_places(void) {
  struct place *old = m.places;
  uint32_t capacity = m.place_capacity;
  m.place_capacity = capacity ? capacity * 2 : 64;
  m.places = mem_alloc(m.place_capacity * sizeof *m.places);
  m.place_count = 0;
  for (uint32_t i = 0; i < capacity; i++)
    if (old[i].key)
      *place(old[i].key) = old[i];
  mem_free(old, capacity * sizeof *old);
}

static struct place *place(uint64_t key) {
  if (m.place_count * 2 >= m.place_capacity)
    grow_places();
  for (uint64_t at = hash_u64(0, key);; at++) {
    struct place *p = &m.places[at & (m.place_capacity - 1)];
    if (p->key == key)
      return p;
    if (p->key)
      continue;
    p->key = key;
    m.place_count++;
    return p;
  }
}

static void make_clocks(struct place *p) {
  if (p->all)
    return;
  p->all = new_row();
  p->plain_all = new_row();
  p->plain_writes = new_row();
  p->first_visible = new_row();
  for (uint32_t t = 1; t < m.threads; t++)
    new_row();
}

static bool is_access(const struct operation *o) {
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE;
}

/* A word whose accesses are all of the same bytes is one place; otherwise each byte is. */
#define SHAPE_MIXED UINT32_MAX

static void note_shape(const struct operation *o) {
  for (uintptr_t word = o->address >> 3; word <= (o->address + o->size - 1) >> 3; word++) {
    struct place *x = place(KEY(word, KEY_SHAPE));
    uint32_t shape = 1 + (uint32_t)(o->address - (word << 3)) * 32 + o->size;
    x->writes = !x->writes || x->writes == shape ? shape : SHAPE_MIXED;
  }
}

static int keys_of(const struct operation *o, uint64_t *keys) {
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
  for (uintptr_t word = o->address >> 3; word <= (o->address + o->size - 1) >> 3; word++)
    mixed |= place(KEY(word, KEY_SHAPE))->writes == SHAPE_MIXED;
  if (!mixed)
    keys[n++] = KEY(o->address, KEY_WHOLE);
  for (uint32_t i = 0; mixed && i < o->size; i++)
    keys[n++] = KEY(o->address + i, KEY_BYTE);
  return n;
}

/* Does anything of its own thread wait for, and be waited for by, this? */
static bool is_barrier(const struct operation *o) {
  return o->locked || o->kind == OPERATION_LOCK || (o->kind == OPERATION_FENCE && o->drained);
}

/* ---- the question ---- */

/* The oldest store of the thread since its last load or barrier that comes after the write. */
static uint32_t overtaken(uint32_t thread, uint32_t write, uint32_t load) {
  uint32_t found = load;
  for (uint32_t i = load; i-- > 0;) {
    const struct operation *o = &m.operations[i];
    if (o->thread != thread)
      continue;
    if (is_barrier(o))
      break;
    if (o->kind == OPERATION_WRITE && at_most(m.steps.data[write].plain, m.steps.data[i].plain))
      found = i;
  }
  return found;
}

static bool overlap(const struct operation *a, const struct operation *b) {
  return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* The first write of another thread to what was loaded, after the load. */
static uint32_t missed(uint32_t load, uint32_t end) {
  const struct operation *o = &m.operations[load];
  for (uint32_t i = load + 1; i < end; i++)
    if (m.operations[i].kind == OPERATION_WRITE && m.operations[i].thread != o->thread &&
        overlap(o, &m.operations[i]))
      return i;
  return end;
}

/* The load at the position might miss the write.  Either a store of its own thread is late, or, if that
 * thread has waited for its stores, one of another thread that leads from the write to here. */
static struct store_buffer_report culprits(uint32_t position, uint32_t write, uint32_t last) {
  uint32_t store = overtaken(m.operations[position].thread, write, position);
  for (uint32_t i = write + 1; store == position && i < position; i++) {
    if (m.operations[i].kind != OPERATION_READ || m.operations[i].locked ||
        !at_most(m.steps.data[i].plain, last))
      continue;
    uint32_t other = overtaken(m.operations[i].thread, write, i);
    uint32_t other_write = missed(i, position);
    if (other != i && other_write != position)
      return (struct store_buffer_report){i, other, other_write};
  }
  return (struct store_buffer_report){position, store, write};
}

/* Could the load have read what was there before one of these writes (Fig. 2)? */
static bool check_load(uint32_t position, uint64_t key, struct store_buffer_report *r) {
  const struct operation *o = &m.operations[position];
  const struct own *p = &m.own.data[o->thread];
  uint32_t last = p->last ? m.steps.data[p->last - 1].plain : 0;
  uint32_t last_read = p->last_read ? m.steps.data[p->last_read - 1].kept : 0;
  for (uint32_t at = place(key)->writes; at; at = m.links.data[at - 1].older) {
    uint32_t write = m.links.data[at - 1].position;
    if (m.operations[write].thread == o->thread ||
        (p->last_read && at_most(m.steps.data[write].kept, last_read)))
      return false; /* it reads that one for certain, or a newer one */
    if (p->last && at_most(m.steps.data[write].plain, last)) {
      *r = culprits(position, write, last);
      return true;
    }
  }
  return false;
}

/* ---- clocks ---- */

static void advance(uint32_t position) {
  const struct operation *o = &m.operations[position];
  struct own *p = &m.own.data[o->thread];
  bool barrier = is_barrier(o), stores = o->kind == OPERATION_WRITE || barrier;
  uint32_t kept = new_row(), plain = new_row();
  uint64_t keys[KEYS_MAX];
  int n = keys_of(o, keys);
  merge(kept, p->loads);
  if (stores)
    merge(kept, p->stores);
  merge(plain, p->plain);
  if (o->after) { /* who created or woke it */
    merge(kept, m.steps.data[o->after - 1].kept);
    merge(plain, m.steps.data[o->after - 1].plain);
  }
  bool writes = o->kind == OPERATION_WRITE || o->kind == OPERATION_LOCK;
  for (int i = 0; i < n; i++) {
    struct place *x = place(keys[i]);
    make_clocks(x);
    merge(kept, stores ? x->all : x->first_visible + o->thread);
    merge(plain, writes ? x->plain_all : x->plain_writes);
  }
  row(kept)[2 * o->thread] += !stores || barrier;
  row(kept)[2 * o->thread + 1] += stores;
  row(plain)[o->thread]++;
  m.steps.data[position].kept = kept;
  m.steps.data[position].plain = plain;
  for (int i = 0; i < n; i++) {
    struct place *x = place(keys[i]);
    merge(x->all, kept);
    merge(x->plain_all, plain);
    if (writes)
      merge(x->plain_writes, plain);
    for (uint32_t t = 0; stores && t < m.threads; t++)
      if (t != o->thread || barrier)
        merge(x->first_visible + t, kept);
      else /* its loads are answered from the buffer until somebody else stores (not in Fig. 3) */
        memset(row(x->first_visible + t), 0, m.width * sizeof(uint32_t));
    if (writes) {
      vec_push(&m.links, ((struct link){position, x->writes}));
      x->writes = (uint32_t)m.links.length;
    }
  }
  if (!stores || barrier)
    merge(p->loads, kept);
  if (stores)
    merge(p->stores, kept);
  merge(p->plain, plain);
  p->last = position + 1;
  if (!stores || barrier)
    p->last_read = position + 1;
}

static void begin(const struct operation *operations, size_t count) {
  m.operations = operations;
  m.threads = 1;
  for (size_t i = 0; i < count; i++)
    if (operations[i].thread >= m.threads)
      m.threads = operations[i].thread + 1u;
  m.width = 2 * m.threads;
  m.rows.length = 0;
  new_row();
  m.steps.length = m.own.length = m.links.length = 0;
  for (size_t i = 0; i < count; i++)
    vec_push(&m.steps, (struct step){0});
  for (uint32_t t = 0; t < m.threads; t++) {
    uint32_t loads = new_row(), stores = new_row(), plain = new_row();
    vec_push(&m.own, ((struct own){.loads = loads, .stores = stores, .plain = plain}));
  }
  if (m.places)
    memset(m.places, 0, m.place_capacity * sizeof *m.places);
  m.place_count = 0;
  for (size_t i = 0; i < count; i++)
    if (is_access(&operations[i]))
      note_shape(&operations[i]);
}

void store_buffer_check(const struct operation *operations, size_t count,
                        void (*found)(const struct store_buffer_report *r)) {
  begin(operations, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct operation *o = &operations[i];
    struct store_buffer_report r;
    uint64_t keys[KEYS_MAX];
    int n = o->kind == OPERATION_READ && !o->locked ? keys_of(o, keys) : 0;
    for (int k = 0; k < n; k++)
      if (check_load(i, keys[k], &r)) {
        found(&r);
        break;
      }
    advance(i);
  }
}
