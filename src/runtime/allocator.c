#include "runtime/allocator.h"
#include "runtime/space.h"

#define BYTES_PER_LEVEL SPACE_SLOT_BYTES
#define REGION_NAME "tidemark_alloc"

static size_t used;

void allocator_reset(void) {
  used = 0;
}

uintptr_t allocator_take(size_t bytes, int level) {
  struct region *r = space_region(REGION_NAME, DOMAINS_MAX * BYTES_PER_LEVEL);
  size_t whole = (bytes + LINE_BYTES - 1) & ~(size_t)(LINE_BYTES - 1);
  if (!r || bytes > BYTES_PER_LEVEL || whole > BYTES_PER_LEVEL - used)
    return 0;
  uintptr_t p = r->base + (size_t)level * BYTES_PER_LEVEL + used;
  used += whole ? whole : LINE_BYTES;
  return p;
}
