#include "axiom/arena.h"
#include "base/check.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
  struct arena_block *older;
  size_t used, size;
  _Alignas(16) char data[];
};

enum { BLOCK_BYTES_MIN = 16 * 1024, BLOCK_BYTES_MAX = 4 * 1024 * 1024 };

/* What is large has a block of its own, behind the one that is being filled. */
static struct arena_block *block_create(struct arena *a, size_t bytes) {
  size_t size = a->blocks ? a->blocks->size * 2 : BLOCK_BYTES_MIN;
  bool alone = a->blocks && bytes > BLOCK_BYTES_MAX / 8;
  if (size > BLOCK_BYTES_MAX)
    size = BLOCK_BYTES_MAX;
  if (size < bytes || alone)
    size = bytes;
  struct arena_block *b = malloc(sizeof *b + size);
  if (!b)
    check_exhausted();
  struct arena_block **behind = alone ? &a->blocks->older : &a->blocks;
  b->older = *behind;
  b->used = 0;
  b->size = size;
  *behind = b;
  return b;
}

void *arena_alloc(struct arena *a, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  struct arena_block *b = a->blocks;
  if (!b || b->size - b->used < bytes)
    b = block_create(a, bytes);
  void *p = b->data + b->used;
  b->used += bytes;
  return memset(p, 0, bytes);
}

void *arena_grow(struct arena *a, const void *old, size_t old_bytes, size_t new_bytes) {
  void *p = arena_alloc(a, new_bytes);
  if (old_bytes)
    memcpy(p, old, old_bytes);
  return p;
}

char *arena_text(struct arena *a, const char *start, size_t length) {
  char *p = arena_alloc(a, length + 1);
  memcpy(p, start, length);
  return p;
}

char *arena_format_v(struct arena *a, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  CHECK(n >= 0, "bad format");
  char *p = arena_alloc(a, (size_t)n + 1);
  vsnprintf(p, (size_t)n + 1, format, again);
  va_end(again);
  return p;
}

char *arena_format(struct arena *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *p = arena_format_v(a, format, args);
  va_end(args);
  return p;
}

void arena_release(struct arena *a) {
  while (a->blocks) {
    struct arena_block *b = a->blocks;
    a->blocks = b->older;
    free(b);
  }
}
