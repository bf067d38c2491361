/* A reference-counted allocator in memory that machines share, and the recovery of what failed
 * machines held.  In the manner of CXL-SHM (Zhang et al., "Partial Failure Resilient Memory
 * Management System for (CXL-based) Distributed Shared Memory", SOSP 2023).
 *
 * A reference is a cell in shared memory that points to a block; the block counts the cells that
 * point to it.  A block may itself hold a reference to another block, its child.  Each machine has
 * a few cells of its own and an inbox with a cell for each sender.
 *
 * Zeroed memory is an empty heap: there is nothing to initialise.  One thread of each machine may
 * call these functions. */
#ifndef EXAMPLES_SHM_H
#define EXAMPLES_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHM_MACHINES = 7, SHM_REFERENCES = 8, SHM_PAGES = 16, SHM_PAGE_BYTES = 256 };

struct shm;
struct block;

struct reference {
  _Atomic(struct block *) block;
};

size_t shm_bytes(void);

/* Cell `number` of this machine. */
struct reference *shm_reference(struct shm *shm, int number);

/* A new zeroed block with room for `bytes`; the cell, which is empty, refers to it.  What the
 * caller writes into it is his to flush.  False if there is no memory. */
bool shm_allocate(struct shm *shm, struct reference *reference, size_t bytes);

/* The contents of the block that the cell refers to. */
void *shm_data(const struct reference *reference);

/* The child of the block that the cell refers to. */
struct reference *shm_child(const struct reference *reference);

/* Make the empty cell `to` refer to the same block as `from`. */
void shm_copy(struct shm *shm, const struct reference *from, struct reference *to);

/* Put a reference into another machine's inbox; false if the last one is still there.  A failed
 * machine's inbox is emptied by shm_monitor. */
bool shm_share(struct shm *shm, const struct reference *reference, int machine);

/* The reference that `machine` has shared with this one; NULL if there is none (yet). */
struct reference *shm_received(struct shm *shm, int machine);

/* Empty the cell.  The block goes with its last reference, and its child's reference with it. */
void shm_release(struct shm *shm, struct reference *reference);

/* Watches the heap; one for each machine, in its own memory. */
struct shm_monitor {
  int pages, page[SHM_PAGES]; /* in use when it last looked */
  size_t blocks, blocks_used; /* in them */
};

/* One turn of the monitor: look at the pages in use, reclaim what failed machines held. */
void shm_monitor(struct shm *shm, struct shm_monitor *monitor);

/* Assert that no block is in use.  Nobody may hold or change a reference, and shm_monitor has been
 * called since the last machine failed that did. */
void shm_verify_empty(struct shm *shm);

#endif
