#include "analysis/flush.h"
#include "base/hash.h"
#include <string.h>

static struct {
  VEC(struct flush_place) places;
  VEC(uint32_t) buckets; /* number + 1; open addressing */
  bool several;
} all;

static uint64_t hash_of(const struct flush_place *p) {
  uint64_t h = hash_u64(p->fence, (uintptr_t)p->site);
  for (int i = 0; i < FLUSH_FRAMES; i++)
    h = hash_u64(h, p->code[i]);
  return h;
}

static bool same_place(const struct flush_place *a, const struct flush_place *b) {
  return a->fence == b->fence && a->kind == b->kind && a->site == b->site && a->call == b->call &&
         memcmp(a->code, b->code, sizeof a->code) == 0;
}

/* The bucket of that place, or the free one in which it belongs. */
static uint32_t *bucket_of(const struct flush_place *p) {
  size_t mask = all.buckets.length - 1;
  for (size_t i = hash_of(p) & mask;; i = (i + 1) & mask) {
    uint32_t *bucket = &all.buckets.data[i];
    if (!*bucket || same_place(&all.places.data[*bucket - 1], p))
      return bucket;
  }
}

static void grow(void) {
  size_t count = all.buckets.length ? all.buckets.length * 2 : 64;
  vec_reserve(&all.buckets, count);
  all.buckets.length = count;
  memset(all.buckets.data, 0, count * sizeof *all.buckets.data);
  for (uint32_t i = 0; i < all.places.length; i++)
    *bucket_of(&all.places.data[i]) = i + 1;
}

uint32_t flush_executed(const struct flush_place *where, bool several) {
  all.several |= several;
  if (all.places.length * 2 >= all.buckets.length)
    grow();
  uint32_t *bucket = bucket_of(where);
  if (!*bucket) {
    vec_push(&all.places, *where);
    *bucket = (uint32_t)all.places.length;
  }
  all.places.data[*bucket - 1].executed++;
  return *bucket - 1;
}

void flush_completed(uint32_t place, bool used) {
  all.places.data[place].completed++;
  all.places.data[place].used += used;
}

bool flush_by_several(void) {
  return all.several;
}

size_t flush_place_count(void) {
  return all.places.length;
}

const struct flush_place *flush_place(size_t number) {
  return &all.places.data[number];
}

void flush_state(void **state, size_t *bytes) {
  *state = &all;
  *bytes = sizeof all;
}
