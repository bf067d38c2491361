#include "cprog/c_key.h"
#include "base/check.h"
#include "base/hash.h"
#include "cprog/c_exec.h"
#include <stdlib.h>

enum { SLOT = 0x10000 };                       /* between the beginnings of objects */
static const int64_t RANGE = (int64_t)1 << 45; /* of objects that begin with the same `first` */

void c_key_step(struct c_exec *x, int function, int instruction) {
  uint64_t at = hash_u64(x->position.path, (uint64_t)function + 1);
  x->position.at = hash_u64(at, (uint64_t)instruction);
  x->position.named = 0;
}

uint64_t c_key_next(struct c_exec *x) {
  return hash_u64(x->position.at, (uint64_t)++x->position.named);
}

struct c_position c_key_enter(struct c_exec *x, int number) {
  uint64_t inside = hash_u64(c_key_next(x), (uint64_t)number);
  struct c_position before = x->position;
  x->position = (struct c_position){inside, inside, 0};
  return before;
}

void c_key_turn(struct c_exec *x, struct c_position loop, int header, int turn) {
  x->position.path = hash_u64(hash_u64(loop.path, (uint64_t)header), (uint64_t)turn);
}

void c_key_leave(struct c_exec *x, struct c_position before) {
  x->position = before;
}

int c_key_access(struct c_exec *x) {
  uint64_t key = c_key_next(x);
  list_push(x->arena, &x->keys, key);
  return x->keys.length - 1;
}

const struct c_access *c_key_known(const struct c_exec *x, int access) {
  uint64_t key = x->keys.data[access];
  int low = 0, high = x->shape->keys.length;
  while (low < high) {
    int middle = (low + high) / 2;
    if (x->shape->keys.data[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < x->shape->keys.length && x->shape->keys.data[low].key == key;
  return found ? &x->shape->accesses.data[x->shape->keys.data[low].number] : NULL;
}

int64_t c_key_address(struct c_exec *x, uint64_t key, int64_t size, int64_t first) {
  int64_t next = first;
  for (int i = 0; i < x->shape->places.length; i++) {
    const struct c_place *p = &x->shape->places.data[i];
    if (p->key == key && p->size == size)
      return p->address;
    if (p->address >= next && p->address - first < RANGE)
      next = p->address + (p->size / SLOT + 1) * SLOT;
  }
  struct c_place place = {key, next, size};
  list_push(x->shape->arena, &x->shape->places, place);
  return next;
}

static int compare(const void *a, const void *b) {
  uint64_t one = ((const struct c_key *)a)->key, other = ((const struct c_key *)b)->key;
  return one < other ? -1 : one > other;
}

void c_key_keep(struct c_exec *x) {
  struct c_shape *shape = x->shape;
  shape->keys.length = 0;
  for (int a = 0; a < x->keys.length; a++) {
    struct c_key k = {x->keys.data[a], a};
    list_push(shape->arena, &shape->keys, k);
  }
  if (x->shape->keys.length)
    qsort(shape->keys.data, (size_t)shape->keys.length, sizeof *shape->keys.data, compare);
  for (int i = 1; i < shape->keys.length; i++)
    CHECK(shape->keys.data[i].key != shape->keys.data[i - 1].key,
          "two accesses of a program with the same name");
}
