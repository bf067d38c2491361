#include "process/scratch.h"
#include "base/check.h"
#include "process/world.h"

#define CLASS_MIN 10 /* 1 KiB: smaller ones fit on the stack */
#define CLASS_MAX 26
_Static_assert((size_t)1 << CLASS_MAX == SCRATCH_BYTES_MAX, "the largest block");

struct block {
  struct block *next;
};

static struct block *unused[CLASS_MAX + 1]; /* by the logarithm of their size */

void scratch_init(void) {
  world_include(unused, sizeof unused);
}

static int class_of(size_t bytes) {
  CHECK(bytes <= SCRATCH_BYTES_MAX, "scratch memory of %zu bytes", bytes);
  int class = CLASS_MIN;
  while ((size_t)1 << class < bytes)
    class ++;
  return class;
}

void *scratch_take(size_t bytes) {
  int class = class_of(bytes);
  struct block *b = unused[class];
  if (!b)
    return world_alloc((size_t)1 << class);
  unused[class] = b->next;
  return b;
}

void scratch_give_back(void *p, size_t bytes) {
  struct block *b = p;
  int class = class_of(bytes);
  b->next = unused[class];
  unused[class] = b;
}
