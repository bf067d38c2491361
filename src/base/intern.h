/* Numbers for byte strings: equal strings have equal numbers, different ones different numbers, in
 * the order in which they are first seen: 1, 2, ...  Strings are compared whole; a hash only says
 * where to look. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/vec.h"
#include <stdint.h>

struct intern_item {
  size_t offset, length;
  uint64_t hash;
};

struct intern {
  VEC(char) bytes;
  VEC(struct intern_item) items; /* number 1 is items.data[0] */
  uint32_t *table;               /* by hash: numbers, 0 where there is none */
  size_t table_size;             /* a power of two */
};

void intern_free(struct intern *i); /* empty again */

uint32_t intern(struct intern *i, const void *bytes, size_t length);
uint32_t intern_find(const struct intern *i, const void *bytes, size_t length); /* 0: it has none */

#endif
