#include "access/visits.h"
#include "base/hash.h"
#include "process/world.h"
#include <stdbool.h>
#include <string.h>

struct visit {
  uint64_t where, which;
  uint32_t count;
  bool used;
};

struct visits {
  struct visit *table; /* hashed, open addressing */
  uint32_t used, capacity;
};

static struct visit *find(const struct visits *v, uint64_t where, uint64_t which) {
  for (uint64_t at = hash_u64(hash_u64(0, where), which);; at++) {
    struct visit *x = &v->table[at & (v->capacity - 1)];
    if (!x->used || (x->where == where && x->which == which))
      return x;
  }
}

static void grow(struct visits *v) {
  struct visits old = *v;
  v->capacity = old.capacity ? old.capacity * 2 : 64;
  v->table = world_alloc(v->capacity * sizeof *v->table);
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.table[i].used)
      *find(v, old.table[i].where, old.table[i].which) = old.table[i];
}

uint32_t *visits_at(struct visits **visits, uint64_t where, uint64_t which) {
  if (!*visits)
    *visits = world_alloc(sizeof **visits);
  struct visits *v = *visits;
  if (v->used * 2 >= v->capacity)
    grow(v);
  struct visit *x = find(v, where, which);
  if (!x->used) {
    v->used++;
    *x = (struct visit){.where = where, .which = which, .used = true};
  }
  return &x->count;
}

void visits_forget(struct visits *v) {
  if (!v || !v->used)
    return;
  memset(v->table, 0, v->capacity * sizeof *v->table);
  v->used = 0;
}
