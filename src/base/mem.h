/* The allocator of everything that is ours.
 *
 * In the worker the libc allocator belongs to the program under test, so base/ brings its own:
 * size classes over large mappings, no locks, no headers visible to the program.  Where the
 * mappings are placed is decided by mem_set_arena (the worker puts them inside the watched window,
 * so that a wild store of the program into them is caught).  Out of memory is fatal here and
 * nowhere else. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t bytes);                                   /* zeroed */
void *mem_resize(void *old, size_t old_bytes, size_t new_bytes); /* new part zeroed */
void mem_free(void *p, size_t bytes);
void mem_free_outgrown(void *p,
                       size_t bytes); /* by something that is kept: it has a larger one now */
char *mem_strdup(const char *text);

/* All of the block will be written soon: a hint. */
void mem_make_ready(void *p, size_t bytes);

/* For tests: whoever still uses what was given back finds nonsense there. */
extern bool mem_scribbles;

/* Code of the program's threads (between mem_begin_program and mem_end_program) may be put back to an
 * earlier point, while blocks are not: one that it holds there has another owner afterwards.  So it
 * must have given back what it took for a while before it calls mem_may_go_back, which stands wherever
 * a thread can be left.  Checked when a block is given back; one that is kept for good is none of
 * these. */
void mem_begin_program(void);
void mem_end_program(void);

struct mem_loans {
  bool program;         /* is the program running? */
  unsigned taken, safe; /* blocks it has taken so far; by the newest mem_may_go_back */
};
extern struct mem_loans mem_loans;

static inline void mem_may_go_back(void) {
  mem_loans.safe = mem_loans.taken;
}

/* Take all further mappings from [base, base + bytes), which the caller owns. */
void mem_set_arena(void *base, size_t bytes);

/* With --isolate that memory is shared with processes that are forked off, and what is taken between these two is not:
 * each process goes on with what there was at the fork, as with its variables.  What lists of such variables outgrow
 * there, and was shared, is not given back, because another process may still use it. */
void mem_set_own_arena(void *base, size_t bytes);
void mem_begin_own(void); /* nothing is different without such an arena */
void mem_end_own(void);

/* The allocator's own variables, for whoever has to carry them from one process to another. */
void mem_state(void **state, size_t *bytes);

/* In blocks that were not given back. */
size_t mem_used_bytes(void);

#endif
