/* The program's heap: deterministic addresses, all bookkeeping outside the blocks.
 *
 *   page table  [HEAP_TABLE]   one struct heap_page for each page, the struct heap in front
 *   pages       [HEAP]         runs of pages: a slab of equal small blocks, one large block, free
 *
 * Both are world memory, so the heap goes back with the program.  A wild or double free is seen
 * exactly (a bit for each block), whatever the program did to the blocks themselves.
 *
 * Blocks that exist when the heap is sealed belong to libraries and stay where they are; no later
 * block shares a page with them.  A page keeps its number in all generations (generation.h), so
 * blocks lie at the same offsets in each. */
#ifndef RUNTIME_HEAP_H
#define RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* NULL if there is no room.  align: a power of two. */
void *heap_alloc(size_t bytes);
void *heap_alloc_zeroed(size_t bytes);
void *heap_alloc_aligned(size_t align, size_t bytes);
void *heap_resize(void *p, size_t bytes); /* p not NULL; NULL: no room, p is untouched */

/* Whole zeroed pages, for mappings; part of such a run may be given back. */
void *heap_alloc_pages(size_t bytes);
void heap_free_pages(void *p, size_t bytes);

enum heap_status { HEAP_OK, HEAP_NOT_A_BLOCK, HEAP_FREED_TWICE };
enum heap_status heap_free(void *p);
enum heap_status heap_block_bytes(const void *p, size_t *bytes);

bool heap_contains(const void *p); /* false for what was the heap before a failure */
void heap_seal(void);              /* called by world_seal */

/* For generation.c: blocks handed out from now on lie in that generation's range; the former one is
 * inaccessible, except for what the heap held when it was sealed.  pre: the world was just reset. */
void heap_move(int generation);

#endif
