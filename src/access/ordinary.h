/* Ordinary memory of programs with threads: globals, heap, stacks (--model=sc, --model=tso).
 *
 * Hooks come here for every access.  An access to memory that only one thread touches is carried out at once; which
 * memory that is, is learnt as the search goes on (explore/sharing.h).  Any other access is a step of the schedule
 * (turn.h).
 *
 * tso: a store waits in the thread's buffer until the search has it leave.  Memory always shows what the running thread
 * sees: its own buffered stores are in it, and are taken out again when another thread goes on.  So code that was not
 * instrumented sees the same as code that was.  World memory, unless a field says otherwise. */
#ifndef ACCESS_ORDINARY_H
#define ACCESS_ORDINARY_H

#include "access/access.h"
#include "explore/futile.h"
#include "explore/sharing.h"
#include "thread/thread.h"

/* In place of an enum abi_order. */
#define ORDINARY_PLAIN (-1)
#define ORDINARY_BY_KERNEL (OPERATION_BY_KERNEL - 1)

extern struct ordinary {
  bool on, tso;
  struct sharing sharing;
  /* Threads with the same function and argument begin in the order of their creation. */
  bool symmetry;
  /* Every schedule is explored, so rounds of waiting loops are left out (waiting.h). */
  bool each_once;
  /* Looks of waiting loops that must not be left out: all of them; all, because threads wait for time to pass; those
   * that can come before an earlier store of their thread (tso). */
  bool each_look;
  bool timed;
  bool early_looks;
  /* Updates that nobody looks at, and arrivals at barriers, are explored in each order. */
  bool each_order;
  bool data_races;      /* are looked for: then neither are looks at bytes in `plain` */
  struct map plain;     /* by word: bytes that somebody stores to and not atomically; host memory */
  struct map awaits;    /* sites of loads with which threads have waited; host memory */
  struct futile futile; /* what they found there (explore/futile.h); host memory */
  uint32_t known_since; /* sharing.restarts when `futile` was empty */
  uint64_t learnt;      /* how often something was added to these */
  bool reuse;           /* --reuse: freed heap blocks are handed out again at once (lifetime.h) */
  /* How many waits of a thread may end without a reason (spurious wake-ups). */
  uint32_t unasked;
  /* How many deadlines of a thread may pass at one place while others could go on. */
  uint32_t timeouts;
  bool timeouts_limited; /* in some execution there could have been more; host memory */
  bool
      tries_limited; /* the same for attempts in vain (tries.h), and somebody could have noticed; host memory */
  bool broken; /* the search has relied on something that does not hold, and must start again */
} ordinary;

/* Is this code that runs on behalf of the program, of such a model? */
static inline bool ordinary_runs(void) {
  return ordinary.on && fiber_current();
}

/* And is there another thread that could notice? */
static inline bool ordinary_concerns(void) {
  return ordinary_runs() && thread_count() > 1;
}

void ordinary_init(bool tso);

uint64_t ordinary_load(uintptr_t address, int size, int order, const struct abi_site *site);
void ordinary_store(uintptr_t address, uint64_t value, int size, int order,
                    const struct abi_site *site);
void ordinary_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site);
void ordinary_write(uintptr_t address, const void *from, size_t bytes, const struct abi_site *site);

/* calloc or realloc has filled a block that nobody else knows: for data races a store like any other, which another
 * thread may come to see without having been told of it. */
void ordinary_fill(const void *block, size_t bytes);

/* A locked instruction.  change: enum operation_change.  desired is stored, unless it is a read-modify-write. */
uint64_t ordinary_locked(uintptr_t address, int size, int order, int change, uint64_t operand,
                         uint64_t desired, const struct abi_site *site);
/* A read-modify-write (enum abi_rmw); unused: nobody looks at the result. */
uint64_t ordinary_update(uintptr_t address, int size, int order, int rmw, uint64_t operand,
                         bool unused, const struct abi_site *site);
/* libc is about to change these bytes on behalf of the program. */
void ordinary_changes(uintptr_t address, int size, int order);
/* The same for 16 bytes; expected NULL: always; desired NULL: never. */
void ordinary_locked16(void *old, uintptr_t address, const void *expected, const void *desired,
                       int order, const struct abi_site *site);
void ordinary_fence(int order, const struct abi_site *site); /* seq_cst: waits for the buffer */

/* tidemark_region: zeroed memory of that name, the same for all threads.  NULL: no room. */
void *ordinary_region(const char *name, size_t bytes);

/* tso: store buffers, for turn.c. */
bool ordinary_buffer_empty(const struct thread *t);
/* Does the buffer alone answer a load of these bytes?  find_answer: fill in which store does (operation.store, mixed).
 * see: what the thread would find there now.  show: the thread goes on, so its buffered stores go into memory.  drain:
 * its oldest store leaves the buffer, and becomes visible to all. */
bool ordinary_answers(const struct thread *t, uintptr_t address, uint32_t size);
void ordinary_find_answer(const struct thread *t, struct operation *o);
struct operation ordinary_next_drain(const struct thread *t);
void ordinary_see(const struct thread *t, uintptr_t address, uint32_t size, uint64_t found[2]);
void ordinary_show(struct thread *t);
void ordinary_drain(struct thread *t);

#endif
