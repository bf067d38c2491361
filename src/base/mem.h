/* The allocator of everything that is ours.
 *
 * In the worker the libc allocator belongs to the program under test, so base/ brings its own:
 * size classes over large mappings, no locks, no headers visible to the program.  Where the
 * mappings are placed is decided by mem_set_arena (the worker puts them inside the watched window,
 * so that a wild store of the program into them is caught).  Out of memory is fatal here and
 * nowhere else. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t bytes);                                   /* zeroed */
void *mem_resize(void *old, size_t old_bytes, size_t new_bytes); /* new part zeroed */
void mem_free(void *p, size_t bytes);
char *mem_strdup(const char *text);

/* All of the block will be written soon: a hint. */
void mem_make_ready(void *p, size_t bytes);

/* Take all further mappings from [base, base + bytes), which the caller owns. */
void mem_set_arena(void *base, size_t bytes);

/* The allocator's own variables, for whoever has to carry them from one process to another. */
void mem_state(void **state, size_t *bytes);

/* Bytes handed out by the system so far. */
size_t mem_mapped_bytes(void);

#endif
