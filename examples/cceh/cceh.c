/* An extendible hash table in the manner of CCEH (Nam et al., "Write-Optimized Dynamic Hashing for
 * Persistent Memory", FAST 2019).
 *
 *     index        directory           segment pointers      segments
 *     [directory]->[depth 2|segments]->[00]----------------->[depth 2|lock][slots..][slots..]
 *                                      [01]----------------->[depth 2|lock][slots..][slots..]
 *                                      [10]--+-------------->[depth 1|lock][slots..][slots..]
 *                                      [11]--+
 *
 * The top `directory->depth` bits of a key's hash choose a segment pointer.  A segment with a
 * smaller depth d is shared by 2^(directory->depth - d) neighbouring pointers: by all whose top d
 * bits agree.  Inside the segment the low bits choose a line of four slots, and the key is in the
 * first free slot of that line and the few lines after it.
 *
 * Insert.  Shared lock; claim a slot by CAS on its key; write the value, then the key; flush.  Key
 * and value are on one line, so the key never becomes durable before its value, and the key is the
 * commit.
 *
 * Split.  A full segment of depth d keeps the keys whose next bit is 0 and gets a sibling for the
 * others, under the exclusive lock:
 *   1. if d is the directory's depth, build a directory of twice the size; publish it;
 *   2. build the sibling with copies of its keys, locked; flush, fence;
 *   3. point the upper half of the segment's pointers to the sibling; flush, fence;
 *   4. set the segment's depth to d + 1; flush, fence; unlock both.
 * The copied keys stay in the old segment.  Their hash no longer has the segment's prefix, and a
 * slot with such a key counts as free: that is all the deletion there is.
 *
 * What a failure leaves.  Before 3 nothing of the sibling can be seen.  During 3 some pointers of
 * the upper half are new, in any combination; both segments hold the keys in question, and neither
 * has changed since, because both are locked.  So recovery completes 3 and 4.  A slot claimed and
 * not committed is set free.  What was allocated but not published is lost to the allocator.
 *
 * When machines share the table and one fails, the others go on.  A claim carries the machine's
 * number: a slot claimed by a failed machine counts as free.  So does the lock word of a segment:
 * shared holders that failed are not waited for, and whoever takes an exclusive lock over completes
 * 3 and 4 for that segment.  The sibling's lock is taken over in the same way: its pointers are
 * completed before it is used, so that a segment and its sibling can be repaired in any order.
 *
 * Durable before used: another thread reaches the sibling only through its lock, which is released
 * when the pointers are durable; a new directory maps every hash as the old one did, until the
 * thread that published it has made it durable and goes on to 3.
 *
 * Invariants, when no thread is inside:
 *   I1  INITIAL_DEPTH <= segment depth <= directory depth;
 *   I2  the pointers to a segment of depth d are exactly those with one value of the top d bits;
 *   I3  a key with the segment's prefix is in its own probe window, once. */
#include "../index.h"
#include "../lock.h"
#include "../persist.h"
#include <stdalign.h>
#include <tidemark.h>

/* The paper has 256 lines in a segment and probes 4; less makes a few keys split. */
#ifndef SEGMENT_LINES
#define SEGMENT_LINES 2
#endif
#ifndef PROBE_LINES
#define PROBE_LINES 2
#endif

enum {
  INITIAL_DEPTH = 1,
  LINE_SLOTS = 4,
  SEGMENT_SLOTS = SEGMENT_LINES * LINE_SLOTS,
  PROBE_SLOTS = PROBE_LINES * LINE_SLOTS,
};

/* Keys of slots that hold none: EMPTY, or CLAIMED minus the number of the machine. */
#define EMPTY UINT64_C(0)
#define CLAIMED UINT64_MAX

/* Lock word of a segment: byte m is the number of inserting threads of machine m, the last byte is
 * the machine of the exclusive owner plus 1. */
enum { LOCK_MACHINES = 7, OWNER_SHIFT = 8 * LOCK_MACHINES };

struct slot {
  _Atomic uint64_t key, value;
};

struct segment {
  alignas(CACHE_LINE) _Atomic uint64_t depth;
  _Atomic uint64_t lock;
  alignas(CACHE_LINE) struct slot slot[SEGMENT_SLOTS];
};

struct directory {
  uint64_t depth;
  _Atomic(struct segment *) *segments;
};

struct index {
  _Atomic(struct directory *) directory;
  alignas(CACHE_LINE) _Atomic uint64_t lock; /* guards the pointer and the segment pointers */
};

/* Mixes both the top bits, for the directory, and the low bits, for the line. */
static uint64_t hash_of(uint64_t key) {
  uint64_t hash = (key ^ key >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
  hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
  return hash ^ hash >> 33;
}

static uint64_t prefix_of(uint64_t hash, uint64_t depth) {
  return hash >> (64 - depth);
}

static struct directory *directory_of(struct index *index) {
  return load(&index->directory);
}

static struct segment *segment_at(const struct directory *directory, uint64_t position) {
  return load(&directory->segments[position]);
}

static struct segment *segment_of(struct index *index, uint64_t hash) {
  struct directory *directory = directory_of(index);
  return segment_at(directory, prefix_of(hash, directory->depth));
}

static uint64_t claim_mine(void) {
  return CLAIMED - (uint64_t)tidemark_machine();
}

static bool is_claim(uint64_t key) {
  return key > CLAIMED - LOCK_MACHINES;
}

static bool is_orphaned_claim(uint64_t key) {
  return is_claim(key) && lock_is_orphan(CLAIMED - key + 1);
}

static struct slot *probe(struct segment *segment, uint64_t hash, unsigned distance) {
  uint64_t home = hash % SEGMENT_LINES * LINE_SLOTS;
  return &segment->slot[(home + distance) % SEGMENT_SLOTS];
}

/* ---- construction ---- */

/* Not flushed: the caller may have more to write. */
static struct segment *segment_create(uint64_t depth) {
  struct segment *segment = tidemark_alloc(sizeof *segment);
  atomic_init(&segment->depth, depth); /* BUG_SEGMENT_DEPTH: not flushed */
  return segment;
}

static struct directory *directory_create(uint64_t depth) {
  struct directory *directory = tidemark_alloc(sizeof *directory);
  _Atomic(struct segment *) *segments = tidemark_alloc(sizeof *segments << depth);
  directory->depth = depth;       /* BUG_DIRECTORY_OBJECT: neither is flushed */
  directory->segments = segments; /* BUG_DIRECTORY_OBJECT: */
#ifndef BUG_DIRECTORY_OBJECT
  flush(directory, sizeof *directory);
#endif
  return directory;
}

static void directory_flush_segments(const struct directory *directory) {
  flush(directory->segments, sizeof *directory->segments << directory->depth);
}

struct index *index_create(void) {
  struct index *index = tidemark_alloc(sizeof *index);
  struct directory *directory = directory_create(INITIAL_DEPTH);
  for (uint64_t i = 0; i < UINT64_C(1) << INITIAL_DEPTH; i++) {
    struct segment *segment = segment_create(INITIAL_DEPTH);
#ifndef BUG_SEGMENT_DEPTH
    flush(&segment->depth, sizeof segment->depth);
#endif
    atomic_init(&directory->segments[i], segment); /* BUG_SEGMENT_POINTERS: not flushed */
  }
#ifndef BUG_SEGMENT_POINTERS
  directory_flush_segments(directory);
#endif
  atomic_init(&index->directory, directory); /* BUG_TABLE_OBJECT: not flushed */
#ifndef BUG_TABLE_OBJECT
  flush(&index->directory, sizeof index->directory);
#endif
  fence();
  return index;
}

/* ---- locks of segments ---- */

static uint64_t exclusive_mine(void) {
  return lock_mine() << OWNER_SHIFT;
}

static uint64_t shared_mine(void) {
  return UINT64_C(1) << 8 * tidemark_machine();
}

/* The lock word without the shared holders that have failed. */
static uint64_t living_holders(uint64_t word) {
  for (uint64_t m = 0; m < LOCK_MACHINES; m++) {
    uint64_t holders = word & UINT64_C(0xFF) << 8 * m;
    if (holders != 0 && lock_is_orphan(m + 1))
      word -= holders;
  }
  return word;
}

static bool segment_try_lock_shared(struct segment *segment) {
  uint64_t word = load(&segment->lock);
  return word >> OWNER_SHIFT == 0 &&
         atomic_compare_exchange_strong(&segment->lock, &word, /* BUG_LOCK_NOT_RESET: */
                                        word + shared_mine());
}

static void segment_unlock_shared(struct segment *segment) {
  atomic_fetch_sub(&segment->lock, shared_mine());
}

static enum lock_result segment_try_lock_exclusive(struct segment *segment) {
  uint64_t word = load(&segment->lock);
  bool orphan = lock_is_orphan(word >> OWNER_SHIFT);
  if (!orphan && living_holders(word) != 0)
    return LOCK_BUSY;
  if (!atomic_compare_exchange_strong(&segment->lock, &word, /* BUG_LOCK_NOT_RESET: */
                                      exclusive_mine()))
    return LOCK_BUSY;
  lock_announce(&segment->lock);
  return orphan ? LOCK_TAKEN_OVER : LOCK_ACQUIRED;
}

static void segment_unlock_exclusive(struct segment *segment) {
  store(&segment->lock, 0);
}

/* ---- split ---- */

/* pre: index->lock is held */
static struct directory *directory_double(struct index *index) {
  struct directory *old = directory_of(index);
  struct directory *new = directory_create(old->depth + 1);
  for (uint64_t i = 0; i < UINT64_C(2) << old->depth; i++)
    atomic_init(&new->segments[i], segment_at(old, i / 2));
  directory_flush_segments(new);
  fence();
  store(&index->directory, new); /* BUG_FLUSH_POINTEE: the object is flushed instead */
#ifdef BUG_FLUSH_POINTEE
  persist(new, sizeof *new);
#else
  persist(&index->directory, sizeof index->directory);
#endif
  /* The old one stays allocated, a reader may be in it.  All old ones together are smaller than
   * the new one. */
  return new;
}

/* pre: the segment is locked exclusively, so no slot is claimed except by failed machines.
 * The sibling holds copies of the keys whose prefix of depth + 1 bits ends in 1, each in the slot
 * it had: the probe window does not depend on the segment. */
static struct segment *segment_create_sibling(struct segment *segment, uint64_t prefix) {
  uint64_t depth = load(&segment->depth);
  struct segment *sibling = segment_create(depth + 1);
  atomic_init(&sibling->lock, exclusive_mine()); /* BUG_LOCK_NOT_RESET: durable while held */
  for (unsigned i = 0; i < SEGMENT_SLOTS; i++) {
    uint64_t key = load(&segment->slot[i].key);
    if (key == EMPTY || is_claim(key) || prefix_of(hash_of(key), depth + 1) != 2 * prefix + 1)
      continue;
    atomic_init(&sibling->slot[i].value, load(&segment->slot[i].value));
    /* Without flush or fence below this is published before it is durable. */
    atomic_init(&sibling->slot[i].key, key); /* BUG_SPLIT_NO_FLUSH: BUG_SPLIT_NO_FENCE: */
  }
#ifndef BUG_SPLIT_NO_FLUSH
  flush(sibling, sizeof *sibling);
#endif
#ifndef BUG_SPLIT_NO_FENCE
  fence();
#endif
  return sibling;
}

/* Point the upper half of the pointers to `segment` to `sibling` and give up its upper half.  When
 * an interrupted split is completed, some are changed already. */
static void directory_insert_sibling(struct directory *directory, struct segment *segment,
                                     struct segment *sibling, uint64_t prefix) {
  uint64_t depth = load(&segment->depth);
  uint64_t width = UINT64_C(1) << (directory->depth - depth);
  _Atomic(struct segment *) *upper = &directory->segments[prefix * width + width / 2];
  /* The one switch makes the depth durable before; with the other a failure ends it half-way. */
  for (uint64_t i = width / 2; i-- > 0;)
    if (load(&upper[i]) == segment)
      store(&upper[i], sibling); /* BUG_SPLIT_DEPTH_FIRST: BUG_NO_FAILURE_DETECTION: */
#ifndef BUG_SPLIT_DEPTH_FIRST
  persist(upper, sizeof *upper * (width / 2));
#endif
  store(&segment->depth, depth + 1); /* BUG_NO_FAILURE_DETECTION: */
  persist(&segment->depth, sizeof segment->depth);
#ifdef BUG_SPLIT_DEPTH_FIRST
  persist(upper, sizeof *upper * (width / 2));
#endif
}

static void segment_repair(struct index *index, struct segment *segment, uint64_t hash);

/* pre: `hash` leads to the segment */
static void segment_lock_exclusive(struct index *index, struct segment *segment, uint64_t hash) {
  enum lock_result result;
  while ((result = segment_try_lock_exclusive(segment)) == LOCK_BUSY)
    sched_yield();
#ifndef BUG_NO_FAILURE_DETECTION
  if (result == LOCK_TAKEN_OVER)
    segment_repair(index, segment, hash);
#else
  (void)index, (void)hash, (void)segment_repair;
#endif
}

/* Split the segment for `hash` unless another thread has done it since its depth was `depth`. */
static void segment_split(struct index *index, struct segment *segment, uint64_t depth,
                          uint64_t hash) {
  segment_lock_exclusive(index, segment, hash);
  if (load(&segment->depth) == depth) {
    uint64_t prefix = prefix_of(hash, depth);
    lock_acquire(&index->lock); /* if taken over: the segment's lock says what to repair */
    struct directory *directory = directory_of(index);
    if (depth == directory->depth)
      directory = directory_double(index);
    struct segment *sibling = segment_create_sibling(segment, prefix);
    directory_insert_sibling(directory, segment, sibling, prefix);
#ifdef BUG_SPLIT_NO_FLUSH
    persist(sibling, sizeof *sibling); /* too late */
#endif
    lock_release(&index->lock);
    segment_unlock_exclusive(sibling);
  }
  segment_unlock_exclusive(segment);
}

/* ---- insert and lookup ---- */

static bool slot_is_free(uint64_t key, uint64_t hash, uint64_t depth) {
  if (is_claim(key))
    return is_orphaned_claim(key);
  return key == EMPTY || prefix_of(hash_of(key), depth) != prefix_of(hash, depth);
}

static struct slot *slot_find(struct segment *segment, uint64_t hash, uint64_t key) {
  for (unsigned i = 0; i < PROBE_SLOTS; i++) {
    struct slot *slot = probe(segment, hash, i);
    if (load(&slot->key) == key)
      return slot;
  }
  return NULL;
}

static struct slot *slot_claim(struct segment *segment, uint64_t hash, uint64_t depth) {
  for (unsigned i = 0; i < PROBE_SLOTS; i++) {
    struct slot *slot = probe(segment, hash, i);
    uint64_t old = load(&slot->key);
    if (slot_is_free(old, hash, depth) &&
        atomic_compare_exchange_strong(&slot->key, &old, claim_mine()))
      return slot;
  }
  return NULL;
}

static void slot_fill(struct slot *slot, uint64_t key, uint64_t value) {
#ifdef BUG_KEY_BEFORE_VALUE
  store(&slot->key, key); /* BUG_KEY_BEFORE_VALUE: durable with another value */
#endif
  store(&slot->value, value); /* BUG_KEY_BEFORE_VALUE: too late */
  store(&slot->key, key);     /* BUG_INSERT_NO_FLUSH: not durable on return */
#ifndef BUG_INSERT_NO_FLUSH
  persist(slot, sizeof *slot);
#endif
}

/* If a failed machine holds the segment's exclusive lock: repair and release. */
static bool segment_take_over(struct index *index, struct segment *segment, uint64_t hash) {
  if (!lock_is_orphan(load(&segment->lock) >> OWNER_SHIFT))
    return false;
  segment_lock_exclusive(index, segment, hash);
  segment_unlock_exclusive(segment);
  return true;
}

void index_insert(struct index *index, uint64_t key, uint64_t value) {
  uint64_t hash = hash_of(key);
  for (;;) {
    struct segment *segment = segment_of(index, hash);
    if (!segment_try_lock_shared(segment)) {
      if (!segment_take_over(index, segment, hash))
        sched_yield();
      continue;
    }
    uint64_t depth = load(&segment->depth);
    struct slot *slot = NULL;
    bool moved = segment_of(index, hash) != segment; /* split before we had the lock */
    if (!moved) {
      slot = slot_find(segment, hash, key);
      if (slot) /* perhaps another thread's, and not yet flushed */
        persist(slot, sizeof *slot);
      else if ((slot = slot_claim(segment, hash, depth)))
        slot_fill(slot, key, value);
    }
    segment_unlock_shared(segment);
    if (slot)
      return;
    if (!moved)
      segment_split(index, segment, depth, hash);
  }
}

/* Takes no lock.  A slot is reused only when its key has moved to another segment, and then the
 * directory shows it: so if the segment is still the right one, the value belonged to the key. */
bool index_lookup(struct index *index, uint64_t key, uint64_t *value) {
  uint64_t hash = hash_of(key);
  struct segment *segment;
  struct slot *slot;
  do {
    segment = segment_of(index, hash);
    slot = slot_find(segment, hash, key);
    if (slot)
      *value = load(&slot->value);
  } while (segment_of(index, hash) != segment);
  return slot != NULL;
}

/* ---- recovery and repair ---- */

/* What a pointer in the range of `segment` points to instead: its sibling, if a split was
 * interrupted. */
static struct segment *interrupted_sibling(const struct directory *directory,
                                           struct segment *segment, uint64_t first,
                                           uint64_t width) {
  for (uint64_t i = first + width / 2; i < first + width; i++)
    if (segment_at(directory, i) != segment)
      return segment_at(directory, i);
  return NULL;
}

/* Complete an interrupted split of the segment, whose first pointer is number `first`; true if
 * there was one. */
static bool segment_complete_split(struct directory *directory, struct segment *segment,
                                   uint64_t first, uint64_t width) {
  struct segment *sibling = interrupted_sibling(directory, segment, first, width);
  if (sibling)
    directory_insert_sibling(directory, segment, sibling, first / width);
  return sibling != NULL;
}

/* pre: nobody inserts */
static void segment_free_claims(struct segment *segment) {
  for (unsigned i = 0; i < SEGMENT_SLOTS; i++) {
    struct slot *slot = &segment->slot[i];
    if (is_claim(load(&slot->key))) {
      store(&slot->key, EMPTY);
      persist(&slot->key, sizeof slot->key);
    }
  }
}

static uint64_t segment_width(const struct directory *directory, struct segment *segment) {
  uint64_t depth = load(&segment->depth);
  tidemark_assert(depth >= INITIAL_DEPTH && depth <= directory->depth); /* I1 */
  return UINT64_C(1) << (directory->depth - depth);
}

/* The locks of all who failed are void. */
void index_recover(struct index *index) {
  struct directory *directory = directory_of(index);
  uint64_t width;
  lock_release(&index->lock);
  tidemark_assert(directory->depth >= INITIAL_DEPTH && directory->depth < 64);
  for (uint64_t i = 0; i < UINT64_C(1) << directory->depth; i += width) {
    struct segment *segment = segment_at(directory, i);
    width = segment_width(directory, segment);
    if (segment_complete_split(directory, segment, i, width))
      width /= 2; /* the sibling comes next */
#ifndef BUG_LOCK_NOT_RESET
    segment_unlock_exclusive(segment);
#endif
    segment_free_claims(segment);
  }
}

/* A split of the segment was interrupted, or the one that created it: in its range there are
 * pointers to a deeper segment, or to a shallower one.
 * pre: locked exclusively */
static void segment_repair(struct index *index, struct segment *segment, uint64_t hash) {
  lock_acquire(&index->lock);
  struct directory *directory = directory_of(index);
  uint64_t width = segment_width(directory, segment);
  uint64_t first = prefix_of(hash, load(&segment->depth)) * width;
  for (uint64_t i = first; i < first + width; i++)
    if (load(&segment_at(directory, i)->depth) < load(&segment->depth))
      store(&directory->segments[i], segment);
  persist(&directory->segments[first], sizeof *directory->segments * width);
  segment_complete_split(directory, segment, first, width);
  lock_release(&index->lock);
}

void index_repair(struct index *index) {
  struct directory *directory = directory_of(index);
  for (uint64_t i = 0; i < UINT64_C(1) << directory->depth; i++) {
    struct segment *segment = segment_at(directory, i);
    segment_lock_exclusive(index, segment, i << (64 - directory->depth));
    segment_free_claims(segment);
    segment_unlock_exclusive(segment);
  }
}

static void segment_verify(struct segment *segment, uint64_t prefix) {
  uint64_t depth = load(&segment->depth);
  for (unsigned i = 0; i < SEGMENT_SLOTS; i++) {
    uint64_t key = load(&segment->slot[i].key);
    tidemark_assert(!is_claim(key));
    if (key == EMPTY || prefix_of(hash_of(key), depth) != prefix)
      continue;
    tidemark_assert(slot_find(segment, hash_of(key), key) == &segment->slot[i]); /* I3 */
  }
}

void index_verify(struct index *index) {
  struct directory *directory = directory_of(index);
  uint64_t width;
  for (uint64_t i = 0; i < UINT64_C(1) << directory->depth; i += width) {
    struct segment *segment = segment_at(directory, i);
    width = segment_width(directory, segment); /* I1 */
    tidemark_assert(i % width == 0);
    for (uint64_t j = i; j < i + width; j++)
      tidemark_assert(segment_at(directory, j) == segment); /* I2 */
    tidemark_assert(i == 0 || segment_at(directory, i - 1) != segment);
    segment_verify(segment, i / width);
  }
}
