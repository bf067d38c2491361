#include "runtime/pmfile_fd.h"
#include "runtime/access.h"
#include "runtime/caller.h"
#include "runtime/files.h"
#include "runtime/files_internal.h"
#include "runtime/mapping.h"
#include "runtime/space.h"
#include "runtime/stop.h"
#include "runtime/system_call.h"
#include "runtime/world.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct description {
  struct pmfile *file;
  off_t position;
  int flags;
};

/* An open descriptor; in a list, there are few. */
struct open_file {
  int fd;
  struct description *open; /* shared by copies */
  struct open_file *next;
};

/* The empty file that stands for each file, by number; 0: none yet.  Host memory, not shared with
 * children: each has descriptors of its own. */
static int stand_ins[PMFILES_MAX];

static struct {
  struct open_file *first;
} files;

static struct open_file *find(int fd) {
  for (struct open_file *f = files.first; f; f = f->next)
    if (f->fd == fd)
      return f;
  return NULL;
}

struct pmfile *pmfile_fd_file(int fd) {
  struct open_file *f = find(fd);
  return f ? f->open->file : NULL;
}

off_t *pmfile_fd_position(int fd) {
  return &find(fd)->open->position;
}

bool pmfile_fd_appends(int fd) {
  return find(fd)->open->flags & O_APPEND;
}

static void remember(int fd, struct description *open) {
  struct open_file *f = world_alloc(sizeof *f);
  *f = (struct open_file){.fd = fd, .open = open, .next = files.first};
  files.first = f;
  files_high = fd > files_high ? fd : files_high;
}

void pmfile_fd_copy(int from, int to) {
  struct open_file *f = find(from);
  if (from == to)
    return;
  pmfile_fd_close(to);
  if (f)
    remember(to, f->open);
}

void pmfile_fd_close(int fd) {
  for (struct open_file **f = &files.first; *f; f = &(*f)->next)
    if ((*f)->fd == fd) {
      *f = (*f)->next;
      return;
    }
}

/* A new descriptor of the file's stand-in: opened, not copied, so that it has locks of its own. */
static int open_stand_in(struct pmfile *p, int flags) {
  int *in = &stand_ins[pmfile_number(p)];
  if (!*in) {
    int fd = files_to_host(memfd_create("pmfile", MFD_CLOEXEC));
    if (fd < 0)
      return -1;
    *in = fd;
  }
  char path[40] = "/proc/self/fd/", digits[12];
  int n = 0;
  for (int i = *in; i; i /= 10)
    digits[n++] = (char)('0' + i % 10);
  for (char *to = path + strlen(path); n > 0;)
    *to++ = digits[--n];
  return (int)system_call_errno(SYS_openat, AT_FDCWD, path, (flags & O_ACCMODE) | O_CLOEXEC);
}

static int fail(int error) {
  errno = error;
  return -1;
}

int pmfile_fd_open_file(struct pmfile *p, int flags) {
  if (!p)
    return fail(ENFILE);
  bool exists = pmfile_exists(p);
  if (!exists && !(flags & O_CREAT))
    return fail(ENOENT);
  if (exists && flags & O_CREAT && flags & O_EXCL)
    return fail(EEXIST);
  if (!exists || (flags & O_TRUNC && pmfile_bytes(p)))
    if (!pmfile_create(p, 0))
      return fail(ENOSPC);
  int fd = open_stand_in(p, flags);
  if (fd < 0)
    return fd;
  struct description *open = world_alloc(sizeof *open);
  *open = (struct description){.file = p, .flags = flags};
  remember(fd, open);
  return fd;
}

bool pmfile_fd_open(const char *path, int flags, int *fd) {
  if (!pmfile_matches(path))
    return false;
  *fd = pmfile_fd_open_file(pmfile_open(path), flags);
  return true;
}

/* ---- mmap ---- */

static bool map(struct mapping_request *r, void **result) {
  struct pmfile *p = r->flags & MAP_ANONYMOUS ? NULL : pmfile_fd_file(r->fd);
  if (!p)
    return false;
  *result = MAP_FAILED;
  if (r->flags & MAP_PRIVATE && (r->flags & MAP_TYPE) == MAP_PRIVATE)
    stop_refuse("a private mapping of persistent memory");
  if (r->flags & MAP_FIXED)
    stop_refuse("mmap of persistent memory with MAP_FIXED");
  if (!r->bytes || r->offset < 0 || r->offset % 4096) {
    errno = EINVAL;
    return true;
  }
  uintptr_t base = pmfile_map(p, (size_t)r->offset + r->bytes);
  if (base)
    *result = (void *)(base + (uintptr_t)r->offset);
  else
    errno = ENOMEM;
  return true;
}

static bool unmap(void *address, size_t bytes, int *result) {
  (void)bytes;
  struct region *r = abi_watched((uintptr_t)address) ? space_region_at((uintptr_t)address) : NULL;
  if (!r)
    return false;
  if (r->mappings)
    r->mappings--;
  *result = 0;
  return true;
}

/* msync writes everything back and waits. */
static bool synchronise(void *address, size_t bytes, int *result) {
  if (!abi_watched((uintptr_t)address) || !space_region_at((uintptr_t)address))
    return false;
  access_flush_range(ABI_CLWB, (uintptr_t)address, bytes, NULL);
  access_fence(ABI_SFENCE, NULL);
  *result = 0;
  return true;
}

void pmfile_fd_init(void) {
  world_include(&files, sizeof files);
  mapping_filter = map;
  unmapping_filter = unmap;
  mapping_sync_filter = synchronise;
}
