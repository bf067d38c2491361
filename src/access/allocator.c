#include "access/allocator.h"
#include "access/space.h"

#define BYTES_PER_PART SPACE_SLOT_BYTES
#define REGION_NAME "tidemark_alloc"

uintptr_t allocator_take(size_t bytes, int part, int share, size_t *used) {
  struct region *r = space_region(REGION_NAME, DOMAINS_MAX * BYTES_PER_PART, 0);
  size_t whole = (bytes + LINE_BYTES - 1) & ~(size_t)(LINE_BYTES - 1);
  size_t room = share < 0 ? BYTES_PER_PART : BYTES_PER_PART / ALLOCATOR_SHARES;
  if (!r || bytes > room || whole > room - *used)
    return 0;
  uintptr_t p =
      r->base + (size_t)part * BYTES_PER_PART + (share > 0 ? (size_t)share * room : 0) + *used;
  *used += whole ? whole : LINE_BYTES;
  space_fresh(r, p, whole);
  return p;
}
