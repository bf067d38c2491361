/* Mappings.  Anonymous memory comes from the program heap's pages, so it goes back with the
 * program; a file mapped privately is read into such pages.  What must be shared with a file is
 * persistent memory (mapping_filter) or refused. */
#include "base/str.h"
#include "libc/map.h"
#include "process/caller.h"
#include "process/generation.h"
#include "process/heap.h"
#include "process/layout.h"
#include "process/mapping.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/world.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *fail(int error) {
  errno = error;
  return MAP_FAILED;
}

static void *no_room(size_t bytes) {
  heap_tell_full(bytes);
  return fail(ENOMEM);
}

static size_t page_up(size_t n) {
  return (n + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
}

/* What is protected while libraries are loaded could not be saved with the world: it stays open. */
static int protect(void *address, size_t bytes, int protection) {
  if (!fiber_current())
    return 0;
  mapping_changed(address, bytes, protection);
  return (int)system_call_errno(SYS_mprotect, address, bytes, protection);
}

static void *read_file(void *to, const struct mapping_request *r) {
  size_t done = 0;
  ssize_t n;
  while (done < r->bytes &&
         (n = pread(r->fd, (char *)to + done, r->bytes - done, r->offset + (off_t)done)) > 0)
    done += (size_t)n;
  return to;
}

/* Pages with what a file held.  World memory. */
struct file_pages {
  uintptr_t low, high;
  struct file_pages *next;
};
static struct { struct file_pages *first; } file_pages;

static bool is_of_file(const void *address) {
  struct file_pages *p = file_pages.first;
  while (p && (uintptr_t)address - p->low >= p->high - p->low)
    p = p->next;
  return p;
}

static void note_pages(uintptr_t low, uintptr_t high) {
  struct file_pages *p = world_alloc(sizeof *p);
  *p = (struct file_pages){low, high, file_pages.first};
  file_pages.first = p;
}

static void note_file(const void *address, size_t bytes) {
  note_pages((uintptr_t)address, (uintptr_t)address + page_up(bytes));
}

static void forget_file(const void *address, size_t bytes) {
  uintptr_t low = (uintptr_t)address, high = low + page_up(bytes);
  for (struct file_pages *p = file_pages.first; p; p = p->next)
    if (p->low < high && low < p->high) {
      if (high < p->high)
        note_pages(high, p->high); /* in front of all, where nobody looks any more */
      p->high = low > p->low ? low : p->low;
    }
}

void map_init(void) {
  world_include(&file_pages, sizeof file_pages);
}

static bool writable_shared_file(const struct mapping_request *r) {
  return r->fd >= 0 && !(r->flags & MAP_ANONYMOUS) && !(r->flags & MAP_PRIVATE) &&
         (r->protection & PROT_WRITE);
}

void map_refuse_outside(const char *call, int fd) {
  struct str link = {0};
  char path[PATH_MAX];
  str_format(&link, "/proc/self/fd/%d", fd);
  long n = system_call(SYS_readlink, str_text(&link), path, sizeof path - 1);
  str_free(&link);
  path[n < 0 ? 0 : n] = 0;
  if (path[0] != '/' || strlen(path) > STOP_MESSAGE_MAX / 4)
    stop_with(STOP_REFUSED, NULL,
              "%s of a file outside --pm-path is not supported in a checked program", call);
  stop_with(STOP_REFUSED, NULL,
            "%s of %s, which is outside --pm-path, is not supported in a checked program; "
            "if this file holds the data to check, add --pm-path='%s'",
            call, path, path);
}

static void *map(struct mapping_request *r) {
  void *result;
  if (mapping_filter && fiber_current() && mapping_filter(r, &result))
    return result;
  if (!r->bytes)
    return fail(EINVAL);
  if (!(r->flags & MAP_ANONYMOUS) && system_call(SYS_fcntl, r->fd, F_GETFD) < 0)
    return fail(EBADF);
  if (writable_shared_file(r))
    map_refuse_outside("shared, writable mmap", r->fd);
  bool fixed = r->flags & MAP_FIXED;
  if (fixed && (!heap_contains(r->address) || !heap_contains((char *)r->address + r->bytes - 1)))
    stop_refuse("mmap with MAP_FIXED");
  if (!fixed && r->flags & MAP_32BIT)
    stop_refuse("mmap with MAP_32BIT");
  void *p = fixed ? r->address : heap_alloc_pages(r->bytes);
  if (!p)
    return no_room(r->bytes);
  if (fixed) {
    protect(p, r->bytes, PROT_READ | PROT_WRITE);
    memset(p, 0, page_up(r->bytes));
    forget_file(p, r->bytes);
  }
  if (!(r->flags & MAP_ANONYMOUS)) {
    read_file(p, r);
    note_file(p, r->bytes);
  }
  if ((r->protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE))
    protect(p, r->bytes, r->protection);
  return p;
}

/* Memory that a library takes in its constructor, while it is loaded, is part of the world as well:
 * an allocator keeps its state there. */
#define CALLED_BY_CONSTRUCTOR() \
  (!fiber_current() && !caller_in_worker((uintptr_t)__builtin_return_address(0)) && \
   !caller_in_loader((uintptr_t)__builtin_return_address(0)))

static bool constructor_memory(int flags) {
  return flags & MAP_ANONYMOUS && flags & MAP_PRIVATE && !(flags & MAP_FIXED);
}

INTERPOSE void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (!CALLED_BY_PROGRAM() && !(CALLED_BY_CONSTRUCTOR() && constructor_memory(flags)))
    return (void *)system_call_errno(SYS_mmap, address, bytes, protection, flags, fd, offset);
  struct mapping_request r = {address, bytes, protection, flags, fd, offset};
  return map(&r);
}

INTERPOSE void *mmap64(void *address, size_t bytes, int protection, int flags, int fd,
                       off_t offset) {
  if (!CALLED_BY_PROGRAM() && !(CALLED_BY_CONSTRUCTOR() && constructor_memory(flags)))
    return (void *)system_call_errno(SYS_mmap, address, bytes, protection, flags, fd, offset);
  struct mapping_request r = {address, bytes, protection, flags, fd, offset};
  return map(&r);
}

static void give_back(void *address, size_t bytes) {
  protect(address, bytes, PROT_READ | PROT_WRITE);
  forget_file(address, bytes);
  heap_free_pages(address, bytes);
}

INTERPOSE int munmap(void *address, size_t bytes) {
  if (!CALLED_BY_PROGRAM() && !(CALLED_BY_CONSTRUCTOR() && heap_contains(address)))
    return (int)system_call_errno(SYS_munmap, address, bytes);
  int result;
  if (unmapping_filter && fiber_current() && unmapping_filter(address, bytes, &result))
    return result;
  if (!bytes || (uintptr_t)address % LAYOUT_PAGE) {
    errno = EINVAL;
    return -1;
  }
  if (generation_before((uintptr_t)address))
    return 0; /* nothing is mapped there any more */
  if (!heap_contains(address))
    stop_refuse("munmap of memory that mmap did not give");
  give_back(address, bytes);
  return 0;
}

INTERPOSE int mprotect(void *address, size_t bytes, int protection) {
  if (!CALLED_BY_PROGRAM() && !(CALLED_BY_CONSTRUCTOR() && heap_contains(address)))
    return (int)system_call_errno(SYS_mprotect, address, bytes, protection);
  if (generation_before((uintptr_t)address)) {
    errno = ENOMEM;
    return -1;
  }
  int result;
  if (protecting_filter && fiber_current() &&
      protecting_filter(address, bytes, protection, &result))
    return result;
  if (!heap_contains(address))
    stop_refuse("mprotect of memory that mmap did not give");
  return protect(address, bytes, protection);
}

INTERPOSE void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...) {
  if (!CALLED_BY_PROGRAM())
    return (void *)system_call_errno(SYS_mremap, old, old_bytes, bytes, flags, 0);
  if (generation_before((uintptr_t)old))
    return fail(EFAULT);
  void *result;
  if (remapping_filter && fiber_current() && !(flags & MREMAP_FIXED) &&
      remapping_filter(old, old_bytes, bytes, &result))
    return result;
  if ((flags & MREMAP_FIXED) || !heap_contains(old))
    stop_refuse("mremap");
  if (page_up(bytes) <= page_up(old_bytes)) {
    if (page_up(bytes) < page_up(old_bytes))
      give_back((char *)old + page_up(bytes), page_up(old_bytes) - page_up(bytes));
    return old;
  }
  if (!(flags & MREMAP_MAYMOVE))
    return fail(ENOMEM);
  void *p = heap_alloc_pages(bytes);
  if (!p)
    return no_room(bytes);
  protect(old, old_bytes, PROT_READ | PROT_WRITE);
  memcpy(p, old, old_bytes);
  if (is_of_file(old))
    note_file(p, old_bytes);
  give_back(old, old_bytes);
  return p;
}

INTERPOSE int madvise(void *address, size_t bytes, int advice) {
  if (!CALLED_BY_PROGRAM()) /* base/mem.c, perhaps on a fiber: nothing that machines notice */
    return system_call(SYS_madvise, address, bytes, advice) < 0 ? -1 : 0;
  if ((uintptr_t)address % LAYOUT_PAGE) {
    errno = EINVAL;
    return -1;
  }
  bool drops = advice == MADV_DONTNEED || advice == MADV_FREE;
  if (drops && bytes && heap_contains(address) && !is_of_file(address))
    mapping_zero(address, page_up(bytes));
  return 0;
}

INTERPOSE int msync(void *address, size_t bytes, int flags) {
  int result;
  if (mapping_sync_filter && mapping_sync_filter(address, bytes, flags, &result))
    return result;
  return 0;
}

INTERPOSE void *sbrk(intptr_t increment) {
  if (CALLED_BY_PROGRAM() && increment)
    stop_refuse("sbrk");
  return REAL(sbrk)(increment);
}

INTERPOSE int brk(void *end) {
  if (CALLED_BY_PROGRAM())
    stop_refuse("brk");
  return REAL(brk)(end);
}
