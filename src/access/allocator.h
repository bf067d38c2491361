/* tidemark_alloc: blocks in a default region.
 *
 * The allocator's state is the checker's.  Executions (pm) and machines (cxl) take their blocks from
 * different parts of the region, so a block that survives a failure is never handed out again, and
 * addresses do not depend on where the failure came.  Freed blocks are not reused. */
#ifndef ACCESS_ALLOCATOR_H
#define ACCESS_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

/* From part number `part`, of which *used bytes are taken.  0: no room. */
uintptr_t allocator_take(size_t bytes, int part, size_t *used);

#endif
