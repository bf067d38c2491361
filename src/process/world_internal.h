/* The parts of the world that world.c is told about by their owners. */
#ifndef PROCESS_WORLD_INTERNAL_H
#define PROCESS_WORLD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page-aligned range of memory that grows from its base: bytes beyond *used (read when needed;
 * it lives in world memory itself) are untouched zeros.  used NULL: all of it. */
void world_add_area(uintptr_t base, size_t bytes, const size_t *used);

/* The area that began at `from` and has no sealed contents begins at `to` from now on, between the
 * same neighbours.  pre: the world was just reset.  first: nothing has been at `to` before. */
void world_move_area(uintptr_t from, uintptr_t to, bool first);
void world_track(uintptr_t low, uintptr_t high); /* memory that came into being after world_seal */

/* Pages of libraries that all machines share (libc, libm, ...) that may differ from the sealed
 * ones, ascending; at most max. */
struct track_range;
size_t world_shared_dirty(struct track_range *out, size_t max);
const void *world_sealed_page(uintptr_t page); /* of such a library */

void world_forget_tracking(void); /* copy everything in use from now on; for tests */

#endif
