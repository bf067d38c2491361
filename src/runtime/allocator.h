/* tidemark_alloc: blocks in a default region.
 *
 * The allocator's state is the checker's.  Executions at different levels take their blocks from
 * different parts of the region, so a block that survives a failure is never handed out again, and
 * addresses do not depend on where the failure came.  Freed blocks are not reused. */
#ifndef RUNTIME_ALLOCATOR_H
#define RUNTIME_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

void allocator_reset(void);                       /* before an execution */
uintptr_t allocator_take(size_t bytes, int level); /* 0: no room */

#endif
