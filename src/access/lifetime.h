/* Lifetimes of heap blocks in ordinary programs (--model=sc, --model=tso): use after free, double free.
 *
 * free() is a step like a store to the whole block: it comes before or after what other threads do there, and both
 * orders are explored.  A freed block is not handed out again, so that every later use of it is found, and addresses do
 * not depend on who was faster.  Exceptions: a block that only the thread which allocated it has touched is used again
 * after a while; with --reuse, freed blocks are handed out again at once, which finds bugs that need the same address
 * (ABA) and misses uses after free.
 *
 * World memory, except what was found. */
#ifndef ACCESS_LIFETIME_H
#define ACCESS_LIFETIME_H

#include "process/heap.h"
#include "thread/thread.h"

struct lifetime_freed;

extern struct lifetime {
  struct lifetime_freed *blocks; /* hashed, open addressing */
  /* count: slots in use, also of blocks that were handed out again. */
  uint32_t count, capacity;
} lifetime;

/* A store that left a buffer after another thread had freed the block. */
struct lifetime_late {
  struct operation store, freed;
};

void lifetime_init(void);
void lifetime_begin(void); /* of an execution */
size_t lifetime_late_count(void);
void lifetime_back(size_t late_count); /* it goes back to where there were so many */
void lifetime_share(void);             /* register what a run changes, for --isolate */

/* The heap block that the address lies in, or 0. */
uintptr_t lifetime_block(uintptr_t address);

/* Does not return if the heap has never reached that far: there the program has no memory, although the checker does. */
void lifetime_check_reach(enum operation_kind kind, uintptr_t address, const struct abi_site *site);

/* The current thread has made this access.  alone: no other thread is known to touch the place.  Does not return if the
 * block was freed before. */
void lifetime_check_used(const struct operation *o, bool alone);
static inline void lifetime_used(const struct operation *o, bool alone) {
  if (lifetime.count)
    lifetime_check_used(o, alone);
}

/* The same for the only thread that there is. */
void lifetime_used_alone(enum operation_kind kind, uintptr_t address, const struct abi_site *site);

/* tso.  buffered: the same for a store that goes to the buffer; only a free by its own thread counts.  drained: the
 * store leaves the buffer; if another thread has freed the block meanwhile it is kept for a report (lifetime_late). */
void lifetime_buffered(const struct operation *o);
void lifetime_drained(const struct operation *o);
const struct lifetime_late *lifetime_late(size_t n); /* of this execution; NULL: not so many */

/* free(p), by a function of that name.  Does not return if p was freed before.  quietly: no step.  pre: ordinary_runs. */
enum heap_status lifetime_free(void *p, const char *function, bool quietly);

/* The end of a thread-local variable of the current thread, which ends. */
void lifetime_end_local(void *p);

/* --reuse: the block of a fitting size that the current thread has freed last, as allocators do it; or NULL.  It
 * depends on that thread alone, so that handing it out is no step. */
void *lifetime_again(size_t bytes);

#endif
