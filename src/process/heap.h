/* The program's heap: deterministic addresses, all bookkeeping outside the blocks.
 *
 *   page table  [HEAP_TABLE]   one struct heap_page for each page, the struct heap in front
 *   pages       [HEAP]         runs of pages: a slab of equal small blocks, one large block, free
 *
 * Each machine has its own, so that its addresses do not depend on what others allocate; one more
 * has what was allocated before world_seal, which is never given back afterwards.  Both parts are
 * world memory, so the heap goes back with the program.  A wild or double free is seen exactly (a
 * bit for each block), whatever the program did to the blocks themselves.
 *
 * Threads can have heaps of their own, too (heap_keep_apart): then these are what is called machines here.
 *
 * With one machine, or threads, heaps exist once for each generation (generation.h), with blocks at the same
 * offsets; what was allocated before world_seal stays where it is. */
#ifndef PROCESS_HEAP_H
#define PROCESS_HEAP_H

#include "process/world.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL if there is no room.  align: a power of two. */
void *heap_alloc(size_t bytes);
void *heap_alloc_zeroed(size_t bytes);
extern bool heap_garbage; /* what malloc gives out is not zero (--fill) */
void *heap_alloc_aligned(size_t align, size_t bytes);
void *heap_resize(void *p, size_t bytes); /* p not NULL; NULL: no room, p is untouched */

/* Whole zeroed pages, for mappings; part of such a run may be given back. */
void *heap_alloc_pages(size_t bytes);
void heap_free_pages(void *p, size_t bytes);

/* The program was not given so many bytes: a remark for the report, unless no computer has that much. */
void heap_tell_full(size_t bytes);
/* How often blocks were handed out or given back, in the heap that is selected, or in that of a machine; world state. */
uint64_t heap_changes(void);
uint64_t heap_changes_of(int machine);

enum heap_status { HEAP_OK, HEAP_NOT_A_BLOCK, HEAP_FREED_TWICE };
enum heap_status heap_free(void *p);
enum heap_status heap_block_bytes(const void *p, size_t *bytes);

/* Shared heaps: where the block begins that the address lies in, and its room; 0: none.  Whether it
 * is handed out is not looked at. */
uintptr_t heap_block_of(uintptr_t address, size_t *bytes);

/* Does the address lie in one of the heaps, beyond everything that was ever handed out there? */
bool heap_is_beyond(uintptr_t address);

bool heap_is_own(const void *p);     /* of the heap that is selected */
int heap_machine(uintptr_t address); /* whose heap, or its table, is there; -1: nobody's */
bool heap_contains(const void *p);   /* one of the heaps; false for what was one before a failure */

#define HEAP_MACHINES_MAX 64
void heap_set_machines(int count); /* before world_seal; 1 unless told */
void heap_select(int machine);     /* whose it is from now on */

/* Gap (process/world.h): which one is selected, for whom another one will be before anybody goes on. */
void heap_add_gap(world_gap_list *gaps);
void heap_share(void); /* anybody may give back and resize blocks of others */

/* The same, but a block that another one gives back is not handed out again: whose it was must not see by its
 * addresses when that was. */
void heap_keep_apart(void);

void heap_seal(void); /* called by world_seal */

/* For generation.c: blocks handed out from now on lie in that generation's range; the former one is
 * inaccessible.  pre: the world was just reset.  And is the address in that one's? */
#define HEAP_MOVED_MAX 8 /* heaps that can be moved */
void heap_move(int generation);
bool heap_spans(int generation, uintptr_t address);

#endif
