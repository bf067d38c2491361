/* A cache-line hash table in the manner of P-CLHT (David et al., "Asynchronized Concurrency",
 * ASPLOS 2015; made persistent by Lee et al., "RECIPE", SOSP 2019).
 *
 *     index       table                  buckets, one line each
 *     [table]---->[mask | buckets]------>[lock | key key key | value value value | next]
 *                                        [lock | key key key | value value value | next]--+
 *                                                                                         |
 *                                        overflow bucket  [- | k k k | v v v | next] <----+
 *
 * A key's hash chooses a bucket; the bucket's lock guards it and the overflow buckets behind it.
 * Readers take no lock.
 *
 * Insert.  Write the value, then the key, into a free slot; flush, fence.  Both are on one line, so
 * the key never becomes durable before its value: the key is the commit.  If there is no free slot,
 * fill a new bucket, flush, fence, and link it to the last one: then `next` is the commit.
 *
 * Resize.  When a chain would get longer than CHAIN_MAX:
 *   1. take the resize lock; lock every bucket of the old table, for ever;
 *   2. build a table of twice the size with copies of all pairs; flush, fence;
 *   3. point the index to it; flush, fence; release the resize lock.
 * The old table does not change after 1, so a failure before 3 is durable leaves the old table, and
 * one after it the new table, with the same contents.  What was allocated but not published is lost
 * to the allocator, and the old table stays allocated because a reader may still be in it.
 *
 * Durable before used: an insert reads the table pointer and then waits while the resize lock is
 * held, so it never writes into a table that a failure could take away.
 *
 * When machines share the table and one fails, its locks are taken over.  A bucket needs no repair:
 * the key, or the link to an overflow bucket, is either there or not.  A resize lock that is taken
 * over leaves the old table with some of its buckets locked for ever, or the new one: in the first
 * case the new owner does the resize again.
 *
 * Invariants, when no thread is inside:
 *   I1  the number of buckets is a power of two, not less than INITIAL_BUCKETS;
 *   I2  a key is in the chain of its own bucket, once, and has a value;
 *   I3  an overflow bucket is never empty, and every chain ends. */
#include "../index.h"
#include "../lock.h"
#include "../persist.h"
#include <stdalign.h>
#include <tidemark.h>

/* P-CLHT starts with thousands of buckets and resizes when many of them overflow; less makes a few
 * keys do it. */
#ifndef INITIAL_BUCKETS
#define INITIAL_BUCKETS 2
#endif
#ifndef CHAIN_MAX
#define CHAIN_MAX 2
#endif

enum {
  BUCKET_SLOTS = 3,
  CHAIN_LIMIT = 1000, /* no chain in these examples is that long: it has a cycle */
};

#define EMPTY UINT64_C(0)

/* Locks of the buckets of an old table: never released. */
#define RETIRED UINT64_MAX

struct bucket {
  alignas(CACHE_LINE) _Atomic uint64_t lock;
  _Atomic uint64_t key[BUCKET_SLOTS];
  _Atomic uint64_t value[BUCKET_SLOTS];
  _Atomic(struct bucket *) next;
};
_Static_assert(sizeof(struct bucket) == CACHE_LINE, "a bucket is one line");

struct table {
  uint64_t mask; /* number of buckets - 1 */
  struct bucket *buckets;
};

struct index {
  _Atomic(struct table *) table;
  alignas(CACHE_LINE) _Atomic uint64_t resize_lock;
};

static struct table *table_of(struct index *index) {
  return load(&index->table);
}

static struct bucket *next_of(struct bucket *bucket) {
  return load(&bucket->next);
}

static struct bucket *bucket_of(const struct table *table, uint64_t key) {
  uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
  return &table->buckets[hash >> 32 & table->mask];
}

/* ---- construction ---- */

static struct table *table_create(uint64_t bucket_count) {
  struct table *table = tidemark_alloc(sizeof *table);
  struct bucket *buckets = tidemark_alloc(sizeof *buckets * bucket_count);
  table->mask = bucket_count - 1; /* BUG_HASHTABLE_OBJECT: neither is flushed */
  table->buckets = buckets;       /* BUG_HASHTABLE_OBJECT: */
#ifndef BUG_HASHTABLE_OBJECT
  flush(table, sizeof *table);
#endif
  return table;
}

struct index *index_create(void) {
  struct index *index = tidemark_alloc(sizeof *index);
  struct table *table = table_create(INITIAL_BUCKETS); /* the buckets are all zero: no stores */
  atomic_init(&index->table, table);                   /* BUG_CLHT_CONSTRUCTOR: not flushed */
#ifndef BUG_CLHT_CONSTRUCTOR
  flush(&index->table, sizeof index->table);
#endif
  fence();
  return index;
}

/* ---- chains ---- */

struct place {
  struct bucket *bucket; /* with the key, with a free slot, or the last one of the chain */
  unsigned slot;         /* BUCKET_SLOTS if neither was found */
  bool present;
  unsigned length; /* buckets in the chain, if it was seen to the end */
};

/* Slots are filled in order and never emptied, so the first free one ends the search. */
static struct place chain_find(struct bucket *bucket, uint64_t key) {
  for (unsigned length = 1;; length++) {
    for (unsigned slot = 0; slot < BUCKET_SLOTS; slot++) {
      uint64_t found = load(&bucket->key[slot]);
      if (found == key || found == EMPTY)
        return (struct place){bucket, slot, found == key, length};
    }
    struct bucket *next = next_of(bucket);
    if (next == NULL)
      return (struct place){bucket, BUCKET_SLOTS, false, length};
    bucket = next;
  }
}

/* In the slot or, if the chain is full, in a new bucket; not yet durable there.  Copying into a
 * table that is not published needs no order. */
static void chain_copy(struct bucket *head, uint64_t key, uint64_t value) {
  struct place place = chain_find(head, key);
  if (place.slot == BUCKET_SLOTS) {
    struct bucket *bucket = tidemark_alloc(sizeof *bucket);
    atomic_init(&place.bucket->next, bucket);
    place.bucket = bucket;
    place.slot = 0;
  }
  atomic_init(&place.bucket->value[place.slot], value);
  atomic_init(&place.bucket->key[place.slot], key); /* BUG_HASHTABLE_ARRAY: BUG_RESIZE_NO_FENCE: */
}

static void chain_append(struct bucket *last, uint64_t key, uint64_t value) {
  struct bucket *bucket = tidemark_alloc(sizeof *bucket);
  atomic_init(&bucket->value[0], value);
  atomic_init(&bucket->key[0], key); /* BUG_CHAIN_NO_FENCE: linked before it is durable */
  flush(bucket, sizeof *bucket);
#ifndef BUG_CHAIN_NO_FENCE
  fence();
#endif
  store(&last->next, bucket);
  persist(&last->next, sizeof last->next);
}

static void slot_fill(struct bucket *bucket, unsigned slot, uint64_t key, uint64_t value) {
#ifdef BUG_KEY_BEFORE_VALUE
  store(&bucket->key[slot], key); /* BUG_KEY_BEFORE_VALUE: durable without a value */
#endif
  store(&bucket->value[slot], value); /* BUG_KEY_BEFORE_VALUE: too late */
  store(&bucket->key[slot], key);     /* BUG_INSERT_NO_FLUSH: not durable on return */
#ifndef BUG_INSERT_NO_FLUSH
  persist(bucket, sizeof *bucket);
#endif
}

/* ---- resize ---- */

/* pre: the resize lock is held */
static void bucket_retire(struct bucket *bucket) {
  uint64_t word;
  while ((word = load(&bucket->lock)) != RETIRED) { /* else by a resizer that has failed */
    if (word != 0 && !lock_is_orphan(word))
      sched_yield();
    else
      atomic_compare_exchange_strong(&bucket->lock, &word, RETIRED); /* BUG_NO_FAILURE_DETECTION: */
  }
}

/* pre: every bucket of `old` is locked */
static struct table *table_create_doubled(const struct table *old) {
  struct table *new = table_create(2 * (old->mask + 1));
  for (uint64_t i = 0; i <= old->mask; i++)
    for (struct bucket *from = &old->buckets[i]; from; from = next_of(from))
      for (unsigned slot = 0; slot < BUCKET_SLOTS; slot++) {
        uint64_t key = load(&from->key[slot]);
        if (key != EMPTY)
          chain_copy(bucket_of(new, key), key, load(&from->value[slot]));
      }
#ifndef BUG_HASHTABLE_ARRAY
  for (uint64_t i = 0; i <= new->mask; i++)
    for (struct bucket *bucket = &new->buckets[i]; bucket; bucket = next_of(bucket))
      flush(bucket, sizeof *bucket);
#endif
#ifndef BUG_RESIZE_NO_FENCE
  fence();
#endif
  return new;
}

/* pre: the resize lock is held */
static void table_replace(struct index *index, struct table *old) {
  lock_announce(&index->resize_lock);
  for (uint64_t i = 0; i <= old->mask; i++)
    bucket_retire(&old->buckets[i]);
  struct table *new = table_create_doubled(old);
  /* The old table stays locked if a failure prevents this and nobody notices.  The other switch
   * flushes the table instead. */
  store(&index->table, new); /* BUG_NO_FAILURE_DETECTION: BUG_FLUSH_POINTEE: */
#ifdef BUG_FLUSH_POINTEE
  persist(new, sizeof *new);
#else
  persist(&index->table, sizeof index->table);
#endif
}

/* Was a resize of this table interrupted?
 * pre: the resize lock is held */
static bool table_is_retired(const struct table *table) {
  for (uint64_t i = 0; i <= table->mask; i++)
    if (load(&table->buckets[i].lock) == RETIRED)
      return true;
  return false;
}

/* Replace `old` unless another thread does or has done it; complete what a failed machine has
 * begun. */
static void index_resize(struct index *index, struct table *old) {
  enum lock_result result = lock_try_acquire(&index->resize_lock);
  if (result == LOCK_BUSY)
    return;
  struct table *table = table_of(index);
  bool interrupted = result == LOCK_TAKEN_OVER && table_is_retired(table);
#ifdef BUG_NO_FAILURE_DETECTION
  interrupted = false;
#endif
  if (table == old || interrupted)
    table_replace(index, table);
  lock_release(&index->resize_lock);
}

/* ---- insert and lookup ---- */

/* The bucket for `key`, locked, in a table that is durably the current one. */
static struct bucket *bucket_lock(struct index *index, struct table **table, uint64_t key) {
  for (;; sched_yield()) {
    *table = table_of(index); /* BUG_LOCK_NOT_RESET: waits for ever */
    uint64_t resizer = load(&index->resize_lock);
    if (lock_is_orphan(resizer))
      index_resize(index, NULL);
    if (resizer != 0)
      continue;
    struct bucket *bucket = bucket_of(*table, key);
    if (lock_try_acquire(&bucket->lock) != LOCK_BUSY)
      return bucket;
  }
}

void index_insert(struct index *index, uint64_t key, uint64_t value) {
  for (;;) {
    struct table *table;
    struct bucket *head = bucket_lock(index, &table, key);
    struct place place = chain_find(head, key);
    bool too_long = place.slot == BUCKET_SLOTS && place.length == CHAIN_MAX;
    if (place.slot < BUCKET_SLOTS && !place.present)
      slot_fill(place.bucket, place.slot, key, value);
    else if (!place.present && !too_long)
      chain_append(place.bucket, key, value);
    lock_release(&head->lock);
    if (!too_long)
      return;
    index_resize(index, table);
  }
}

bool index_lookup(struct index *index, uint64_t key, uint64_t *value) {
  struct place place = chain_find(bucket_of(table_of(index), key), key);
  if (place.present)
    *value = load(&place.bucket->value[place.slot]);
  return place.present;
}

/* ---- recovery ---- */

void index_recover(struct index *index) {
  store(&index->resize_lock, 0);
#ifndef BUG_LOCK_NOT_RESET
  struct table *table = table_of(index);
  for (uint64_t i = 0; i <= table->mask; i++)
    store(&table->buckets[i].lock, 0);
#endif
}

/* Nothing but a resize needs it; orphaned locks of buckets are taken over by who needs them. */
void index_repair(struct index *index) {
  if (lock_is_orphan(load(&index->resize_lock)))
    index_resize(index, NULL);
}

static void chain_verify(const struct table *table, struct bucket *head) {
  unsigned length = 0;
  for (struct bucket *bucket = head; bucket; bucket = next_of(bucket)) {
    tidemark_assert(++length < CHAIN_LIMIT);
    tidemark_assert(bucket == head || load(&bucket->key[0]) != EMPTY); /* I3 */
    for (unsigned slot = 0; slot < BUCKET_SLOTS; slot++) {
      uint64_t key = load(&bucket->key[slot]);
      if (key == EMPTY)
        continue;
      struct place place = chain_find(head, key);
      tidemark_assert(bucket_of(table, key) == head);
      tidemark_assert(place.bucket == bucket && place.slot == slot); /* I2 */
      tidemark_assert(load(&bucket->value[slot]) != 0);
    }
  }
}

void index_verify(struct index *index) {
  struct table *table = table_of(index);
  tidemark_assert(table->mask + 1 >= INITIAL_BUCKETS);
  tidemark_assert((table->mask & (table->mask + 1)) == 0); /* I1 */
  for (uint64_t i = 0; i <= table->mask; i++)
    chain_verify(table, &table->buckets[i]);
}
