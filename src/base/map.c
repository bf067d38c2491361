#include "base/map.h"
#include "base/hash.h"
#include "base/mem.h"

#define CAPACITY_MIN 64

/* Its slot, or the unused one where it belongs. */
static struct map_slot *slot_of(const struct map *m, uint64_t key) {
  for (uint64_t at = hash_u64(0, key);; at++) {
    struct map_slot *s = &m->slots[at & (m->capacity - 1)];
    if (s->key == key || !s->key)
      return s;
  }
}

static void grow(struct map *m) {
  struct map old = *m;
  m->capacity = old.capacity ? old.capacity * 2 : CAPACITY_MIN;
  m->slots = mem_alloc(m->capacity * sizeof *m->slots);
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.slots[i].key)
      *slot_of(m, old.slots[i].key) = old.slots[i];
  mem_free_outgrown(old.slots, old.capacity * sizeof *old.slots);
}

uint32_t *map_at(struct map *m, uint64_t key) {
  if (m->count * 2 >= m->capacity)
    grow(m);
  struct map_slot *s = slot_of(m, key);
  if (!s->key) {
    s->key = key;
    m->count++;
  }
  return &s->value;
}

uint32_t map_get(const struct map *m, uint64_t key) {
  return m->capacity ? slot_of(m, key)->value : 0;
}

void map_free(struct map *m) {
  mem_free(m->slots, m->capacity * sizeof *m->slots);
  *m = (struct map){0};
}
