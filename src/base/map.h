/* Numbers for words: a table from keys, any words but 0, to values, which are 0 until they are set.
 *
 * Open addressing; keys are never removed.  The order of keys does not show.  Host memory. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdint.h>

struct map_slot {
  uint64_t key; /* 0: unused */
  uint32_t value;
};

struct map {
  struct map_slot *slots;
  uint32_t count, capacity;
};

/* The value of the key, which is added if need be; valid until the next call. */
uint32_t *map_at(struct map *m, uint64_t key);

/* The value of the key, 0 if it is not there. */
uint32_t map_get(const struct map *m, uint64_t key);

void map_free(struct map *m);

#endif
