#include "explore/sharing.h"
#include "base/hash.h"
#include "base/mem.h"

#define THREADS_TOLD_APART 64

/* Sets of threads, a bit each. */
struct sharing_entry {
  uintptr_t key; /* line number, or ~address of a lock; 0: unused */
  uint64_t readers, writers;
  uint64_t alone;     /* relied on: no other thread writes */
  uint64_t exclusive; /* relied on: no other thread touches it */
};

static void grow(struct sharing *s);

static struct sharing_entry *entry(struct sharing *s, uintptr_t key) {
  if (s->count * 2 >= s->capacity)
    grow(s);
  for (uint64_t at = hash_u64(0, key);; at++) {
    struct sharing_entry *e = &s->entries[at & (s->capacity - 1)];
    if (e->key == key)
      return e;
    if (e->key)
      continue;
    e->key = key;
    s->count++;
    return e;
  }
}

static void grow(struct sharing *s) {
  struct sharing old = *s;
  s->capacity = old.capacity ? old.capacity * 2 : 64;
  s->entries = mem_alloc(s->capacity * sizeof *s->entries);
  s->count = 0;
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.entries[i].key)
      *entry(s, old.entries[i].key) = old.entries[i];
  mem_free_outgrown(old.entries, old.capacity * sizeof *old.entries);
}

/* The keys that the operation is about; an access lies within two lines at most. */
static int keys_of(const struct operation *o, uintptr_t keys[2]) {
  if (o->kind == OPERATION_LOCK) {
    keys[0] = ~o->address;
    return 1;
  }
  keys[0] = 1 + (o->address >> OPERATION_LINE_SHIFT);
  keys[1] = 1 + ((o->address + o->size - 1) >> OPERATION_LINE_SHIFT);
  return keys[0] == keys[1] ? 1 : 2;
}

static bool is_read(const struct operation *o) {
  return o->kind == OPERATION_READ;
}

static bool about_something(const struct operation *o) {
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE ||
         (o->kind == OPERATION_LOCK && o->address);
}

bool sharing_rely(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  if (!about_something(o) || o->thread >= THREADS_TOLD_APART)
    return false;
  uint64_t self = (uint64_t)1 << o->thread;
  int n = keys_of(o, keys);
  for (int i = 0; i < n; i++) {
    const struct sharing_entry *e = entry(s, keys[i]);
    uint64_t others = is_read(o) ? e->writers : e->writers | e->readers;
    if (others & ~self)
      return false;
  }
  for (int i = 0; i < n; i++) {
    struct sharing_entry *e = entry(s, keys[i]);
    if (is_read(o))
      e->alone |= self;
    else
      e->exclusive |= self;
  }
  return true;
}

bool sharing_note(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  if (!about_something(o))
    return true;
  uint64_t self = o->thread < THREADS_TOLD_APART ? (uint64_t)1 << o->thread : ~(uint64_t)0;
  uint64_t others = o->thread < THREADS_TOLD_APART ? ~self : self;
  bool expected = true;
  for (int i = 0, n = keys_of(o, keys); i < n; i++) {
    struct sharing_entry *e = entry(s, keys[i]);
    if (is_read(o))
      e->readers |= self;
    else
      e->writers |= self;
    uint64_t relied = is_read(o) ? e->exclusive : e->exclusive | e->alone;
    expected &= !(relied & others);
  }
  return expected;
}

enum sharing_answer sharing_touch(struct sharing *s, const struct operation *o) {
  if (!sharing_note(s, o))
    return SHARING_BROKEN;
  return sharing_rely(s, o) ? SHARING_PRIVATE : SHARING_SHARED;
}

void sharing_expect(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  for (int i = 0, n = keys_of(o, keys); i < n; i++)
    entry(s, keys[i])->writers = ~(uint64_t)0;
}

void sharing_restart(struct sharing *s) {
  for (uint32_t i = 0; i < s->capacity; i++)
    s->entries[i].alone = s->entries[i].exclusive = 0;
}
