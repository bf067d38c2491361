/* The tables of the heaps (heap.h).  There are several *arenas*, of which one is in use: heap_arena.c has them, heap.c
 * hands out blocks of the one in use.
 *
 * Arena 0 has what was allocated before world_seal, arena 1 + m belongs to machine m. */
#ifndef PROCESS_HEAP_INTERNAL_H
#define PROCESS_HEAP_INTERNAL_H

#include "process/heap.h"
#include "process/layout.h"

#define PAGES_MAX (LAYOUT_HEAP_ALONE_BYTES / LAYOUT_PAGE)
#define CLASSES 24
#define BINS 24 /* free runs by floor(log2(pages)) */

_Static_assert(PAGES_MAX < (size_t)1 << BINS, "no bin for the longest run");

enum page_kind { PAGE_UNUSED, PAGE_FREE, PAGE_SLAB, PAGE_LARGE, PAGE_INSIDE };

/* Meaningful on the first page of a run; the last page of a free run has `head` too. */
struct heap_page {
  uint8_t kind;
  uint8_t class;
  uint16_t free_blocks; /* slab */
  uint32_t pages;       /* length of the run */
  uint32_t head;        /* first page of the run */
  uint32_t next, prev;  /* 1 + page: list of slabs with room, or of free runs of a bin */
  uint32_t unused;
  uint64_t taken[4]; /* slab: a bit for each block */
};

_Static_assert(sizeof(struct heap_page) % 8 == 0, "the table is an array of words");

struct heap {
  size_t table_used, pages_used; /* bytes; the areas' marks */
  uint64_t changes;
  uint32_t top;            /* pages below were handed out before */
  uint32_t slabs[CLASSES]; /* 1 + page of the first slab with room */
  uint32_t bins[BINS];
};

#define ARENAS (1 + HEAP_MACHINES_MAX)
#define HEADER_BYTES ((size_t)512)
#define TABLE_BYTES (HEADER_BYTES + PAGES_MAX * sizeof(struct heap_page))
#define TABLE_STRIDE ((TABLE_BYTES + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1))

static inline struct heap *heap_of(size_t arena) {
  return (struct heap *)(LAYOUT_HEAP_TABLE_BASE + arena * TABLE_STRIDE);
}

/* The arena in use. */
#define HEAP heap_of(heap_arena)
#define TABLE ((struct heap_page *)((char *)HEAP + HEADER_BYTES))
#define BASE (LAYOUT_HEAP_BASE + (heap_arena ? heap_first() + ((heap_arena - 1) << heap_shift) : 0))

extern bool heap_mapped;     /* arena 0 is; the others are by world_seal */
extern bool heap_common;     /* blocks of one arena are used by all */
extern bool heap_apart;      /* and then are not handed out again */
extern uintptr_t heap_moved; /* arenas of machines lie so much higher in this generation */
extern int heap_shift;       /* log2 of the bytes from one arena of a machine to the next */
extern size_t heap_arena;    /* in use; goes back with the program */

/* Where arena 1 begins, behind LAYOUT_HEAP_BASE. */
static inline uintptr_t heap_first(void) {
  return LAYOUT_HEAP_BYTES + heap_moved;
}

void heap_start(void); /* map arena 0 */
size_t heap_arena_bytes(void);
size_t heap_arena_pages(void);
size_t heap_arena_of(const void *p); /* ARENAS if the address is in none */

#endif
