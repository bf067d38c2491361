#include "access/unroll.h"
#include "access/waiting.h"
#include "base/hash.h"
#include "process/world.h"

struct unroll unroll;

struct visits {
  const struct abi_site *site; /* NULL: unused */
  uint64_t stack_pointer;
  uint32_t count;
};

struct visited {
  struct visits *table; /* hashed, open addressing */
  uint32_t count, capacity;
};

static struct visits *find(const struct visited *v, const struct abi_site *site, uint64_t sp) {
  for (uint64_t at = hash_u64(hash_u64(0, (uintptr_t)site), sp);; at++) {
    struct visits *x = &v->table[at & (v->capacity - 1)];
    if (!x->site || (x->site == site && x->stack_pointer == sp))
      return x;
  }
}

static void grow(struct visited *v) {
  struct visited old = *v;
  v->capacity = old.capacity ? old.capacity * 2 : 64;
  v->table = world_alloc(v->capacity * sizeof *v->table);
  for (uint32_t i = 0; i < old.capacity; i++)
    if (old.table[i].site)
      *find(v, old.table[i].site, old.table[i].stack_pointer) = old.table[i];
}

bool unroll_ends(struct thread *self) {
  const struct operation *o = &self->next;
  bool looks = o->kind == OPERATION_READ || (o->kind == OPERATION_WRITE && o->locked);
  if (!unroll.most || !looks || !o->site)
    return false;
  if (!self->turn.visited)
    self->turn.visited = world_alloc(sizeof *self->turn.visited);
  struct visited *v = self->turn.visited;
  if (v->count * 2 >= v->capacity)
    grow(v);
  struct visits *x = find(v, o->site, waiting_entered[6]);
  v->count += !x->site;
  x->site = o->site;
  x->stack_pointer = waiting_entered[6];
  if (x->count++ < unroll.most)
    return false;
  unroll.cut = true;
  return true;
}
