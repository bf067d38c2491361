/* When heap blocks of ordinary programs are given back, and who uses them afterwards (--model=sc, --model=tso).
 *
 * Giving a block back is a step like a store to all of it: it comes before or after what other threads
 * do there, and both are explored.  A block that is given back is not handed out again, so whoever touches it later is
 * seen, and addresses do not depend on who was faster.
 * Only what a thread has allocated itself and nobody else has touched is used again after a while; with --reuse, also
 * what it has given back, at once: a bug that needs the same address again is found, and a use after free is not.
 *
 * World memory, except what was found. */
#ifndef ACCESS_LIFETIME_H
#define ACCESS_LIFETIME_H

#include "process/heap.h"
#include "thread/thread.h"

struct lifetime_freed;

extern struct lifetime {
  struct lifetime_freed *blocks; /* hashed, open addressing */
  uint32_t count, capacity;      /* count: with those that were used again */
} lifetime;

/* A store that left a buffer when another thread had given the block back. */
struct lifetime_late {
  struct operation store, freed;
};

void lifetime_init(void);
void lifetime_begin(void); /* of an execution */
void lifetime_share(void); /* register what a run changes, for --isolate */

/* The heap block that the address lies in, or 0. */
uintptr_t lifetime_block(uintptr_t address);

/* The current thread has done this; alone: nobody else is known to touch the place.  Does not return if
 * the block was given back before. */
void lifetime_check_used(const struct operation *o, bool alone);
static inline void lifetime_used(const struct operation *o, bool alone) {
  if (lifetime.count)
    lifetime_check_used(o, alone);
}

/* The same for the only thread that there is. */
void lifetime_used_alone(enum operation_kind kind, uintptr_t address, const struct abi_site *site);

/* The same for a store that goes to the buffer: is it after a free of its own thread?  When it leaves
 * the buffer: has another thread given the block back?  Then it is kept for a report. */
void lifetime_buffered(const struct operation *o);
void lifetime_drained(const struct operation *o);
const struct lifetime_late *lifetime_late(size_t n); /* of this execution; NULL: not so many */

/* pre: ordinary_runs.  free(p); does not return if it was given back before.  The name of the
 * function is for reports. */
enum heap_status lifetime_free(void *p, const char *function);

/* --reuse: the block for so many bytes that the current thread has given back last, as allocators have it; or NULL.
 * Which one it is depends on that thread alone, so that handing it out is no step. */
void *lifetime_again(size_t bytes);

#endif
