/* Power-of-two size classes with a free list each, carved from an arena by bumping a pointer.  A
 * block keeps no header: callers say the size again when they give it back. */
#include "base/mem.h"
#include "base/check.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* AddressSanitizer knows only the libc allocator: tell it which bytes of a block are in use. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(p, bytes) ((void)(p), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(p, bytes) ((void)(p), (void)(bytes))
#endif

#define CLASS_MIN 4 /* 16 bytes */
#define CLASSES 48
#define ARENA_BYTES_MAX ((size_t)64 << 30) /* addresses; memory is taken as it is used */
#define ARENA_BYTES_MIN ((size_t)1 << 20)

struct free_block {
  struct free_block *next;
};

/* A page fault for each new page costs several times what the kernel needs to make many at once. */
#define PAGE ((uintptr_t)4096)
#define SMALL_MAX ((size_t)16 << 10) /* larger blocks are often used in part: page by page */
#define READY_MIN ((size_t)64 << 10)
#define READY_MAX ((size_t)1 << 20)

static struct arena {
  char *next, *end;
  bool given;          /* by mem_set_arena */
  char *ready;         /* pages below exist */
  size_t used, unused; /* bytes taken from it, and of them given back */
  struct free_block *free[CLASSES];
} arena, own;

/* Blocks are taken from here; `own`: between mem_begin_own and mem_end_own. */
static struct arena *current = &arena;
static char *own_low; /* where that one begins; NULL: there is none */

/* The newest blocks that the program's threads have taken: where and, by its index, when. */
#define RECENT 64
static void *recent[RECENT];
struct mem_loans mem_loans;

void mem_set_arena(void *base, size_t bytes) {
  arena.next = base;
  arena.end = arena.next + bytes;
  arena.given = true;
}

void mem_set_own_arena(void *base, size_t bytes) {
  own_low = own.next = base;
  own.end = own.next + bytes;
  own.given = true;
}

void mem_begin_own(void) {
  if (own_low)
    current = &own;
}

void mem_end_own(void) {
  current = &arena;
}

/* NULL: it is not given back.  What is shared may still be in use in the process that forked this one off, by whoever
 * has outgrown it here. */
static struct arena *home_of(const void *p) {
  bool is_own = own_low && (const char *)p >= own_low && (const char *)p < own.end;
  return is_own ? &own : current == &own ? NULL : &arena;
}

/* An arena of our own with room for `needed` bytes, as large as limits allow (ulimit -v). */
static void map_arena(size_t needed) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  size_t least = needed > ARENA_BYTES_MIN ? needed : ARENA_BYTES_MIN, bytes = ARENA_BYTES_MAX;
  void *p;
  while ((p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0)) == MAP_FAILED &&
         bytes / 2 >= least)
    bytes /= 2;
  if (p == MAP_FAILED)
    return;
  arena.next = p;
  arena.end = arena.next + bytes;
}

void mem_make_ready(void *p, size_t bytes) {
  uintptr_t low = (uintptr_t)p & ~(PAGE - 1),
            high = ((uintptr_t)p + bytes + PAGE - 1) & ~(PAGE - 1);
  madvise((void *)low, high - low, MADV_POPULATE_WRITE); /* an older kernel will not: no harm */
}

/* The next `size` bytes, and some more, will be wanted soon. */
static void make_ready(struct arena *a, size_t size) {
  if (size > SMALL_MAX || a->next + size <= a->ready)
    return;
  size_t more = a->used / 4;
  more = more < READY_MIN ? READY_MIN : more > READY_MAX ? READY_MAX : more;
  char *from = a->ready > a->next ? a->ready : a->next;
  if ((size_t)(a->end - from) < more)
    return;
  mem_make_ready(from, more);
  a->ready = from + more;
}

static int class_of(size_t bytes) {
  if (bytes <= (1u << CLASS_MIN))
    return CLASS_MIN;
  return 64 - __builtin_clzl(bytes - 1);
}

/* Of the block at p, only so many bytes may be touched. */
static void allow(void *p, int class, size_t bytes) {
  ASAN_POISON_MEMORY_REGION(p, (size_t)1 << class);
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
}

void mem_begin_program(void) {
  mem_loans.program = true;
  mem_may_go_back();
}

void mem_end_program(void) {
  mem_loans.program = false;
}

/* Was the block taken since the program could last be put back? */
static bool is_recent(const void *p) {
  unsigned n = mem_loans.taken - mem_loans.safe;
  if (n > RECENT)
    return true; /* nobody knows any more */
  for (unsigned i = 0; i < n; i++)
    if (recent[(mem_loans.safe + i) % RECENT] == p)
      return true;
  return false;
}

static void *take(size_t bytes) {
  struct arena *a = current;
  int class = class_of(bytes);
  CHECK(class < CLASSES, "allocation of %zu bytes", bytes);
  struct free_block *b = a->free[class];
  if (b) {
    ASAN_UNPOISON_MEMORY_REGION(b, sizeof *b);
    a->free[class] = b->next;
    a->unused -= (size_t)1 << class;
    allow(b, class, bytes);
    memset(b, 0, bytes);
    return b;
  }
  size_t size = (size_t)1 << class;
  if (!a->given && (size_t)(a->end - a->next) < size)
    map_arena(size);
  if (!a->given && (size_t)(a->end - a->next) < size)
    check_exhausted(); /* limits of the system, not a mistake of ours */
  CHECK((size_t)(a->end - a->next) >= size, "out of memory (%zu bytes)", bytes);
  make_ready(a, size);
  void *p = a->next;
  a->next += size;
  a->used += size;
  allow(p, class, bytes);
  return p;
}

void *mem_alloc(size_t bytes) {
  void *p = take(bytes);
  if (mem_loans.program)
    recent[mem_loans.taken++ % RECENT] = p;
  return p;
}

bool mem_scribbles;

void mem_free_outgrown(void *p, size_t bytes) {
  struct arena *a = home_of(p);
  if (!p || !a)
    return;
  if (mem_scribbles)
    memset(p, 0xa5, bytes);
  struct free_block *b = p;
  int class = class_of(bytes);
  ASAN_UNPOISON_MEMORY_REGION(b, sizeof *b);
  b->next = a->free[class];
  a->free[class] = b;
  a->unused += (size_t)1 << class;
  allow(b, class, 0);
}

/* What a block that has grown leaves behind is half of its size, and perhaps nobody wants that again: from so many
 * bytes on the system gets it back, except for the list's part. */
#define RETURNED_MIN ((size_t)256 << 10)

static void return_pages(void *p, size_t bytes) {
  uintptr_t low = ((uintptr_t)p + sizeof(struct free_block) + PAGE - 1) & ~(PAGE - 1),
            high = ((uintptr_t)p + bytes) & ~(PAGE - 1);
  if (bytes >= RETURNED_MIN && home_of(p))
    madvise((void *)low, high - low, MADV_DONTNEED);
}

void *mem_resize(void *old, size_t old_bytes, size_t new_bytes) {
  if (!old)
    return mem_alloc(new_bytes);
  if (class_of(old_bytes) == class_of(new_bytes)) {
    allow(old, class_of(new_bytes), new_bytes);
    if (new_bytes > old_bytes)
      memset((char *)old + old_bytes, 0, new_bytes - old_bytes);
    return old;
  }
  void *p = mem_alloc(new_bytes);
  memcpy(p, old, old_bytes < new_bytes ? old_bytes : new_bytes);
  mem_free_outgrown(old, old_bytes);
  return_pages(old, old_bytes);
  return p;
}

void mem_free(void *p, size_t bytes) {
  CHECK(!p || !mem_loans.program || is_recent(p),
        "a block of %zu bytes was held where the program can be put back", bytes);
  mem_free_outgrown(p, bytes);
}

char *mem_strdup(const char *text) {
  size_t n = strlen(text) + 1;
  return memcpy(mem_alloc(n), text, n);
}

void mem_state(void **state, size_t *bytes) {
  *state = &arena;
  *bytes = sizeof arena;
}

size_t mem_used_bytes(void) {
  return arena.used - arena.unused;
}
