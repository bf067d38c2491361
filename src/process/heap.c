#include "process/heap.h"
#include "base/check.h"
#include "process/layout.h"
#include "process/world.h"
#include "process/world_internal.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES_MAX (LAYOUT_HEAP_ALONE_BYTES / LAYOUT_PAGE)
#define SMALL_MAX 2048 /* larger blocks get pages of their own */
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

/* Arena 0 has what was allocated before world_seal, arena 1 + m belongs to machine m. */
#define ARENAS (1 + HEAP_MACHINES_MAX)
#define HEADER_BYTES ((size_t)512)
#define TABLE_BYTES (HEADER_BYTES + PAGES_MAX * sizeof(struct heap_page))
#define TABLE_STRIDE ((TABLE_BYTES + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1))

/* The arena in use. */
#define HEAP ((struct heap *)(LAYOUT_HEAP_TABLE_BASE + arena * TABLE_STRIDE))
#define TABLE ((struct heap_page *)((char *)HEAP + HEADER_BYTES))
#define BASE (LAYOUT_HEAP_BASE + arena * LAYOUT_HEAP_BYTES + (arena ? moved : 0))

static const uint16_t class_bytes[CLASSES] = {16,  32,  48,  64,   80,   96,   112,  128,
                                              160, 192, 224, 256,  320,  384,  448,  512,
                                              640, 768, 896, 1024, 1280, 1536, 1792, 2048};

/* Survives. */
static bool mapped;
static int machines = 1;
static bool common;     /* blocks of one are used by all */
static bool apart;      /* and then are not handed out again */
static uintptr_t moved; /* arenas of machines lie so much higher in this generation */
static uint32_t generations_mapped = 1; /* a bit for each */

bool heap_garbage;

/* Goes back with the program. */
static size_t arena;
static struct {
  uintptr_t *blocks; /* that others have given back */
  uint32_t count, capacity;
} gone;

static size_t machine_bytes(void) {
  return machines == 1 ? LAYOUT_HEAP_ALONE_BYTES : LAYOUT_HEAP_BYTES;
}

/* Of the arena in use. */
static size_t arena_bytes(void) {
  return arena ? machine_bytes() : LAYOUT_HEAP_BYTES;
}

static size_t arena_pages(void) {
  return arena_bytes() / LAYOUT_PAGE;
}

static void map(uintptr_t base, size_t bytes) {
  void *p = mmap((void *)base, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  REQUIRE(p == (void *)base, "no address space for the heap"
                             " (ulimit -v, or vm.overcommit_memory)");
  madvise(p, bytes, MADV_NOHUGEPAGE);
}

/* So many of them, from the one in use on.  All zeros is an empty heap, which nobody has to put back. */
static void map_arenas(size_t count) {
  map((uintptr_t)HEAP, count * TABLE_STRIDE);
  map(BASE, count * arena_bytes());
}

static void heap_start(void) {
  mapped = true;
  map_arenas(1);
}

void heap_set_machines(int count) {
  CHECK(count >= 1 && count <= HEAP_MACHINES_MAX && !arena, "%d machines", count);
  machines = count;
}

void heap_share(void) {
  common = true;
}

void heap_keep_apart(void) {
  common = apart = true;
}

void heap_select(int machine) {
  CHECK(machine >= 0 && machine < machines, "no heap for machine %d", machine);
  arena = 1 + (size_t)machine;
}

void heap_seal(void) {
  if (!mapped)
    heap_start();
  for (arena = 0; arena <= (size_t)machines; arena++) {
    if (arena == 1)
      map_arenas((size_t)machines);
    if (arena) /* the table of arena 0 does not change any more */
      world_add_area((uintptr_t)HEAP, TABLE_STRIDE, &HEAP->table_used);
    world_add_area(BASE, arena_bytes(), &HEAP->pages_used);
  }
  heap_select(0);
  world_include(&arena, sizeof arena);
  world_include(&gone, sizeof gone);
}

int heap_machine(uintptr_t address) {
  if (address >= LAYOUT_HEAP_BASE + LAYOUT_HEAP_BYTES && address < LAYOUT_STACK_BASE) {
    uintptr_t number = (address - LAYOUT_HEAP_BASE - LAYOUT_HEAP_BYTES) / machine_bytes();
    return number < (uintptr_t)machines ? (int)number : -1;
  }
  if (address < LAYOUT_HEAP_TABLE_BASE + TABLE_STRIDE || address >= LAYOUT_HEAP_BASE)
    return -1;
  uintptr_t number = (address - LAYOUT_HEAP_TABLE_BASE) / TABLE_STRIDE - 1;
  return number < (uintptr_t)machines ? (int)number : -1;
}

/* From heap 1 on. */
static uintptr_t heap_base(int generation) {
  return LAYOUT_HEAP_BASE + LAYOUT_HEAP_BYTES + (uintptr_t)generation * LAYOUT_HEAP_STRIDE;
}

static size_t moved_bytes(void) {
  return (size_t)machines * machine_bytes();
}

bool heap_spans(int generation, uintptr_t address) {
  return address - heap_base(generation) < moved_bytes();
}

void heap_move(int generation) {
  _Static_assert((HEAP_MOVED_MAX + 1) * LAYOUT_HEAP_BYTES <= LAYOUT_HEAP_STRIDE &&
                     LAYOUT_HEAP_ALONE_BYTES + LAYOUT_HEAP_BYTES <= LAYOUT_HEAP_STRIDE,
                 "heaps overlap");
  CHECK(machines <= HEAP_MOVED_MAX && arena == 1, "%d heaps do not move", machines);
  uintptr_t from = BASE, to = heap_base(generation);
  bool first = !(generations_mapped >> generation & 1);
  if (first)
    map(to, moved_bytes());
  generations_mapped |= 1u << generation;
  if (moved == 0) /* with one schedule the search does not come back to it; the pages are zero */
    madvise((void *)from, moved_bytes(), MADV_DONTNEED);
  int failed = mprotect((void *)from, moved_bytes(), PROT_NONE);
  failed |= mprotect((void *)to, moved_bytes(), PROT_READ | PROT_WRITE);
  CHECK(!failed, "mprotect of the heap: errno %d", errno);
  for (size_t i = 0; i < moved_bytes(); i += machine_bytes())
    world_move_area(from + i, to + i, first);
  moved = (uintptr_t)generation * LAYOUT_HEAP_STRIDE;
}

/* ARENAS if the address is in none. */
static size_t arena_of(const void *p) {
  uintptr_t offset = (uintptr_t)p - LAYOUT_HEAP_BASE;
  if (offset < LAYOUT_HEAP_BYTES)
    return 0;
  offset -= moved;
  if (machines == 1)
    return offset >= LAYOUT_HEAP_BYTES && offset - LAYOUT_HEAP_BYTES < LAYOUT_HEAP_ALONE_BYTES
               ? 1
               : ARENAS;
  size_t n = offset / LAYOUT_HEAP_BYTES;
  return n > 0 && n <= (size_t)machines ? n : ARENAS;
}

bool heap_contains(const void *p) {
  return arena_of(p) < ARENAS;
}

bool heap_is_own(const void *p) {
  return arena_of(p) == arena;
}

static void *page_address(uint32_t page) {
  return (void *)(BASE + (uintptr_t)page * LAYOUT_PAGE);
}

/* ---- lists of slabs with room, and of free runs ---- */

static void list_push(uint32_t *list, uint32_t page) {
  TABLE[page].next = *list;
  TABLE[page].prev = 0;
  if (*list)
    TABLE[*list - 1].prev = page + 1;
  *list = page + 1;
}

static void list_remove(uint32_t *list, uint32_t page) {
  struct heap_page *p = &TABLE[page];
  if (p->prev)
    TABLE[p->prev - 1].next = p->next;
  else
    *list = p->next;
  if (p->next)
    TABLE[p->next - 1].prev = p->prev;
}

static uint32_t *bin_of(uint32_t pages) {
  return &HEAP->bins[31 - __builtin_clz(pages)];
}

/* ---- runs of pages ---- */

static void add_free_run(uint32_t page, uint32_t pages) {
  TABLE[page].kind = PAGE_FREE;
  TABLE[page].pages = pages;
  TABLE[page + pages - 1].kind = PAGE_FREE;
  TABLE[page + pages - 1].head = page;
  TABLE[page].head = page;
  list_push(bin_of(pages), page);
}

static void remove_free_run(uint32_t page) {
  uint32_t last = page + TABLE[page].pages - 1;
  list_remove(bin_of(TABLE[page].pages), page);
  TABLE[page].kind = TABLE[last].kind = PAGE_INSIDE;
}

static void free_run(uint32_t page, uint32_t pages) {
  TABLE[page].kind = TABLE[page + pages - 1].kind = PAGE_INSIDE;
  if (page > 0 && TABLE[page - 1].kind == PAGE_FREE) {
    uint32_t before = TABLE[page - 1].head;
    pages += TABLE[before].pages;
    remove_free_run(before);
    page = before;
  }
  uint32_t after = page + pages;
  if (after < HEAP->top && TABLE[after].kind == PAGE_FREE) {
    pages += TABLE[after].pages;
    remove_free_run(after);
  }
  add_free_run(page, pages);
}

static void mark_run(uint32_t page, uint32_t pages, enum page_kind kind) {
  TABLE[page].kind = kind;
  TABLE[page].pages = pages;
  TABLE[page].head = page;
  if (pages > 1)
    TABLE[page + pages - 1].kind = PAGE_INSIDE;
  for (uint32_t i = 1; common && i < pages; i++) { /* heap_block_of wants to know */
    TABLE[page + i].kind = PAGE_INSIDE;
    TABLE[page + i].head = page;
  }
}

static bool raise_top(uint32_t pages) {
  if (pages > arena_pages() - HEAP->top)
    return false;
  HEAP->top += pages;
  HEAP->pages_used = (size_t)HEAP->top * LAYOUT_PAGE;
  HEAP->table_used = HEADER_BYTES + HEAP->top * sizeof(struct heap_page);
  return true;
}

static bool take_free_run(uint32_t pages, uint32_t *page) {
  for (int bin = 31 - __builtin_clz(pages); bin < BINS; bin++)
    for (uint32_t i = HEAP->bins[bin]; i; i = TABLE[i - 1].next) {
      uint32_t have = TABLE[i - 1].pages;
      if (have < pages)
        continue;
      *page = i - 1;
      remove_free_run(*page);
      if (have > pages)
        add_free_run(*page + pages, have - pages);
      return true;
    }
  return false;
}

/* A free run that ends at the top, made longer. */
static bool extend_last_run(uint32_t pages, uint32_t *page) {
  uint32_t top = HEAP->top;
  if (top == 0 || TABLE[top - 1].kind != PAGE_FREE)
    return false;
  uint32_t head = TABLE[top - 1].head;
  if (!raise_top(pages - (top - head)))
    return false;
  remove_free_run(head);
  *page = head;
  return true;
}

/* A run of that many pages; *fresh: never used, so zero.  False: no room. */
static bool take_run(size_t pages, enum page_kind kind, uint32_t *page, bool *fresh) {
  if (!mapped)
    heap_start();
  if (pages > arena_pages())
    return false;
  *fresh = !take_free_run((uint32_t)pages, page) && !extend_last_run((uint32_t)pages, page);
  if (*fresh) {
    *page = HEAP->top;
    if (!raise_top((uint32_t)pages))
      return false;
  }
  mark_run(*page, (uint32_t)pages, kind);
  return true;
}

/* ---- small blocks ---- */

static int class_of(size_t bytes) {
  if (bytes <= 128)
    return bytes ? (int)((bytes - 1) / 16) : 0;
  int shift = 63 - __builtin_clzl(bytes - 1); /* 128 <= 2^shift < bytes */
  return 8 + (shift - 7) * 4 + (int)((bytes - 1 - ((size_t)1 << shift)) >> (shift - 2));
}

/* Slabs of larger blocks take several pages, so that little is left over. */
static uint32_t slab_pages(int class) {
  return class < 12 ? 1 : class < 20 ? 2 : 4;
}

static uint32_t slab_blocks(int class) {
  return (uint32_t)(slab_pages(class) * LAYOUT_PAGE / class_bytes[class]);
}

static bool add_slab(int class) {
  uint32_t page;
  bool fresh;
  if (!take_run(slab_pages(class), PAGE_SLAB, &page, &fresh))
    return false;
  struct heap_page *p = &TABLE[page];
  p->class = (uint8_t) class;
  p->free_blocks = (uint16_t)slab_blocks(class);
  memset(p->taken, 0, sizeof p->taken);
  for (uint32_t i = 1; i < slab_pages(class); i++) {
    TABLE[page + i].kind = PAGE_INSIDE;
    TABLE[page + i].head = page;
  }
  list_push(&HEAP->slabs[class], page);
  return true;
}

static void *alloc_small(int class) {
  if (__builtin_expect(!mapped, 0))
    heap_start();
  if (!HEAP->slabs[class] && !add_slab(class))
    return NULL;
  uint32_t page = HEAP->slabs[class] - 1;
  struct heap_page *p = &TABLE[page];
  int word = 0;
  while (p->taken[word] == UINT64_MAX)
    word++;
  int bit = __builtin_ctzl(~p->taken[word]);
  HEAP->changes++;
  p->taken[word] |= (uint64_t)1 << bit;
  if (--p->free_blocks == 0)
    list_remove(&HEAP->slabs[class], page);
  return (char *)page_address(page) + (size_t)(word * 64 + bit) * class_bytes[class];
}

static void free_small(uint32_t page, uint32_t block) {
  struct heap_page *p = &TABLE[page];
  p->taken[block / 64] &= ~((uint64_t)1 << (block % 64));
  if (p->free_blocks++ == 0)
    list_push(&HEAP->slabs[p->class], page);
  /* Keep one empty slab of a class; others become free pages. */
  if (p->free_blocks == slab_blocks(p->class) && (p->next || p->prev)) {
    list_remove(&HEAP->slabs[p->class], page);
    free_run(page, p->pages);
  }
}

/* ---- the interface ---- */

/* An allocator in the program reserves gigabytes, and gives back what it has not touched: those pages are zero still,
 * and take no memory as long as nobody writes to them. */
static void clear_pages(char *p, size_t pages) {
  for (; pages > 0; pages--, p += LAYOUT_PAGE)
    if (p[0] || memcmp(p, p + 1, LAYOUT_PAGE - 1) != 0)
      memset(p, 0, LAYOUT_PAGE);
}

static void *alloc_large(size_t bytes, bool zero) {
  uint32_t page;
  bool fresh;
  if (bytes > arena_bytes() ||
      !take_run((bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE, PAGE_LARGE, &page, &fresh))
    return NULL;
  void *p = page_address(page);
  HEAP->changes++;
  if (zero && !fresh)
    clear_pages(p, TABLE[page].pages);
  return p;
}

void *heap_alloc(size_t bytes) {
  return bytes <= SMALL_MAX ? alloc_small(class_of(bytes)) : alloc_large(bytes, false);
}

void *heap_alloc_zeroed(size_t bytes) {
  if (bytes > SMALL_MAX)
    return alloc_large(bytes, true);
  void *p = alloc_small(class_of(bytes));
  return p ? memset(p, 0, bytes) : NULL;
}

void *heap_alloc_pages(size_t bytes) {
  return alloc_large(bytes ? bytes : 1, true);
}

void *heap_alloc_aligned(size_t align, size_t bytes) {
  size_t least = bytes < align ? align : bytes;
  if (least <= SMALL_MAX)
    for (int class = class_of(least); class < CLASSES; class ++)
      if (class_bytes[class] % align == 0)
        return alloc_small(class);
  if (align <= LAYOUT_PAGE)
    return alloc_large(bytes ? bytes : 1, false);
  if (bytes > arena_bytes() || align > arena_bytes())
    return NULL;
  /* Take more than enough, then give back what lies before and behind. */
  char *p = alloc_large(bytes + align, false);
  if (!p)
    return NULL;
  uint32_t page = (uint32_t)(((uintptr_t)p - BASE) / LAYOUT_PAGE);
  uint32_t have = TABLE[page].pages, want = (uint32_t)((bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE);
  uint32_t skip = (uint32_t)((-(uintptr_t)p & (align - 1)) / LAYOUT_PAGE);
  want = want ? want : 1;
  mark_run(page + skip, want, PAGE_LARGE);
  if (skip)
    free_run(page, skip);
  if (have > skip + want)
    free_run(page + skip + want, have - skip - want);
  return page_address(page + skip);
}

/* Only errors come here: pages inside a run do not know whose they are. */
static bool in_free_run(uint32_t page) {
  uint32_t p = page;
  while (p > 0 && (TABLE[p].kind == PAGE_INSIDE || TABLE[p].kind == PAGE_UNUSED))
    p--;
  return TABLE[p].kind == PAGE_FREE && TABLE[p].head + TABLE[TABLE[p].head].pages > page;
}

static size_t run_bytes(uint32_t page) {
  return TABLE[page].kind == PAGE_SLAB ? class_bytes[TABLE[page].class]
                                       : TABLE[page].pages * LAYOUT_PAGE;
}

/* The block that starts at p: its run's first page, and its number if it is in a slab. */
static enum heap_status find(const void *p, uint32_t *page, uint32_t *block) {
  uintptr_t offset = (uintptr_t)p - BASE;
  if (!mapped || offset >= (uintptr_t)HEAP->top * LAYOUT_PAGE)
    return HEAP_NOT_A_BLOCK;
  *page = (uint32_t)(offset / LAYOUT_PAGE);
  if (TABLE[*page].kind == PAGE_INSIDE && TABLE[TABLE[*page].head].kind == PAGE_SLAB &&
      *page - TABLE[*page].head < TABLE[TABLE[*page].head].pages)
    *page = TABLE[*page].head;
  const struct heap_page *run = &TABLE[*page];
  offset -= (uintptr_t)*page * LAYOUT_PAGE;
  *block = 0;
  if (run->kind == PAGE_LARGE)
    return offset ? HEAP_NOT_A_BLOCK : HEAP_OK;
  if (run->kind == PAGE_FREE || run->kind == PAGE_INSIDE || run->kind == PAGE_UNUSED)
    return offset % 16 == 0 && in_free_run(*page) ? HEAP_FREED_TWICE : HEAP_NOT_A_BLOCK;
  if (run->kind != PAGE_SLAB || offset % class_bytes[run->class])
    return HEAP_NOT_A_BLOCK;
  *block = (uint32_t)(offset / class_bytes[run->class]);
  bool taken = run->taken[*block / 64] >> (*block % 64) & 1;
  return taken ? HEAP_OK : HEAP_FREED_TWICE;
}

/* A block from before world_seal belongs to all machines: its arena stays as it is. */
static bool is_from_start(const void *p) {
  return arena && heap_contains(p) && arena_of(p) == 0;
}

static enum heap_status find_from_start(const void *p, uint32_t *page, uint32_t *block,
                                        size_t *bytes) {
  size_t own = arena;
  arena = 0;
  enum heap_status status = find(p, page, block);
  if (status == HEAP_OK)
    *bytes = run_bytes(*page);
  arena = own;
  return status;
}

/* The arena to work on for that block, until the caller goes back to its own. */
static size_t enter(const void *p) {
  size_t own = arena, its = arena_of(p);
  if (common && arena && its > 0 && its < ARENAS)
    arena = its;
  return own;
}

static enum heap_status free_block(void *p) {
  uint32_t page, block;
  size_t bytes;
  if (is_from_start(p))
    return find_from_start(p, &page, &block, &bytes);
  enum heap_status status = find(p, &page, &block);
  if (status != HEAP_OK)
    return status;
  if (TABLE[page].kind == PAGE_SLAB)
    free_small(page, block);
  else
    free_run(page, TABLE[page].pages);
  return HEAP_OK;
}

uint64_t heap_changes(void) {
  return mapped ? HEAP->changes : 0;
}

/* ---- blocks that others have given back ---- */

static bool is_gone(const void *p) {
  for (uint32_t i = 0; i < gone.count; i++)
    if (gone.blocks[i] == (uintptr_t)p)
      return true;
  return false;
}

static void add_gone(void *p) {
  WORLD_ROOM(gone.blocks, gone.count, gone.capacity);
  gone.blocks[gone.count++] = (uintptr_t)p;
}

/* Is it another one's, of those that are kept apart? */
static bool is_foreign(const void *p) {
  size_t its = arena_of(p);
  return apart && its > 0 && its < ARENAS && its != arena;
}

enum heap_status heap_free(void *p) {
  size_t bytes;
  if (is_gone(p))
    return HEAP_FREED_TWICE;
  if (is_foreign(p)) {
    enum heap_status status = heap_block_bytes(p, &bytes);
    if (status == HEAP_OK)
      add_gone(p);
    return status;
  }
  size_t own = enter(p);
  enum heap_status status = free_block(p);
  arena = own;
  if (mapped)
    HEAP->changes++;
  return status;
}

static enum heap_status block_bytes(const void *p, size_t *bytes) {
  uint32_t page, block;
  if (is_gone(p))
    return HEAP_FREED_TWICE;
  if (is_from_start(p))
    return find_from_start(p, &page, &block, bytes);
  enum heap_status status = find(p, &page, &block);
  if (status == HEAP_OK)
    *bytes = run_bytes(page);
  return status;
}

enum heap_status heap_block_bytes(const void *p, size_t *bytes) {
  size_t own = enter(p);
  enum heap_status status = block_bytes(p, bytes);
  arena = own;
  return status;
}

uintptr_t heap_block_of(uintptr_t address, size_t *bytes) {
  size_t own = arena, its = arena_of((const void *)address);
  if (its == 0 || its == ARENAS)
    return 0;
  arena = its;
  uintptr_t offset = address - BASE, block = 0;
  uint32_t page = (uint32_t)(offset / LAYOUT_PAGE);
  if (page < HEAP->top) {
    if (TABLE[page].kind == PAGE_INSIDE)
      page = TABLE[page].head;
    const struct heap_page *run = &TABLE[page];
    bool has_blocks = run->kind == PAGE_SLAB || run->kind == PAGE_LARGE;
    uintptr_t inside = offset - (uintptr_t)page * LAYOUT_PAGE;
    if (has_blocks && inside < run->pages * LAYOUT_PAGE) {
      *bytes = run_bytes(page);
      block = address - inside % *bytes;
    }
  }
  arena = own;
  return block;
}

void heap_free_pages(void *p, size_t bytes) {
  if (arena_of(p) != arena)
    return;
  uint32_t page = (uint32_t)(((uintptr_t)p - BASE) / LAYOUT_PAGE);
  uint32_t pages = (uint32_t)((bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE);
  uint32_t head = page;
  while (head > 0 && TABLE[head].kind != PAGE_LARGE)
    head--;
  uint32_t end = head + TABLE[head].pages;
  if (TABLE[head].kind != PAGE_LARGE || page + pages > end)
    return;
  if (page + pages < end)
    mark_run(page + pages, end - page - pages, PAGE_LARGE);
  if (page > head)
    mark_run(head, page - head, PAGE_LARGE);
  free_run(page, pages);
}

/* Grow or shrink a run in place. */
static bool resize_run(uint32_t page, size_t pages) {
  uint32_t have = TABLE[page].pages, after = page + have;
  if (pages > arena_pages())
    return false;
  uint32_t want = (uint32_t)pages;
  if (want < have) {
    mark_run(page, want, PAGE_LARGE);
    free_run(page + want, have - want);
    return true;
  }
  if (want == have)
    return true;
  if (after == HEAP->top) {
    if (!raise_top(want - have))
      return false;
  } else if (TABLE[after].kind == PAGE_FREE && TABLE[after].pages >= want - have) {
    uint32_t left = TABLE[after].pages - (want - have);
    remove_free_run(after);
    if (left)
      add_free_run(page + want, left);
  } else {
    return false;
  }
  TABLE[after].kind = PAGE_INSIDE;
  mark_run(page, want, PAGE_LARGE);
  return true;
}

static bool resize_in_place(void *p, size_t bytes) {
  uint32_t page, block;
  CHECK(find(p, &page, &block) == HEAP_OK, "heap_resize of %p", p);
  if (TABLE[page].kind == PAGE_SLAB)
    return bytes <= SMALL_MAX && class_of(bytes) == TABLE[page].class;
  return bytes > SMALL_MAX && bytes <= arena_bytes() &&
         resize_run(page, (bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE);
}

void *heap_resize(void *p, size_t bytes) {
  size_t have;
  CHECK(heap_block_bytes(p, &have) == HEAP_OK, "heap_resize of %p", p);
  bool foreign = is_foreign(p);
  size_t own = enter(p);
  bool fits = !is_from_start(p) && !foreign && resize_in_place(p, bytes);
  arena = own;
  if (fits)
    return p;
  void *q = heap_alloc(bytes);
  if (!q)
    return NULL;
  memcpy(q, p, have < bytes ? have : bytes);
  heap_free(p);
  return q;
}
