#include "process/heap.h"
#include "base/check.h"
#include "process/heap_internal.h"
#include "process/world.h"
#include <string.h>

#define SMALL_MAX 2048 /* larger blocks get pages of their own */

static const uint16_t class_bytes[CLASSES] = {16,  32,  48,  64,   80,   96,   112,  128,
                                              160, 192, 224, 256,  320,  384,  448,  512,
                                              640, 768, 896, 1024, 1280, 1536, 1792, 2048};

bool heap_garbage;

/* Blocks that others have given back; goes back with the program. */
static struct {
  uintptr_t *blocks;
  uint32_t count, capacity;
} gone;

static void gone_seal(void) {
  world_include(&gone, sizeof gone);
}
WORLD_AT_SEAL(gone_seal)

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
  for (uint32_t i = 1; heap_common && i < pages; i++) { /* heap_block_of wants to know */
    TABLE[page + i].kind = PAGE_INSIDE;
    TABLE[page + i].head = page;
  }
}

static bool raise_top(uint32_t pages) {
  if (pages > heap_arena_pages() - HEAP->top)
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
  if (!heap_mapped)
    heap_start();
  if (pages > heap_arena_pages())
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
  if (__builtin_expect(!heap_mapped, 0))
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
  if (bytes > heap_arena_bytes() ||
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
  if (bytes > heap_arena_bytes() || align > heap_arena_bytes())
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
  if (!heap_mapped || offset >= (uintptr_t)HEAP->top * LAYOUT_PAGE)
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
  return heap_arena && heap_contains(p) && heap_arena_of(p) == 0;
}

static enum heap_status find_from_start(const void *p, uint32_t *page, uint32_t *block,
                                        size_t *bytes) {
  size_t own = heap_arena;
  heap_arena = 0;
  enum heap_status status = find(p, page, block);
  if (status == HEAP_OK)
    *bytes = run_bytes(*page);
  heap_arena = own;
  return status;
}

/* The arena to work on for that block, until the caller goes back to its own. */
static size_t enter(const void *p) {
  size_t own = heap_arena, its = heap_arena_of(p);
  if (heap_common && heap_arena && its > 0 && its < ARENAS)
    heap_arena = its;
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
  return heap_mapped ? HEAP->changes : 0;
}

uint64_t heap_changes_of(int machine) {
  return heap_mapped ? heap_of(1 + (size_t)machine)->changes : 0;
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
  size_t its = heap_arena_of(p);
  return heap_apart && its > 0 && its < ARENAS && its != heap_arena;
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
  heap_arena = own;
  if (heap_mapped)
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
  heap_arena = own;
  return status;
}

uintptr_t heap_block_of(uintptr_t address, size_t *bytes) {
  size_t own = heap_arena, its = heap_arena_of((const void *)address);
  if (its == 0 || its == ARENAS)
    return 0;
  heap_arena = its;
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
  heap_arena = own;
  return block;
}

bool heap_is_beyond(uintptr_t address) {
  size_t own = heap_arena, its = heap_arena_of((const void *)address);
  if (its == ARENAS || !heap_mapped)
    return false;
  heap_arena = its;
  bool beyond = address - BASE >= (uintptr_t)HEAP->top * LAYOUT_PAGE;
  heap_arena = own;
  return beyond;
}

void heap_free_pages(void *p, size_t bytes) {
  if (heap_arena_of(p) != heap_arena)
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
  if (pages > heap_arena_pages())
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
  return bytes > SMALL_MAX && bytes <= heap_arena_bytes() &&
         resize_run(page, (bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE);
}

void *heap_resize(void *p, size_t bytes) {
  size_t have;
  CHECK(heap_block_bytes(p, &have) == HEAP_OK, "heap_resize of %p", p);
  bool foreign = is_foreign(p);
  size_t own = enter(p);
  bool fits = !is_from_start(p) && !foreign && resize_in_place(p, bytes);
  heap_arena = own;
  if (fits)
    return p;
  void *q = heap_alloc(bytes);
  if (!q)
    return NULL;
  memcpy(q, p, have < bytes ? have : bytes);
  heap_free(p);
  return q;
}
