/* Memory for code that runs on a fiber and needs it only for a while.
 *
 * World memory: it goes back with the program, so it may be held where the fiber can pause and be
 * put back (search/cluster.h).  Host memory may not: after a restore the block belongs to somebody else
 * (base/mem.h checks that).  Blocks are used again within an execution; that of a machine that fails
 * in the meantime is lost until the next one. */
#ifndef PROCESS_SCRATCH_H
#define PROCESS_SCRATCH_H

#include <stddef.h>

#define SCRATCH_BYTES_MAX ((size_t)64 << 20)

void scratch_init(void); /* before world_seal */

/* Not zeroed; pre: bytes <= SCRATCH_BYTES_MAX. */
void *scratch_take(size_t bytes);
void scratch_give_back(void *p, size_t bytes);

#endif
