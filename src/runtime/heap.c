#include "runtime/heap.h"
#include "base/check.h"
#include "runtime/layout.h"
#include "runtime/world_internal.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES (LAYOUT_HEAP_BYTES / LAYOUT_PAGE)
#define SMALL_MAX 2048 /* larger blocks get pages of their own */
#define CLASSES 24
#define BINS 21 /* free runs by floor(log2(pages)) */

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

struct heap {
  size_t table_used, pages_used; /* bytes; the areas' marks */
  uint32_t top;                  /* pages below were handed out before */
  uint32_t slabs[CLASSES];       /* 1 + page of the first slab with room */
  uint32_t bins[BINS];
};

#define HEAP ((struct heap *)LAYOUT_HEAP_TABLE_BASE)
#define TABLE ((struct heap_page *)(LAYOUT_HEAP_TABLE_BASE + LAYOUT_PAGE))
#define TABLE_BYTES (LAYOUT_PAGE + PAGES * sizeof(struct heap_page))

static const uint16_t class_bytes[CLASSES] = {16,  32,  48,  64,   80,   96,   112,  128,
                                              160, 192, 224, 256,  320,  384,  448,  512,
                                              640, 768, 896, 1024, 1280, 1536, 1792, 2048};

static bool mapped;

/* Host memory: pages below sealed_top are at LAYOUT_HEAP_BASE in every generation. */
static uint32_t sealed_top;
static uintptr_t base = LAYOUT_HEAP_BASE;
static uint32_t generations_mapped = 1; /* a bit for each */

static void map(uintptr_t low, size_t bytes) {
  void *p = mmap((void *)low, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CHECK(p == (void *)low, "no address space for the heap");
  madvise(p, bytes, MADV_NOHUGEPAGE);
}

static void heap_start(void) {
  mapped = true;
  map(LAYOUT_HEAP_TABLE_BASE, TABLE_BYTES);
  map(LAYOUT_HEAP_BASE, LAYOUT_HEAP_BYTES);
  HEAP->table_used = LAYOUT_PAGE;
}

static size_t sealed_bytes(void) {
  return sealed_top * LAYOUT_PAGE;
}

void heap_seal(void) {
  if (!mapped)
    heap_start();
  sealed_top = HEAP->top;
  HEAP->pages_used = 0;
  memset(HEAP->slabs, 0, sizeof HEAP->slabs);
  memset(HEAP->bins, 0, sizeof HEAP->bins);
  world_add_area(LAYOUT_HEAP_TABLE_BASE, (TABLE_BYTES + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1),
                 &HEAP->table_used);
  if (sealed_top)
    world_add_area(LAYOUT_HEAP_BASE, sealed_bytes(), NULL);
  world_add_area(LAYOUT_HEAP_BASE + sealed_bytes(), LAYOUT_HEAP_BYTES - sealed_bytes(),
                 &HEAP->pages_used);
}

void heap_move(int generation) {
  uintptr_t to = LAYOUT_HEAP_BASE + (uintptr_t)generation * LAYOUT_HEAP_STRIDE;
  uintptr_t from_tail = base + sealed_bytes(), to_tail = to + sealed_bytes();
  size_t bytes = LAYOUT_HEAP_BYTES - sealed_bytes();
  bool first = !(generations_mapped >> generation & 1);
  if (first)
    map(to_tail, bytes);
  generations_mapped |= 1u << generation;
  if (base == LAYOUT_HEAP_BASE) /* the search does not come back to it; the pages are zero */
    madvise((void *)from_tail, bytes, MADV_DONTNEED);
  int failed = mprotect((void *)from_tail, bytes, PROT_NONE);
  failed |= mprotect((void *)to_tail, bytes, PROT_READ | PROT_WRITE);
  CHECK(!failed, "mprotect of the heap: errno %d", errno);
  world_move_area(from_tail, to_tail, first);
  base = to;
}

/* The page that the address is in; false: none of the heap's. */
static bool page_at(const void *p, uint32_t *page) {
  uintptr_t offset = (uintptr_t)p - base;
  if (offset < sealed_bytes() || offset >= LAYOUT_HEAP_BYTES) {
    offset = (uintptr_t)p - LAYOUT_HEAP_BASE;
    if (offset >= sealed_bytes())
      return false;
  }
  *page = (uint32_t)(offset / LAYOUT_PAGE);
  return true;
}

bool heap_contains(const void *p) {
  uint32_t page;
  return page_at(p, &page);
}

static void *page_address(uint32_t page) {
  return (void *)((page < sealed_top ? LAYOUT_HEAP_BASE : base) + (uintptr_t)page * LAYOUT_PAGE);
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

/* Pages from before the seal are not handed out again. */
static bool reusable(uint32_t page) {
  return page >= sealed_top;
}

/* ---- runs of pages ---- */

static void add_free_run(uint32_t page, uint32_t pages) {
  TABLE[page].kind = PAGE_FREE;
  TABLE[page].pages = pages;
  TABLE[page + pages - 1].kind = PAGE_FREE;
  TABLE[page + pages - 1].head = page;
  TABLE[page].head = page;
  if (reusable(page))
    list_push(bin_of(pages), page);
}

static void remove_free_run(uint32_t page) {
  uint32_t last = page + TABLE[page].pages - 1;
  if (reusable(page))
    list_remove(bin_of(TABLE[page].pages), page);
  TABLE[page].kind = TABLE[last].kind = PAGE_INSIDE;
}

static void free_run(uint32_t page, uint32_t pages) {
  TABLE[page].kind = TABLE[page + pages - 1].kind = PAGE_INSIDE;
  if (page > 0 && page != sealed_top && TABLE[page - 1].kind == PAGE_FREE) {
    uint32_t before = TABLE[page - 1].head;
    pages += TABLE[before].pages;
    remove_free_run(before);
    page = before;
  }
  uint32_t after = page + pages;
  if (after < HEAP->top && after != sealed_top && TABLE[after].kind == PAGE_FREE) {
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
}

static bool raise_top(uint32_t pages) {
  if (pages > PAGES - HEAP->top)
    return false;
  HEAP->top += pages;
  HEAP->pages_used = (size_t)(HEAP->top - sealed_top) * LAYOUT_PAGE;
  HEAP->table_used = LAYOUT_PAGE + HEAP->top * sizeof(struct heap_page);
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
  if (top == sealed_top || TABLE[top - 1].kind != PAGE_FREE)
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
  if (pages > PAGES)
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
  p->taken[word] |= (uint64_t)1 << bit;
  if (--p->free_blocks == 0)
    list_remove(&HEAP->slabs[class], page);
  return (char *)page_address(page) + (size_t)(word * 64 + bit) * class_bytes[class];
}

static void free_small(uint32_t page, uint32_t block) {
  struct heap_page *p = &TABLE[page];
  p->taken[block / 64] &= ~((uint64_t)1 << (block % 64));
  if (!reusable(page))
    return;
  if (p->free_blocks++ == 0)
    list_push(&HEAP->slabs[p->class], page);
  /* Keep one empty slab of a class; others become free pages. */
  if (p->free_blocks == slab_blocks(p->class) && (p->next || p->prev)) {
    list_remove(&HEAP->slabs[p->class], page);
    free_run(page, p->pages);
  }
}

/* ---- the interface ---- */

static void *alloc_large(size_t bytes, bool zero) {
  uint32_t page;
  bool fresh;
  if (bytes > LAYOUT_HEAP_BYTES ||
      !take_run((bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE, PAGE_LARGE, &page, &fresh))
    return NULL;
  void *p = page_address(page);
  if (zero && !fresh)
    memset(p, 0, TABLE[page].pages * LAYOUT_PAGE);
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
  if (bytes > LAYOUT_HEAP_BYTES || align > LAYOUT_HEAP_BYTES)
    return NULL;
  /* Take more than enough, then give back what lies before and behind. */
  char *p = alloc_large(bytes + align, false);
  if (!p)
    return NULL;
  uint32_t page;
  page_at(p, &page);
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

/* The block that starts at p: its run's first page, and its number if it is in a slab. */
static enum heap_status find(const void *p, uint32_t *page, uint32_t *block) {
  if (!mapped || !page_at(p, page) || *page >= HEAP->top)
    return HEAP_NOT_A_BLOCK;
  if (TABLE[*page].kind == PAGE_INSIDE && TABLE[TABLE[*page].head].kind == PAGE_SLAB &&
      *page - TABLE[*page].head < TABLE[TABLE[*page].head].pages)
    *page = TABLE[*page].head;
  const struct heap_page *run = &TABLE[*page];
  uintptr_t offset = (uintptr_t)p - (uintptr_t)page_address(*page);
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

enum heap_status heap_free(void *p) {
  uint32_t page, block;
  enum heap_status status = find(p, &page, &block);
  if (status != HEAP_OK)
    return status;
  if (TABLE[page].kind == PAGE_SLAB)
    free_small(page, block);
  else
    free_run(page, TABLE[page].pages);
  return HEAP_OK;
}

enum heap_status heap_block_bytes(const void *p, size_t *bytes) {
  uint32_t page, block;
  enum heap_status status = find(p, &page, &block);
  if (status == HEAP_OK)
    *bytes = TABLE[page].kind == PAGE_SLAB ? class_bytes[TABLE[page].class]
                                           : TABLE[page].pages * LAYOUT_PAGE;
  return status;
}

void heap_free_pages(void *p, size_t bytes) {
  uint32_t page;
  if (!page_at(p, &page))
    return;
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
  if (pages > PAGES)
    return false;
  uint32_t want = (uint32_t)pages;
  if (want < have) {
    mark_run(page, want, PAGE_LARGE);
    free_run(page + want, have - want);
    return true;
  }
  if (want == have)
    return true;
  if (after == sealed_top)
    return false;
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

void *heap_resize(void *p, size_t bytes) {
  uint32_t page, block;
  CHECK(find(p, &page, &block) == HEAP_OK, "heap_resize of %p", p);
  size_t have;
  if (TABLE[page].kind == PAGE_SLAB) {
    have = class_bytes[TABLE[page].class];
    if (bytes <= SMALL_MAX && class_of(bytes) == TABLE[page].class)
      return p;
  } else {
    have = TABLE[page].pages * LAYOUT_PAGE;
    if (bytes > SMALL_MAX && bytes <= LAYOUT_HEAP_BYTES &&
        resize_run(page, (bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE))
      return p;
  }
  void *q = heap_alloc(bytes);
  if (!q)
    return NULL;
  memcpy(q, p, have < bytes ? have : bytes);
  heap_free(p);
  return q;
}
