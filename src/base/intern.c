#include "base/intern.h"
#include "base/hash.h"
#include <string.h>

static void put(struct intern *i, uint32_t number) {
  size_t at = i->items.data[number - 1].hash & (i->table_size - 1);
  while (i->table[at])
    at = (at + 1) & (i->table_size - 1);
  i->table[at] = number;
}

/* At most half full, so that a search ends soon. */
static void grow(struct intern *i) {
  if (2 * (i->items.length + 1) <= i->table_size)
    return;
  size_t size = i->table_size ? 2 * i->table_size : 64;
  mem_free_outgrown(i->table, i->table_size * sizeof *i->table);
  i->table = mem_alloc(size * sizeof *i->table);
  i->table_size = size;
  for (uint32_t n = 1; n <= i->items.length; n++)
    put(i, n);
}

static uint32_t find(const struct intern *i, uint64_t hash, const void *bytes, size_t length) {
  for (size_t at = hash & (i->table_size - 1); i->table[at]; at = (at + 1) & (i->table_size - 1)) {
    const struct intern_item *x = &i->items.data[i->table[at] - 1];
    if (x->hash == hash && x->length == length &&
        memcmp(i->bytes.data + x->offset, bytes, length) == 0)
      return i->table[at];
  }
  return 0;
}

uint32_t intern_find(const struct intern *i, const void *bytes, size_t length) {
  return i->table_size ? find(i, hash_wide(bytes, length), bytes, length) : 0;
}

uint32_t intern(struct intern *i, const void *bytes, size_t length) {
  grow(i);
  uint64_t hash = hash_wide(bytes, length);
  uint32_t known = find(i, hash, bytes, length);
  if (known)
    return known;
  vec_push(&i->items, ((struct intern_item){i->bytes.length, length, hash}));
  vec_reserve(&i->bytes, i->bytes.length + length);
  memcpy(i->bytes.data + i->bytes.length, bytes, length);
  i->bytes.length += length;
  put(i, (uint32_t)i->items.length);
  return (uint32_t)i->items.length;
}

void intern_free(struct intern *i) {
  vec_free(&i->bytes);
  vec_free(&i->items);
  mem_free(i->table, i->table_size * sizeof *i->table);
  i->table = NULL;
  i->table_size = 0;
}
