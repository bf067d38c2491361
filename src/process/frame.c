#include "process/frame.h"
#include "base/hash.h"
#include "base/vec.h"
#include "process/layout.h"
#include <stdbool.h>
#include <string.h>

#define CHUNK_BYTES 256
#define CHUNKS (LAYOUT_PAGE / CHUNK_BYTES)
#define BLOCK 512 /* items that are allocated together; they never move */

/* Equal strings of `bytes` bytes are one item.  Number 0 is not used. */
struct shelf {
  size_t bytes;
  VEC(unsigned char *) blocks;
  VEC(uint32_t) owners, next; /* by item; next: in its bucket, or of those that are not used */
  uint32_t *buckets;
  size_t bucket_count; /* a power of two */
  uint32_t unused;
  size_t in_use;
};

struct contents {
  uint32_t chunk[CHUNKS];
};

static struct shelf chunks = {.bytes = CHUNK_BYTES};
static struct shelf frames = {.bytes = sizeof(struct contents)};
static struct shelf groups = {.bytes = FRAME_GROUP * sizeof(frame_id)};

static unsigned char *item(const struct shelf *s, uint32_t i) {
  return s->blocks.data[i / BLOCK] + i % BLOCK * s->bytes;
}

static uint64_t hash_words(const void *bytes, size_t n) {
  const uint64_t *words = bytes;
  uint64_t a = 0, b = 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < n / 8; i += 2) {
    a = (a ^ words[i]) * 0xff51afd7ed558ccdu;
    b = (b ^ words[i + 1]) * 0xc4ceb9fe1a85ec53u;
    a ^= a >> 29;
    b ^= b >> 31;
  }
  return hash_u64(a, b);
}

static uint32_t *bucket_of(const struct shelf *s, const void *bytes) {
  return &s->buckets[hash_words(bytes, s->bytes) & (s->bucket_count - 1)];
}

static void grow(struct shelf *s) {
  size_t count = s->bucket_count ? 2 * s->bucket_count : 1024;
  mem_free_outgrown(s->buckets, s->bucket_count * sizeof *s->buckets);
  s->buckets = mem_alloc(count * sizeof *s->buckets);
  s->bucket_count = count;
  for (uint32_t i = 1; i < s->owners.length; i++)
    if (s->owners.data[i]) {
      uint32_t *bucket = bucket_of(s, item(s, i));
      s->next.data[i] = *bucket;
      *bucket = i;
    }
}

static uint32_t new_item(struct shelf *s) {
  uint32_t i = s->unused;
  s->in_use++;
  if (i) {
    s->unused = s->next.data[i];
    return i;
  }
  if (!s->owners.length) {
    vec_push(&s->owners, 0);
    vec_push(&s->next, 0);
  }
  i = (uint32_t)s->owners.length;
  vec_push(&s->owners, 0);
  vec_push(&s->next, 0);
  if (i / BLOCK >= s->blocks.length) {
    vec_push(&s->blocks, mem_alloc(BLOCK * s->bytes));
    mem_make_ready(vec_last(&s->blocks), BLOCK * s->bytes);
  }
  return i;
}

/* One more owner of the item with these bytes; *new: it had none before. */
static uint32_t put(struct shelf *s, const void *bytes, bool *new) {
  if (s->in_use >= s->bucket_count)
    grow(s);
  uint32_t *bucket = bucket_of(s, bytes), i = *bucket;
  while (i && memcmp(item(s, i), bytes, s->bytes) != 0)
    i = s->next.data[i];
  *new = !i;
  if (!i) {
    i = new_item(s);
    memcpy(item(s, i), bytes, s->bytes);
    s->next.data[i] = *bucket;
    *bucket = i;
  }
  s->owners.data[i]++;
  return i;
}

/* One owner less; true: that was the last. */
static bool take_back(struct shelf *s, uint32_t i) {
  if (--s->owners.data[i])
    return false;
  uint32_t *at = bucket_of(s, item(s, i));
  while (*at != i)
    at = &s->next.data[*at];
  *at = s->next.data[i];
  s->next.data[i] = s->unused;
  s->unused = i;
  s->in_use--;
  return true;
}

static void drop_chunks(const struct contents *c) {
  for (size_t i = 0; i < CHUNKS; i++)
    take_back(&chunks, c->chunk[i]);
}

/* Bit i: chunk i of the page is that of the frame. */
static uint32_t alike(const void *page, const struct contents *c) {
  uint32_t same = 0;
  for (size_t i = 0; i < CHUNKS; i++)
    if (memcmp(item(&chunks, c->chunk[i]), (const char *)page + i * CHUNK_BYTES, CHUNK_BYTES) == 0)
      same |= 1u << i;
  return same;
}

frame_id frame_again(frame_id f) {
  frames.owners.data[f]++;
  return f;
}

frame_id frame_take(const void *page, frame_id like) {
  struct contents c;
  uint32_t same = 0;
  bool new;
  if (like) {
    memcpy(&c, item(&frames, like), sizeof c);
    same = alike(page, &c);
  }
  if (same == (1u << CHUNKS) - 1)
    return frame_again(like);
  for (size_t i = 0; i < CHUNKS; i++)
    if (same >> i & 1)
      chunks.owners.data[c.chunk[i]]++;
    else
      c.chunk[i] = put(&chunks, (const char *)page + i * CHUNK_BYTES, &new);
  frame_id f = put(&frames, &c, &new);
  if (!new)
    drop_chunks(&c); /* they belong to the frame already */
  return f;
}

static VEC(uint64_t) kept; /* a bit for each frame */

void frame_keep(frame_id f) {
  while (kept.length <= f / 64)
    vec_push(&kept, 0);
  if (kept.data[f / 64] >> f % 64 & 1)
    return;
  kept.data[f / 64] |= (uint64_t)1 << f % 64;
  frames.owners.data[f]++;
}

void frame_release(void) {
  for (size_t i = 0; i < kept.length; i++)
    for (uint64_t left = kept.data[i]; left; left &= left - 1)
      frame_drop((frame_id)(i * 64 + (size_t)__builtin_ctzl(left)));
  vec_free(&kept);
}

void frame_write(frame_id f, void *page) {
  const struct contents *c = (const struct contents *)item(&frames, f);
  for (size_t i = 0; i < CHUNKS; i++)
    memcpy((char *)page + i * CHUNK_BYTES, item(&chunks, c->chunk[i]), CHUNK_BYTES);
}

void frame_drop(frame_id f) {
  struct contents c;
  memcpy(&c, item(&frames, f), sizeof c);
  if (take_back(&frames, f))
    drop_chunks(&c);
}

/* ---- groups ---- */

const frame_id *frame_group_frames(frame_group g) {
  return (const frame_id *)item(&groups, g);
}

static void drop_frames(const frame_id f[FRAME_GROUP]) {
  for (int i = 0; i < FRAME_GROUP; i++)
    if (f[i])
      frame_drop(f[i]);
}

frame_group frame_group_take(const frame_id f[FRAME_GROUP], frame_group like) {
  bool new = false;
  frame_group g = like;
  if (like && memcmp(f, frame_group_frames(like), groups.bytes) == 0)
    groups.owners.data[like]++;
  else
    g = put(&groups, f, &new);
  if (!new)
    drop_frames(f); /* they belong to the group already */
  return g;
}

void frame_group_drop(frame_group g) {
  frame_id f[FRAME_GROUP];
  memcpy(f, frame_group_frames(g), sizeof f);
  if (take_back(&groups, g))
    drop_frames(f);
}
