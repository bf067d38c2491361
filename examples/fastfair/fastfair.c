/* A B+-tree with in-place shifts in the manner of FAST & FAIR (Hwang et al., "Endurable Transient
 * Inconsistency in Byte-Addressable Persistent B+-Tree", FAST 2018).
 *
 *     node:  [ level | low | leftmost | sibling | lock |       ]   header, one line
 *            [ key ptr | key ptr | key ptr | key ptr ]             entries, four to a line
 *            [ key ptr | key ptr | key ptr |  -   0  ]
 *
 * A node covers the keys from `low` to its sibling's `low`.  `leftmost` is the child for keys below
 * the first entry (0 in a leaf); ptr is a child, in a leaf the value.  The nodes of a level are a
 * list, so a node that is missing in its parent is still found: whoever looks for a key not below
 * the sibling's `low` moves right.
 *
 * An entry is valid if its ptr is neither 0 nor that of the entry (for the first: of `leftmost`)
 * to its left.  The first ptr 0 ends the node, except that entry 0 of a leaf may be invalid by it.
 *
 * Shift (FAST).  To insert, the entries to the right move up one by one, from the last, each by two
 * 8-byte stores: ptr, which makes an invalid copy, then key.  The next ptr store, one to the left,
 * makes the copy valid and the original invalid at the same moment.  x86 makes these stores
 * visible in order and, within a line, durable in order; where the shift leaves a line, that line
 * is flushed before the next one is touched.  So what a failure leaves is always a state that a
 * reader tolerates: at most one invalid entry.
 *
 * Split (FAIR).  A full node, under its lock:
 *   1. build the right half as a new node, locked; flush, fence;
 *   2. set `sibling`; flush, fence;                    the right half is durable, and in both nodes
 *   3. end the left node before the right half, one 8-byte store; flush, fence;
 *   4. insert the new key; unlock; insert the new node into the parent like any other key.
 * After a failure before 3 the left node still has what belongs to the right one: recovery ends it.
 * After a failure before the end of 4 the parent lacks an entry: found by moving right, and
 * repaired by the next insert that passes.  A lost root pointer is the same case, one level up.
 *
 * Durable before used: the new node's lock is released when the pointer to it is durable; who
 * repairs the parent flushes the sibling pointer first.
 *
 * When machines share the tree and one fails, whoever takes a node's lock over repairs that node as
 * recovery would.  A lookup tolerates a node that nobody has repaired yet, but must not run at the
 * same time as a repair of its leaf, which moves entries to the left.
 *
 * Invariants, when no thread is inside and after recovery:
 *   I1  the nodes of a level have the same level number, and their `low` increases;
 *   I2  the keys of a node increase and lie between its `low` and that of its sibling;
 *   I3  a child is one level below, and its `low` is the key that leads to it. */
#include "../index.h"
#include "../lock.h"
#include "../persist.h"
#include <stdalign.h>
#include <stddef.h>
#include <tidemark.h>

/* The paper has nodes of 512 bytes; less makes a few keys split. */
#ifndef NODE_LINES
#define NODE_LINES 2
#endif

enum {
  LINE_ENTRIES = 4,
  NODE_SLOTS = NODE_LINES * LINE_ENTRIES,
  NODE_ENTRIES = NODE_SLOTS - 1, /* the last slot always ends the node */
};

struct entry {
  _Atomic uint64_t key, ptr;
};

struct node {
  alignas(CACHE_LINE) uint64_t level; /* 0 in leaves; this and the next two never change */
  uint64_t low;
  uint64_t leftmost;
  _Atomic(struct node *) sibling;
  _Atomic uint64_t lock;
#ifdef BUG_HEADER_PADDING
  uint64_t padding[4]; /* one word too many: every fourth entry crosses a line */
#else
  uint64_t padding[3];
#endif
  struct entry entry[NODE_SLOTS];
};

struct index {
  _Atomic(struct node *) root;
  alignas(CACHE_LINE) _Atomic uint64_t lock; /* guards the root pointer */
};

static struct node *node_at(uint64_t ptr) {
  return (struct node *)(uintptr_t)ptr;
}

static uint64_t ptr_to(const struct node *node) {
  return (uint64_t)(uintptr_t)node;
}

static struct node *root_of(struct index *index) {
  return load(&index->root);
}

static struct node *sibling_of(struct node *node) {
  return load(&node->sibling);
}

static struct node *sibling_covering(struct node *node, uint64_t key) {
  struct node *sibling = sibling_of(node);
  return sibling && key >= sibling->low ? sibling : NULL;
}

static bool starts_line(unsigned slot) {
  return slot % LINE_ENTRIES == 0;
}

/* ---- construction ---- */

/* Not flushed: the caller writes the entries first. */
static struct node *node_create(uint64_t level, uint64_t low, uint64_t leftmost,
                                struct node *sibling) {
  struct node *node = tidemark_alloc(sizeof *node);
  node->level = level;
  node->low = low;           /* BUG_HEADER_CONSTRUCTOR: BUG_SPLIT_NO_FENCE: */
  node->leftmost = leftmost; /* BUG_HEADER_CONSTRUCTOR: BUG_SPLIT_NO_FENCE: */
  atomic_init(&node->sibling, sibling);
  return node;
}

static void node_init_entry(struct node *node, unsigned slot, uint64_t key, uint64_t ptr) {
  atomic_init(&node->entry[slot].key, key);
  atomic_init(&node->entry[slot].ptr, ptr); /* BUG_ENTRY_CONSTRUCTOR: BUG_SPLIT_NO_FENCE: */
}

static void node_flush_new(const struct node *node, unsigned count) {
#ifndef BUG_HEADER_CONSTRUCTOR
  flush(node, offsetof(struct node, entry));
#endif
#ifdef BUG_ENTRY_CONSTRUCTOR
  count = 0;
#endif
  flush(node->entry, sizeof *node->entry * count);
}

struct index *index_create(void) {
  struct index *index = tidemark_alloc(sizeof *index);
  struct node *root = tidemark_alloc(sizeof *root); /* an empty leaf is all zero: no stores */
  atomic_init(&index->root, root);                  /* BUG_BTREE_CONSTRUCTOR: not flushed */
#ifndef BUG_BTREE_CONSTRUCTOR
  flush(&index->root, sizeof index->root);
#endif
  fence();
  return index;
}

/* ---- insert into one node: FAST ---- */

/* pre: locked, so without an invalid entry */
static unsigned node_count(struct node *node) {
  unsigned count = 0;
  while (load(&node->entry[count].ptr) != 0)
    count++;
  return count;
}

/* pre: locked, fewer than NODE_ENTRIES entries */
static void node_insert(struct node *node, uint64_t key, uint64_t ptr) {
  struct entry *entry = node->entry;
  unsigned count = node_count(node);
  unsigned slot = count;

  /* Behind the end there may be entries that a split left. */
  if (load(&entry[count + 1].ptr) != 0) {
    store(&entry[count + 1].ptr, 0);
    if (starts_line(count + 1))
      persist(&entry[count + 1], sizeof *entry);
  }
  for (; slot > 0 && load(&entry[slot - 1].key) > key; slot--) {
    struct entry *from = &entry[slot - 1], *to = &entry[slot];
    store(&to->ptr, load(&from->ptr)); /* BUG_SHIFT_NO_FLUSH: BUG_HEADER_PADDING: at a boundary */
    store(&to->key, load(&from->key)); /* BUG_NO_FAILURE_DETECTION: the entry is there twice */
#ifndef BUG_SHIFT_NO_FLUSH
    if (starts_line(slot))
      persist(to, sizeof *to);
#endif
  }
  if (slot < count) /* the entry here is now also one to the right: make this copy invalid */
    store(&entry[slot].ptr, slot > 0 ? load(&entry[slot - 1].ptr) : node->leftmost);
#ifdef BUG_PTR_BEFORE_KEY
  store(&entry[slot].ptr, ptr); /* BUG_PTR_BEFORE_KEY: valid with another key */
#endif
  /* Too late if the ptr is there before; with wrong padding, not on the line of its ptr. */
  store(&entry[slot].key, key); /* BUG_PTR_BEFORE_KEY: BUG_HEADER_PADDING: */
  store(&entry[slot].ptr, ptr); /* BUG_INSERT_NO_FLUSH: not durable on return */
#ifndef BUG_INSERT_NO_FLUSH
  persist(&entry[slot], sizeof *entry);
#endif
}

/* ---- split: FAIR ---- */

static void node_end_before(struct node *node, unsigned slot) {
  /* The one switch makes this durable before the sibling pointer, with the other a failure may
   * prevent it for ever. */
  store(&node->entry[slot].ptr, 0); /* BUG_END_BEFORE_LINK: BUG_NO_FAILURE_DETECTION: */
  persist(&node->entry[slot], sizeof node->entry[slot]);
}

/* Move the upper half of a full node to a new one, which is returned locked.
 * pre: locked */
static struct node *node_split(struct node *node) {
  unsigned middle = NODE_ENTRIES / 2;
  unsigned from = middle;
  uint64_t leftmost = 0;
  if (node->level > 0) /* the middle entry moves up, its child becomes the leftmost one */
    leftmost = load(&node->entry[from++].ptr);
  struct node *right =
      node_create(node->level, load(&node->entry[middle].key), leftmost, sibling_of(node));
  atomic_init(&right->lock, lock_mine()); /* BUG_LOCK_NOT_RESET: durable while held */
  for (unsigned i = from; i < NODE_ENTRIES; i++)
    node_init_entry(right, i - from, load(&node->entry[i].key), load(&node->entry[i].ptr));
  node_flush_new(right, NODE_ENTRIES - from);
#ifndef BUG_SPLIT_NO_FENCE
  fence();
#endif

#ifdef BUG_END_BEFORE_LINK
  node_end_before(node, middle);
#endif
  /* Too late if the left node has ended; or the new node is flushed instead. */
  store(&node->sibling, right); /* BUG_END_BEFORE_LINK: BUG_FLUSH_POINTEE: */
#ifdef BUG_FLUSH_POINTEE
  persist(right, sizeof *right);
#else
  persist(&node->sibling, sizeof node->sibling);
#endif
  node_end_before(node, middle);
  return right;
}

/* Put a new root with one entry above the present one, unless the tree has reached `level`. */
static bool tree_grow(struct index *index, uint64_t level, uint64_t key, uint64_t ptr) {
  lock_acquire(&index->lock); /* nothing to repair: the old root will do */
  struct node *old = root_of(index);
  bool grow = old->level < level;
  if (grow) {
    struct node *root = node_create(level, 0, ptr_to(old), NULL);
    node_init_entry(root, 0, key, ptr);
    node_flush_new(root, 1);
    fence();
    store(&index->root, root);
    persist(&index->root, sizeof index->root);
  }
  lock_release(&index->lock);
  return grow;
}

/* ---- descent ---- */

static struct node *child_for(struct node *node, uint64_t key) {
  uint64_t left = node->leftmost, child = left;
  for (unsigned i = 0; i < NODE_ENTRIES; i++) {
    uint64_t ptr, entry_key;
    do { /* the key that was there together with ptr, or a larger one: then we move right later */
      ptr = load(&node->entry[i].ptr);
      entry_key = load(&node->entry[i].key);
    } while (load(&node->entry[i].ptr) != ptr);
    if (ptr == 0 || (ptr != left && entry_key > key))
      break;
    left = child = ptr;
  }
  return node_at(child);
}

static void tree_insert(struct index *index, uint64_t level, uint64_t key, uint64_t ptr);

/* Moving right means that the parent lacks an entry: after a failure, or because the thread that
 * split the node has not come to it yet. */
static struct node *node_move_right_repairing(struct index *index, struct node *node,
                                              uint64_t key) {
  for (struct node *sibling; (sibling = sibling_covering(node, key)); node = sibling) {
    persist(&node->sibling, sizeof node->sibling);
    tree_insert(index, node->level + 1, sibling->low, ptr_to(sibling));
  }
  return node;
}

static void node_repair(struct node *node);

static void node_lock(struct node *node) {
  bool taken_over = lock_acquire(&node->lock);
  lock_announce(&node->lock);
#ifndef BUG_NO_FAILURE_DETECTION
  if (taken_over)
    node_repair(node);
#else
  (void)taken_over;
#endif
}

static struct node *node_lock_covering(struct node *node, uint64_t key) {
  node_lock(node);
  for (struct node *sibling; (sibling = sibling_covering(node, key)); node = sibling) {
    lock_release(&node->lock);
    node_lock(sibling);
  }
  return node;
}

/* pre: locked, so what is there is durable */
static bool node_has(struct node *node, uint64_t key) {
  for (unsigned i = 0; load(&node->entry[i].ptr) != 0; i++)
    if (load(&node->entry[i].key) == key)
      return true;
  return false;
}

/* Insert on the given level and, as long as nodes split, on those above. */
static void tree_insert(struct index *index, uint64_t level, uint64_t key, uint64_t ptr) {
  for (struct node *right;; level++, key = right->low, ptr = ptr_to(right)) {
    while (root_of(index)->level < level)
      if (tree_grow(index, level, key, ptr))
        return;
    struct node *node = node_move_right_repairing(index, root_of(index), key);
    while (node->level > level)
      node = node_move_right_repairing(index, child_for(node, key), key);

    node = node_lock_covering(node, key);
    bool present = node_has(node, key);
    bool full = !present && node_count(node) == NODE_ENTRIES;
    right = full ? node_split(node) : NULL;
    if (!present)
      node_insert(full && key >= right->low ? right : node, key, ptr);
    if (full)
      lock_release(&right->lock);
    lock_release(&node->lock);
    if (!full)
      return;
  }
}

void index_insert(struct index *index, uint64_t key, uint64_t value) {
  tree_insert(index, 0, key, value);
}

/* ---- lookup: no locks ---- */

/* Does the entry hold this pair, and did it while the three loads here were made?  A shift writes
 * ptr, then key, and only then makes the copy valid by changing the ptr to the left. */
static bool leaf_entry_is(struct node *leaf, unsigned slot, uint64_t key, uint64_t ptr) {
  uint64_t left = slot > 0 ? load(&leaf->entry[slot - 1].ptr) : 0;
  return ptr != left && load(&leaf->entry[slot].key) == key && load(&leaf->entry[slot].ptr) == ptr;
}

/* Shifts go to the right, as we do: an entry can be met twice but not missed. */
static bool leaf_find(struct node *leaf, uint64_t key, uint64_t *value) {
  uint64_t left = 0;
  for (unsigned i = 0; i < NODE_ENTRIES; i++) {
    uint64_t ptr = load(&leaf->entry[i].ptr);
    if (ptr == 0 && i > 0)
      break;
    if (ptr != left && load(&leaf->entry[i].key) == key) {
      if (!leaf_entry_is(leaf, i, key, ptr))
        return leaf_find(leaf, key, value);
      *value = ptr;
      return true;
    }
    left = ptr;
  }
  return false;
}

static struct node *node_move_right(struct node *node, uint64_t key) {
  for (struct node *sibling; (sibling = sibling_covering(node, key)); node = sibling)
    ;
  return node;
}

bool index_lookup(struct index *index, uint64_t key, uint64_t *value) {
  struct node *node = node_move_right(root_of(index), key);
  while (node->level > 0)
    node = node_move_right(child_for(node, key), key);
  return leaf_find(node, key, value);
}

/* ---- recovery and repair ---- */

/* Take the invalid entry out by shifting the others down: the mirror image of an insert. */
static void node_remove_invalid(struct node *node, unsigned slot) {
  struct entry *entry = node->entry;
  for (; load(&entry[slot + 1].ptr) != 0; slot++) {
    store(&entry[slot].key, load(&entry[slot + 1].key));
    store(&entry[slot].ptr, load(&entry[slot + 1].ptr));
    if (starts_line(slot + 1))
      persist(&entry[slot], sizeof *entry);
  }
  node_end_before(node, slot);
}

/* pre: nobody else changes it */
static void node_repair(struct node *node) {
  struct node *sibling = sibling_of(node);
  uint64_t left = node->leftmost;
  for (unsigned i = 0; i < NODE_ENTRIES; i++) {
    uint64_t ptr = load(&node->entry[i].ptr);
    if (ptr == 0 && (i > 0 || load(&node->entry[1].ptr) == 0))
      break;
    if (ptr == left) { /* an insert was interrupted */
      node_remove_invalid(node, i);
      break;
    }
    left = ptr;
  }
  if (sibling == NULL)
    return;
  for (unsigned i = 0; load(&node->entry[i].ptr) != 0; i++)
    if (load(&node->entry[i].key) >= sibling->low) { /* a split was interrupted */
      node_end_before(node, i);
      break;
    }
}

static void node_recover(struct node *node) {
#ifndef BUG_LOCK_NOT_RESET
  lock_release(&node->lock);
#endif
  node_repair(node);
}

static void node_take_over(struct node *node) {
  if (lock_is_orphan(load(&node->lock))) {
    node_lock(node);
    lock_release(&node->lock);
  }
}

static void tree_visit(struct index *index, void (*visit)(struct node *node)) {
  for (struct node *first = root_of(index);; first = node_at(first->leftmost)) {
    for (struct node *node = first; node; node = sibling_of(node))
      visit(node);
    if (first->level == 0)
      break;
  }
}

/* Visits every node, for the locks.  In a large tree one would number the runs of the program, put
 * the number into the lock word and take a lock with an old number for a free one. */
void index_recover(struct index *index) {
  lock_release(&index->lock);
  tree_visit(index, node_recover);
}

void index_repair(struct index *index) {
  tree_visit(index, node_take_over);
}

static void node_verify(struct node *node) {
  struct node *sibling = sibling_of(node);
  uint64_t low = node->low;
  if (sibling)
    tidemark_assert(sibling->level == node->level && sibling->low > node->low); /* I1 */
  if (node->level > 0) {
    tidemark_assert(node_at(node->leftmost)->level == node->level - 1);
    tidemark_assert(node_at(node->leftmost)->low == node->low); /* I3 */
  }
  for (unsigned i = 0; load(&node->entry[i].ptr) != 0; i++) {
    uint64_t key = load(&node->entry[i].key);
    tidemark_assert(i < NODE_ENTRIES);
    tidemark_assert(i == 0 ? key >= low : key > low); /* I2 */
    tidemark_assert(sibling == NULL || key < sibling->low);
    if (node->level > 0) {
      struct node *child = node_at(load(&node->entry[i].ptr));
      tidemark_assert(child->level == node->level - 1 && child->low == key); /* I3 */
    }
    low = key;
  }
}

void index_verify(struct index *index) {
  for (struct node *first = root_of(index);; first = node_at(first->leftmost)) {
    tidemark_assert(first->low == 0);
    for (struct node *node = first; node; node = sibling_of(node))
      node_verify(node);
    if (first->level == 0)
      break;
  }
}
