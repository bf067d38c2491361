#include "base/radix.h"
#include "base/check.h"

#define PARTS_PER_CHUNK 256

static const struct radix_part nothing;

static struct radix_part *part(const struct radix *r, radix_id a) {
  return &r->chunks.data[a / PARTS_PER_CHUNK][a % PARTS_PER_CHUNK];
}

static const struct radix_part *read(const struct radix *r, radix_id a) {
  return a ? part(r, a) : &nothing;
}

size_t radix_limit(const struct radix *r) {
  return (size_t)1 << (4 * r->height);
}

radix_id radix_keep(struct radix *r, radix_id a) {
  if (a)
    r->owners.data[a]++;
  return a;
}

static void drop_part(struct radix *r, radix_id a, int height) {
  if (!a || --r->owners.data[a])
    return;
  for (int i = 0; height > 1 && i < RADIX_WAYS; i++)
    drop_part(r, part(r, a)->at[i], height - 1);
  vec_push(&r->unused, a);
}

void radix_drop(struct radix *r, radix_id a) {
  drop_part(r, a, r->height);
}

static radix_id new_part(struct radix *r, const struct radix_part *contents) {
  radix_id a;
  if (r->unused.length) {
    a = vec_pop(&r->unused);
  } else {
    if (!r->owners.length)
      vec_push(&r->owners, 1);
    a = (radix_id)r->owners.length;
    vec_push(&r->owners, 0);
    if (a / PARTS_PER_CHUNK >= r->chunks.length)
      vec_push(&r->chunks, mem_alloc(PARTS_PER_CHUNK * sizeof(struct radix_part)));
  }
  r->owners.data[a] = 1;
  *part(r, a) = *contents;
  return a;
}

static radix_id copy_part(struct radix *r, radix_id a, int height) {
  struct radix_part copy = *read(r, a);
  for (size_t i = 0; height > 1 && i < RADIX_WAYS; i++)
    radix_keep(r, copy.at[i]);
  return new_part(r, &copy);
}

uint32_t radix_get(const struct radix *r, radix_id a, size_t index) {
  for (int h = r->height; h > 1; h--)
    a = read(r, a)->at[index >> (4 * (h - 1)) & (RADIX_WAYS - 1)];
  return read(r, a)->at[index & (RADIX_WAYS - 1)];
}

/* `a` belongs to the caller, and so does what is given for it. */
static radix_id set(struct radix *r, radix_id a, int height, size_t index, uint32_t value) {
  size_t which = index >> (4 * (height - 1)) & (RADIX_WAYS - 1);
  if (!a || r->owners.data[a] > 1) {
    radix_id copy = copy_part(r, a, height);
    if (a)
      r->owners.data[a]--;
    a = copy;
  }
  uint32_t below = part(r, a)->at[which];
  uint32_t now = height > 1 ? set(r, below, height - 1, index, value) : value;
  part(r, a)->at[which] = now;
  return a;
}

void radix_set(struct radix *r, radix_id *a, size_t index, uint32_t value) {
  CHECK(index < radix_limit(r), "index %zu of %zu", index, radix_limit(r));
  if (radix_get(r, *a, index) != value)
    *a = set(r, *a, r->height, index, value);
}

static radix_id join(struct radix *r, radix_id a, radix_id b, int height) {
  if (a == b || !b)
    return radix_keep(r, a);
  if (!a)
    return radix_keep(r, b);
  struct radix_part both;
  bool like_a = true, like_b = true;
  for (int i = 0; i < RADIX_WAYS; i++) {
    uint32_t x = part(r, a)->at[i], y = part(r, b)->at[i];
    both.at[i] = height > 1 ? join(r, x, y, height - 1) : x | y;
    like_a &= both.at[i] == x;
    like_b &= both.at[i] == y;
  }
  if (!like_a && !like_b)
    return new_part(r, &both);
  for (int i = 0; height > 1 && i < RADIX_WAYS; i++)
    drop_part(r, both.at[i], height - 1);
  return radix_keep(r, like_a ? a : b);
}

radix_id radix_join(struct radix *r, radix_id a, radix_id b) {
  return join(r, a, b, r->height);
}

/* pre: a != b, set is not empty. */
static bool agree(const struct radix *r, radix_id a, radix_id b, radix_id set, int height) {
  const struct radix_part *x = read(r, a), *y = read(r, b), *s = read(r, set);
  for (int i = 0; i < RADIX_WAYS; i++)
    if (x->at[i] != y->at[i] && s->at[i] &&
        (height == 1 || !agree(r, x->at[i], y->at[i], s->at[i], height - 1)))
      return false;
  return true;
}

bool radix_agree(const struct radix *r, radix_id a, radix_id b, radix_id set) {
  return a == b || !set || agree(r, a, b, set, r->height);
}

void radix_free(struct radix *r) {
  for (size_t i = 0; i < r->chunks.length; i++)
    mem_free(r->chunks.data[i], PARTS_PER_CHUNK * sizeof(struct radix_part));
  vec_free(&r->chunks);
  vec_free(&r->owners);
  vec_free(&r->unused);
}
