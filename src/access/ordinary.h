/* Ordinary memory of programs with threads: globals, heap, stacks (--model=sc, --model=tso).
 *
 * An access to memory that only one thread touches is carried out at once; who touches what is learnt
 * as the search goes on (explore/sharing.h).  Any other access is a step of the schedule (turn.h).
 *
 * tso: a store waits in the thread's buffer until the search has it leave.  Memory always shows what
 * the running thread sees: its own buffered stores are in it, and are taken out again when another
 * thread goes on.  So code that was not instrumented sees the same as code that was.  World memory. */
#ifndef ACCESS_ORDINARY_H
#define ACCESS_ORDINARY_H

#include "access/access.h"
#include "explore/futile.h"
#include "explore/sharing.h"
#include "thread/thread.h"

#define ORDINARY_PLAIN (-1) /* in place of an enum abi_order */

extern struct ordinary {
  bool on, tso;
  struct sharing sharing;
  bool
      symmetry; /* threads with the same function and argument begin in the order of their creation */
  bool each_once;       /* every schedule is explored: who has looked in vain is late (waiting.h) */
  bool each_look;       /* even those in vain are of interest */
  bool data_races;      /* are looked for: looks in vain are of interest, too, if */
  struct map plain;     /* bytes of a word that somebody stores to, not atomically; host memory */
  struct map awaits;    /* sites where threads have looked in vain; host memory */
  struct futile futile; /* and what they found; host memory */
  uint32_t known_since; /* sharing.restarts when that was empty */
  bool reuse;           /* heap blocks, at once (lifetime.h) */
  uint32_t unasked;     /* waits of a thread that may end without a reason */
  uint32_t timeouts;    /* of a thread at one place, while others could go on */
  bool timeouts_limited; /* in some execution there could have been more; host memory */
  bool broken;           /* the search has relied on something that does not hold */
} ordinary;

/* Is this the program? */
static inline bool ordinary_runs(void) {
  return ordinary.on && fiber_current();
}

/* And could another thread notice? */
static inline bool ordinary_concerns(void) {
  return ordinary_runs() && thread_count() > 1;
}

void ordinary_init(bool tso);

uint64_t ordinary_load(uintptr_t address, int size, int order, const struct abi_site *site);
void ordinary_store(uintptr_t address, uint64_t value, int size, int order,
                    const struct abi_site *site);
void ordinary_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site);
void ordinary_write(uintptr_t address, const void *from, size_t bytes, const struct abi_site *site);

/* A locked instruction.  change: enum operation_change.  desired is stored, unless it is a read-modify-write. */
uint64_t ordinary_locked(uintptr_t address, int size, int order, int change, uint64_t operand,
                         uint64_t desired, const struct abi_site *site);
/* The library is about to change what is there. */
void ordinary_changes(uintptr_t address, int size, int order);
/* The same for 16 bytes; expected NULL: always; desired NULL: never. */
void ordinary_locked16(void *old, uintptr_t address, const void *expected, const void *desired,
                       int order, const struct abi_site *site);
void ordinary_fence(int order, const struct abi_site *site); /* seq_cst: waits for the buffer */

/* tidemark_region: zeroed memory of that name, the same for all threads.  NULL: no room. */
void *ordinary_region(const char *name, size_t bytes);

/* tso: buffers, for turn.c.  see: what the thread would find there.  show: the thread goes on.  drain: its oldest store
 * leaves the buffer. */
bool ordinary_buffer_empty(const struct thread *t);
bool ordinary_answers(const struct thread *t, uintptr_t address,
                      uint32_t size);                                   /* a load by itself */
void ordinary_find_answer(const struct thread *t, struct operation *o); /* of the load */
struct operation ordinary_next_drain(const struct thread *t);
void ordinary_see(const struct thread *t, uintptr_t address, uint32_t size, uint64_t found[2]);
void ordinary_show(struct thread *t);
void ordinary_drain(struct thread *t);

#endif
