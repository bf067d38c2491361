/* malloc and its relatives.
 *
 * All calls get the program heap, also libc's own and those of library constructors before
 * world_seal; except the dynamic linker's, whose state is not part of the world: its blocks come
 * from an arena of their own, with their size in front.  Not from base/mem.h: thread-local variables
 * of libraries lie in them (std::call_once has two that the program writes), and in the watched
 * window the program would not be let. */
#include "access/lifetime.h"
#include "access/ordinary.h"
#include "base/check.h"
#include "libc/memory.h"
#include "process/caller.h"
#include "process/generation.h"
#include "process/heap.h"
#include "process/layout.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "thread/entered.h"
#include <elf.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* In front of a block of the dynamic linker; those it got before it was relocated have none. */
struct loader_header {
  size_t bytes, mark;
};
#define LOADER_MARK ((size_t)0x7469646c64736f21)

static uintptr_t blocks_low = UINTPTR_MAX, blocks_high; /* its blocks are in between */

#define CALLED_BY_LOADER() caller_in_loader((uintptr_t)__builtin_return_address(0))

struct loader_free {
  struct loader_free *next;
};
static struct loader_free *loader_blocks[64]; /* given back, by floor(log2(bytes)) of their room */
static char *loader_next;

static int loader_class(size_t bytes) {
  return bytes <= 32 ? 5 : 64 - __builtin_clzl(bytes - 1);
}

static void *loader_room(size_t bytes) {
  int class = loader_class(bytes);
  struct loader_free *b = loader_blocks[class];
  if (b) {
    loader_blocks[class] = b->next;
    return memset(b, 0, bytes);
  }
  if (!loader_next) {
    long p = system_call(SYS_mmap, LAYOUT_LOADER_BASE, LAYOUT_LOADER_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    REQUIRE(p == (long)LAYOUT_LOADER_BASE, "no address space for the dynamic linker"
                                           " (ulimit -v, or vm.overcommit_memory)");
    loader_next = (char *)LAYOUT_LOADER_BASE;
  }
  void *p = loader_next;
  loader_next += (size_t)1 << class;
  CHECK((uintptr_t)loader_next <= LAYOUT_LOADER_BASE + LAYOUT_LOADER_BYTES,
        "the dynamic linker wants %zu bytes", bytes);
  return p;
}

static void *loader_alloc(size_t bytes) {
  struct loader_header *h = loader_room(bytes + sizeof *h);
  *h = (struct loader_header){bytes, LOADER_MARK};
  uintptr_t at = (uintptr_t)(h + 1);
  blocks_low = at < blocks_low ? at : blocks_low;
  blocks_high = at > blocks_high ? at : blocks_high;
  return h + 1;
}

/* libc gives some of them back itself (messages of dlerror). */
static bool is_loader_block(const void *p) {
  uintptr_t at = (uintptr_t)p;
  return at >= blocks_low && at <= blocks_high && at % 16 == 0 &&
         ((const struct loader_header *)p - 1)->mark == LOADER_MARK;
}

static void loader_free(void *p) {
  struct loader_header *h = (struct loader_header *)p - 1;
  int class = loader_class(h->bytes + sizeof *h);
  h->mark = 0;
  struct loader_free *b = (struct loader_free *)h;
  b->next = loader_blocks[class];
  loader_blocks[class] = b;
}

static void *or_enomem(void *p, size_t bytes) {
  if (__builtin_expect(!p, 0)) {
    errno = ENOMEM;
    heap_tell_full(bytes);
  }
  return p;
}

/* No address, no small number, no end of a string. */
#define GARBAGE 0xc5

static void *fresh(void *p, size_t from, size_t bytes) {
  if (__builtin_expect(heap_garbage, 0) && p && fiber_current() && from < bytes)
    memset((char *)p + from, GARBAGE, bytes - from);
  return or_enomem(p, bytes);
}

INTERPOSE void *malloc(size_t bytes) { /* layers: ok, the program's malloc */
  if (CALLED_BY_LOADER())
    return loader_alloc(bytes);
  void *again = lifetime_again(bytes);
  return fresh(again ? again : heap_alloc(bytes), 0, bytes);
}

/* In libc nobody else goes on. */
static void fill(void *p, size_t bytes, bool by_libc) {
  if (!by_libc)
    ordinary_fill(p, bytes);
}

INTERPOSE void *calloc(size_t n, size_t bytes) { /* layers: ok, the program's calloc */
  size_t total;
  if (__builtin_mul_overflow(n, bytes, &total))
    return or_enomem(NULL, SIZE_MAX);
  if (CALLED_BY_LOADER())
    return loader_alloc(total);
  void *p = heap_alloc_zeroed(total);
  if (p)
    fill(p, total, CALLED_BY_LIBC());
  return or_enomem(p, total);
}

/* Ends the execution; on the host a bad pointer is a bug of ours, or of a library's constructor. */
static void bad_pointer(const char *function, enum heap_status status, const void *p) {
  const char *what = status == HEAP_FREED_TWICE ? "of a block that was freed before"
                                                : "of an address that is not a heap block";
  CHECK(fiber_current(), "%s %s: %p", function, what, p);
  const char *before = generation_before((uintptr_t)p);
  if (before)
    stop_stale((uintptr_t)p, "%s of %p, which was %s" GENERATION_ADVICE, function, p, before);
  stop_with(STOP_ABORT, NULL, "%s %s: %p", function, what, p);
}

static void release(void *p, const char *function, bool by_loader, bool by_libc) {
  if (!p)
    return;
  if (__builtin_expect(!heap_contains(p), 0)) {
    bool ours = is_loader_block(p);
    if (ours)
      loader_free(p);
    if (ours || by_loader)
      return;
  }
  enum heap_status status = ordinary_runs() ? lifetime_free(p, function, by_libc) : heap_free(p);
  if (__builtin_expect(status != HEAP_OK, 0))
    bad_pointer(function, status, p);
}

INTERPOSE void free(void *p) { /* layers: ok, the program's free */
  release(p, "free", CALLED_BY_LOADER(), CALLED_BY_LIBC());
}

INTERPOSE void cfree(void *p);
void cfree(void *p) {
  release(p, "cfree", false, false);
}

static void *resize(void *p, size_t bytes, bool by_libc) {
  size_t have;
  if (!heap_contains(p) && is_loader_block(p)) {
    void *q = loader_alloc(bytes);
    have = ((struct loader_header *)p - 1)->bytes;
    memcpy(q, p, have < bytes ? have : bytes);
    loader_free(p);
    return q;
  }
  enum heap_status status = heap_block_bytes(p, &have);
  if (status != HEAP_OK)
    bad_pointer("realloc", status, p);
  if (!bytes) {
    release(p, "realloc", false, by_libc);
    return NULL;
  }
  if (!ordinary_concerns())
    return fresh(heap_resize(p, bytes), have, bytes);
  void *q = heap_alloc(bytes); /* elsewhere, whatever there is room for */
  if (!q)
    return or_enomem(NULL, bytes);
  release(p, "realloc", false, by_libc);
  memcpy(q, p, have < bytes ? have : bytes);
  fill(q, have < bytes ? have : bytes, by_libc);
  return q;
}

INTERPOSE void *realloc(void *p, size_t bytes) { /* layers: ok, the program's realloc */
  if (!p)
    return CALLED_BY_LOADER() ? loader_alloc(bytes) : fresh(heap_alloc(bytes), 0, bytes);
  return resize(p, bytes, CALLED_BY_LIBC());
}

INTERPOSE void *reallocarray(void *p, size_t n, size_t bytes) {
  size_t total;
  if (__builtin_mul_overflow(n, bytes, &total))
    return or_enomem(NULL, SIZE_MAX);
  return p ? resize(p, total, CALLED_BY_LIBC()) : fresh(heap_alloc(total), 0, total);
}

static bool power_of_two(size_t n) {
  return n && !(n & (n - 1));
}

INTERPOSE int posix_memalign(void **to, size_t align, size_t bytes) {
  ENTERED();
  if (!power_of_two(align) || align % sizeof(void *))
    return EINVAL;
  void *p = fresh(heap_alloc_aligned(align < 16 ? 16 : align, bytes), 0, bytes);
  if (!p)
    return ENOMEM;
  memory_give(to, &p, sizeof p);
  return 0;
}

static void *aligned(size_t align, size_t bytes) {
  if (!power_of_two(align)) {
    errno = EINVAL;
    return NULL;
  }
  return fresh(heap_alloc_aligned(align < 16 ? 16 : align, bytes), 0, bytes);
}

INTERPOSE void *aligned_alloc(size_t align, size_t bytes) {
  if (CALLED_BY_LOADER())
    return loader_alloc(bytes);
  return aligned(align, bytes);
}

INTERPOSE void *memalign(size_t align, size_t bytes) {
  return aligned(align, bytes);
}

INTERPOSE void *valloc(size_t bytes) {
  return aligned(4096, bytes);
}

INTERPOSE void *pvalloc(size_t bytes) {
  return aligned(4096, (bytes + 4095) & ~(size_t)4095);
}

INTERPOSE size_t malloc_usable_size(void *p) {
  size_t bytes = 0;
  if (p && heap_block_bytes(p, &bytes) != HEAP_OK)
    bad_pointer("malloc_usable_size", HEAP_NOT_A_BLOCK, p);
  return bytes;
}

INTERPOSE int malloc_trim(size_t pad) {
  (void)pad;
  return 0;
}

INTERPOSE int mallopt(int parameter, int value) {
  (void)parameter;
  (void)value;
  return 1;
}
