/* tidemark_alloc: blocks in a default region.
 *
 * The allocator's state is the checker's.  Executions (pm) and machines (cxl) take their blocks from
 * different parts of the region, so a block that survives a failure is never handed out again, and
 * addresses do not depend on where the failure came.  While all schedules are explored, threads take them
 * from different shares of a part.  Freed blocks are not reused. */
#ifndef ACCESS_ALLOCATOR_H
#define ACCESS_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

#define ALLOCATOR_SHARES 8

/* From that share of part number `part`, of which *used bytes are taken; -1: from all of it.  0: no room. */
uintptr_t allocator_take(size_t bytes, int part, int share, size_t *used);

#endif
