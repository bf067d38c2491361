#include "libc/pmfile_fd.h"
#include "access/access.h"
#include "access/mapped.h"
#include "access/protection.h"
#include "access/space.h"
#include "base/str.h"
#include "event/window.h"
#include "libc/net.h"
#include "libc/plain_file.h"
#include "process/caller.h"
#include "process/files.h"
#include "process/files_seen.h"
#include "process/heap.h"
#include "process/layout.h"
#include "process/mapping.h"
#include "process/places.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/world.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What open() gives: descriptors made by dup share it. */
struct description {
  struct pmfile *file;
  struct pmname *directory; /* if it is one, and not a file */
  off_t position;
  int flags;
};

/* An open descriptor; in a list, there are few. */
struct open_file {
  int fd;
  struct description *description;
  struct open_file *next;
};

/* The file that stands for each file, by number; 0: none yet.  Empty, or with the contents (plain_file.h).  Host memory,
 * not shared with children: each has descriptors of its own. */
static int stand_ins[PMNAMES_MAX];
static ino_t stand_in_inodes[PMNAMES_MAX];
static bool *filled; /* by number: does it have the contents of this execution?  World memory */

static struct { struct open_file *first; } files;
static struct { bool any; } in_memory; /* contents of files; goes back with the program */

static struct description *find(int fd) {
  for (struct open_file *f = files.first; f; f = f->next)
    if (f->fd == fd)
      return f->description;
  return NULL;
}

struct pmfile *pmfile_fd_file(int fd) {
  struct description *d = find(fd);
  return d ? d->file : NULL;
}

struct pmname *pmfile_fd_directory(int fd) {
  struct description *d = find(fd);
  return d ? d->directory : NULL;
}

off_t *pmfile_fd_position(int fd) {
  return &find(fd)->position;
}

bool pmfile_fd_appends(int fd) {
  return find(fd)->flags & O_APPEND;
}

bool pmfile_fd_allows(int fd, bool write) {
  int mode = find(fd)->flags & O_ACCMODE;
  return mode == O_RDWR || mode == (write ? O_WRONLY : O_RDONLY);
}

void pmfile_fd_close_range(int first, int last) {
  for (struct open_file **f = &files.first; *f;)
    if ((*f)->fd >= first && (*f)->fd <= last)
      *f = (*f)->next;
    else
      f = &(*f)->next;
}

static void add(int fd, struct description *d) {
  struct open_file *f = world_alloc(sizeof *f);
  *f = (struct open_file){.fd = fd, .description = d, .next = files.first};
  files.first = f;
  files_high = fd > files_high ? fd : files_high;
}

void pmfile_fd_dup(int from, int to) {
  struct description *d = find(from);
  if (from == to)
    return;
  pmfile_fd_close_range(to, to);
  if (d)
    add(to, d);
}

static int fail(int error) {
  errno = error;
  return -1;
}

/* Where the kernel shows a descriptor. */
static void proc_path(int fd, char path[40]) {
  char digits[12];
  int n = 0;
  do
    digits[n++] = (char)('0' + fd % 10);
  while (fd /= 10);
  static const char prefix[] = "/proc/self/fd/";
  memcpy(path, prefix, sizeof prefix);
  char *to = path + sizeof prefix - 1;
  while (n > 0)
    *to++ = digits[--n];
  *to = 0;
}

static int write_image(int fd, const struct pmfile *f) {
  size_t bytes, done = 0;
  const uint8_t *image = pmfile_image(f, &bytes);
  for (long n; image && done < bytes; done += (size_t)n)
    if ((n = system_call(SYS_pwrite64, fd, image + done, bytes - done, done)) <= 0)
      return fail(ENOSPC);
  return 0;
}

static int stand_in(int number) {
  int *in = &stand_ins[number];
  if (!*in) {
    int fd = files_to_host(memfd_create("pmfile", MFD_CLOEXEC));
    struct stat st;
    if (fd < 0 || system_call(SYS_fstat, fd, &st) != 0)
      return -1;
    *in = fd;
    stand_in_inodes[number] = st.st_ino;
  }
  if (plain_files && !filled[number]) {
    filled[number] = true;
    system_call(SYS_ftruncate, *in, 0);
    if (write_image(*in, pmfile_by_number(number)))
      return -1;
  }
  return *in;
}

/* A new descriptor of the file's stand-in: opened, not copied, so that it has locks of its own. */
static int open_stand_in(int number, int flags) {
  int in = stand_in(number);
  if (in < 0)
    return -1;
  int made = O_CREAT | O_EXCL | O_TRUNC | O_DIRECTORY | O_NOFOLLOW;
  char path[40];
  proc_path(in, path);
  return (int)system_call_errno(SYS_openat, AT_FDCWD, path,
                                plain_files ? flags & ~made : (flags & O_ACCMODE) | O_CLOEXEC);
}

static int open_as(int number, struct description new) {
  int fd = open_stand_in(number, new.flags);
  if (fd < 0)
    return fd;
  if (plain_files && new.file) { /* the kernel has the contents */
    files_note_flags(new.flags);
    files_high = fd > files_high ? fd : files_high;
    pmfile_fd_opened(fd, 0);
    return fd;
  }
  struct description *d = world_alloc(sizeof *d);
  *d = new;
  add(fd, d);
  return fd;
}

static int open_directory(struct pmname *n, int flags) {
  if (flags & O_CREAT || (flags & O_ACCMODE) != O_RDONLY)
    return fail(EISDIR);
  return open_as(pmname_number(n), (struct description){.directory = n, .flags = flags});
}

static int open_name(struct pmname *n, int flags) {
  enum pmname_kind kind = pmname_kind(n);
  if (!kind && (!(flags & O_CREAT) || flags & O_DIRECTORY))
    return fail(ENOENT);
  if (kind && flags & O_CREAT && flags & O_EXCL)
    return fail(EEXIST);
  if (kind == PMNAME_DIRECTORY)
    return open_directory(n, flags);
  if (flags & O_DIRECTORY)
    return fail(ENOTDIR);
  if (!kind || (flags & O_TRUNC && pmfile_bytes(pmname_file(n))))
    if (!pmname_create(n, 0))
      return fail(ENOSPC);
  struct pmfile *f = pmname_file(n);
  return open_as(pmfile_number(f), (struct description){.file = f, .flags = flags});
}

/* Whoever creates a file is the only one. */
int pmfile_fd_open_name(struct pmname *n, int flags) {
  if (!n)
    return fail(ENFILE);
  bool alone = flags & (O_CREAT | O_TRUNC) && pmname_alone_begin(n);
  int fd = open_name(n, flags);
  access_alone_end(alone);
  return fd;
}

bool pmfile_fd_open(const char *path, int flags, int *fd) {
  bool changes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  bool file = (flags & __O_TMPFILE) != __O_TMPFILE && !(flags & O_DIRECTORY);
  if (changes && file ? !pmname_takes(path) : !pmname_matches(path) && !pmname_lists(path))
    return false;
  *fd = pmfile_fd_open_name(pmname_at(path), flags);
  return true;
}

const char *pmfile_fd_below(int directory, const char *path, char out[PATH_MAX]) {
  char link[40];
  if (!path || directory == AT_FDCWD || *path == '/')
    return path;
  struct pmname *open = pmfile_fd_directory(directory);
  long n;
  if (open) {
    n = pmname_canonical(pmname_path(open), out) ? (long)strlen(out) : 0;
  } else {
    proc_path(directory, link);
    n = system_call(SYS_readlink, link, out, PATH_MAX);
  }
  if (n <= 0 || (size_t)n + strlen(path) + 2 > PATH_MAX)
    return NULL;
  out[n] = '/';
  memcpy(out + n + 1, path, strlen(path) + 1);
  return out;
}

/* ---- contents in memory, where nothing fails ---- */

static char *put_hex(char *to, uint64_t n) {
  do
    *to++ = "0123456789abcdef"[n % 16];
  while (n /= 16);
  return to;
}

static bool look_at(int fd, struct stat *st) {
  return system_call(SYS_fstat, fd, st) == 0;
}

/* The name of the memory of what a descriptor leads to, whatever its path is; NULL: it is no file with contents. */
static struct pmname *name_of_memory(int fd, struct stat *st) {
  char key[64] = PMFILE_IN_MEMORY, *end = key + strlen(key);
  if (!look_at(fd, st) || !S_ISREG(st->st_mode))
    return NULL;
  end = put_hex(end, st->st_dev);
  *end++ = '.';
  *put_hex(end, st->st_ino) = 0;
  return pmname_object(key);
}

static void attach(int fd, struct pmfile *f) {
  struct description *d = world_alloc(sizeof *d);
  *d = (struct description){.file = f,
                            .position = (off_t)system_call(SYS_lseek, fd, 0, SEEK_CUR),
                            .flags = (int)system_call(SYS_fcntl, fd, F_GETFL)};
  add(fd, d);
}

static bool leads_to(int fd, const struct stat *st) {
  struct stat other;
  return look_at(fd, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* From now on the contents are memory, for all who have the file open; NULL: there is no room, or no file. */
static struct pmfile *into_memory(int fd) {
  struct stat st;
  struct pmname *n = name_of_memory(fd, &st);
  size_t bytes = n ? (size_t)st.st_size : 0, done = 0;
  if (!n || (!pmname_kind(n) && !pmname_create(n, bytes)))
    return NULL;
  struct pmfile *f = pmname_file(n);
  in_memory.any = true;
  char *to = (char *)plain_file_memory(pmfile_number(f), bytes);
  for (long got; done < bytes; done += (size_t)got)
    if ((got = system_call(SYS_pread64, fd, to + done, bytes - done, done)) <= 0)
      break;
  for (int i = 0; i <= files_high; i++)
    if (!find(i) && leads_to(i, &st))
      attach(i, f);
  return f;
}

/* The memory of the file that this descriptor leads to, if it is memory. */
static struct pmfile *memory_behind(int fd) {
  struct stat st;
  struct pmname *n = in_memory.any && fd >= 0 ? name_of_memory(fd, &st) : NULL;
  return n && pmname_kind(n) == PMNAME_FILE ? pmname_file(n) : NULL;
}

struct pmfile *pmfile_fd_memory(struct pmfile *f) {
  return memory_behind(stand_in(pmfile_number(f)));
}

struct pmfile *pmfile_fd_into_memory(struct pmfile *f) {
  struct pmfile *m = pmfile_fd_memory(f);
  int fd = stand_in(pmfile_number(f));
  return m ? m : fd < 0 ? NULL : into_memory(fd);
}

size_t pmfile_fd_bytes(struct pmfile *f) {
  struct stat st;
  return look_at(stand_in(pmfile_number(f)), &st) ? (size_t)st.st_size : 0;
}

bool pmfile_fd_resize(struct pmfile *f, size_t bytes) {
  return system_call(SYS_ftruncate, stand_in(pmfile_number(f)), bytes) == 0;
}

/* What the kernel says of a file that is a copy, as if it were none. */
static void disguise(struct stat *st) {
  st->st_mode = S_IFREG | 0600;
  st->st_nlink = 1;
  st->st_atime = st->st_mtime = st->st_ctime = PMFILE_TIME;
}

bool pmfile_fd_describe(int fd, struct stat *st) {
  struct pmfile *f = pmfile_fd_file(fd);
  bool ours = look_at(fd, st) && f;
  for (int i = 0; i < PMNAMES_MAX && !ours; i++)
    ours = stand_ins[i] && S_ISREG(st->st_mode) && st->st_ino == stand_in_inodes[i];
  if (ours)
    disguise(st);
  if (f)
    st->st_size = (off_t)pmfile_bytes(f);
  return ours;
}

bool pmfile_fd_describe_file(struct pmfile *f, struct stat *st) {
  bool there = look_at(stand_in(pmfile_number(f)), st);
  if (there)
    disguise(st);
  st->st_size = (off_t)pmfile_bytes(f);
  return there;
}

struct pmfile *pmfile_fd_shared(int fd) {
  struct pmfile *f = pmfile_fd_file(fd);
  if (f || !plain_files)
    return f;
  f = memory_behind(fd);
  f = f ? f : into_memory(fd);
  if (f && !find(fd))
    attach(fd, f); /* memfd_create tells nobody how high it is */
  return f;
}

void pmfile_fd_opened(int fd, int flags) {
  struct pmfile *f = find(fd) ? NULL : memory_behind(fd);
  if (!f)
    return;
  if (flags & O_TRUNC)
    pmfile_resize(f, 0);
  attach(fd, f);
}

/* ---- mmap ---- */

/* The program wants the file at another address than it is. */
static void is_elsewhere(struct pmfile *p, const struct mapping_request *r, bool fixed) {
  uintptr_t wanted = (uintptr_t)r->address - (uintptr_t)r->offset;
  if ((uintptr_t)r->address % 4096 == 0 && wanted <= (uintptr_t)r->address)
    places_ask(pmfile_path(p), wanted);
  if (fixed)
    stop_with(STOP_REFUSED, NULL, "mmap of '%s' at the fixed address 0x%lx is not supported: %s",
              pmfile_path(p), (unsigned long)(uintptr_t)r->address, PLACES_WHERE);
  if (heap_contains(r->address))
    return; /* where it had made room before: no more than a suggestion */
  struct str text = {0};
  str_format(&text, "mmap of '%s' at 0x%lx gave another address: %s", pmfile_path(p),
             (unsigned long)(uintptr_t)r->address, PLACES_WHERE);
  if (stop_remark)
    stop_remark(str_text(&text));
  str_free(&text);
}

/* A private mapping: volatile memory with what the file holds now.  (It may or may not show what others
 * store into the file later: that is not specified.) */
static void map_copy(struct pmfile *p, const struct mapping_request *r, bool fixed, void **result) {
  if (fixed)
    stop_refuse("a private mapping of persistent memory at a fixed address");
  void *to = heap_alloc_pages(r->bytes);
  if (to && pmfile_copy(p, (size_t)r->offset, to, r->bytes))
    *result = to;
  else
    errno = ENOMEM;
}

static bool may_map(int opened, int protection, bool private) {
  int mode = opened & O_ACCMODE;
  return mode == O_RDWR || (mode == O_RDONLY && (private || !(protection & PROT_WRITE)));
}

static bool is_mapped(const struct pmfile *f) {
  struct region *r = space_find(pmfile_path(f));
  return r && mapped_any(r);
}

/* All mappings of a file are in one place: only the first one can forbid anything. */
static void set_rights(uintptr_t at, const struct mapping_request *r, bool first) {
  size_t bytes = (r->bytes + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
  if (r->protection & PROT_WRITE)
    protection_clear(at, bytes);
  else if (first)
    protection_set(at, bytes, r->protection & (PROT_READ | PROT_EXEC), false);
}

static bool map(struct mapping_request *r, void **result) {
  bool private = (r->flags & MAP_TYPE) == MAP_PRIVATE;
  struct pmfile *p = r->flags & MAP_ANONYMOUS ? NULL
                     : private                ? pmfile_fd_file(r->fd)
                                              : pmfile_fd_shared(r->fd);
  if (!p)
    return false;
  *result = MAP_FAILED;
  bool fixed = r->flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
  if (!r->bytes || r->offset < 0 || r->offset % 4096 || (fixed && (uintptr_t)r->address % 4096)) {
    errno = EINVAL;
    return true;
  }
  if (!may_map(find(r->fd)->flags, r->protection, private)) {
    errno = EACCES;
    return true;
  }
  if (private) {
    map_copy(p, r, fixed, result);
    return true;
  }
  bool first = !plain_files && !is_mapped(p);
  uintptr_t at = pmfile_map(p, (size_t)r->offset, r->bytes);
  if (!at) {
    errno = ENOMEM;
    return true;
  }
  if (!plain_files)
    set_rights(at, r, first);
  *result = (void *)at;
  if ((r->address || fixed) && *result != r->address)
    is_elsewhere(p, r, fixed);
  return true;
}

/* The region that the address lies in; NULL: in none, and the call is not about a file. */
static struct region *region_at(uintptr_t at) {
  return window_has(at) ? space_region_at(at) : NULL;
}

/* The memory of a file stays until the execution ends: another mapping may be left. */
static bool unmap_plain(uintptr_t at, size_t bytes, int *result) {
  *result = bytes && at % LAYOUT_PAGE == 0 ? 0 : -1;
  if (*result)
    errno = EINVAL;
  return true;
}

static bool unmap(void *address, size_t bytes, int *result) {
  uintptr_t at = (uintptr_t)address;
  struct region *r = region_at(at);
  if (plain_file_has(at))
    return unmap_plain(at, bytes, result);
  if (!r)
    return false;
  *result = bytes && at % LAYOUT_PAGE == 0 ? 0 : -1;
  if (*result) {
    errno = EINVAL;
    return true;
  }
  mapped_remove(r, at, bytes);
  if (!mapped_any(r))
    protection_clear(r->base, r->bytes);
  else if (!mapped_covers(r, at, bytes))
    protection_clear(at, (bytes + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1));
  return true;
}

/* A file is where it is, with room behind it: it never moves. */
static bool remap(void *address, size_t old, size_t bytes, void **result) {
  uintptr_t at = (uintptr_t)address;
  struct region *r = region_at(at);
  if (!r && !plain_file_has(at))
    return false;
  *result = MAP_FAILED;
  if (!r) {
    if (bytes && plain_file_has(at + bytes - 1))
      *result = address;
    else
      errno = ENOMEM;
    return true;
  }
  if (!bytes || !old || at % LAYOUT_PAGE) {
    errno = EINVAL;
  } else if (!mapped_covers(r, at, old)) {
    errno = EFAULT;
  } else if (!space_grow(r, at - r->base + bytes)) {
    errno = ENOMEM;
  } else {
    size_t end = mapped_end(r);
    mapped_add(r, at, bytes, MAPPED_BY_PROGRAM);
    mapped_remove(r, at, old);
    if (end != SIZE_MAX)
      mapped_set_end(r, end);
    *result = address;
  }
  return true;
}

static bool protect(void *address, size_t bytes, int protection, int *result) {
  uintptr_t at = (uintptr_t)address;
  struct region *r = region_at(at);
  if (!r)
    return false;
  size_t whole = (bytes + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
  size_t region = (r->bytes + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
  bool inside = whole >= bytes && whole <= region && at - r->base <= region - whole;
  if (at % LAYOUT_PAGE || !inside || !mapped_covers(r, at, whole)) {
    errno = at % LAYOUT_PAGE ? EINVAL : ENOMEM;
    *result = -1;
    return true;
  }
  if (whole && !protection_set(at, whole, protection & (PROT_READ | PROT_WRITE | PROT_EXEC),
                               protection & PROT_WRITE))
    stop_refuse("mprotect of that many parts of persistent memory");
  *result = 0;
  return true;
}

/* msync writes whole pages back and waits, if it is told to: MS_ASYNC says nothing about when. */
static bool synchronise(void *address, size_t bytes, int flags, int *result) {
  uintptr_t at = (uintptr_t)address;
  struct region *r = region_at(at);
  if (!r)
    return false;
  size_t whole = (bytes + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
  *result = -1;
  if (at % LAYOUT_PAGE || flags & ~(MS_SYNC | MS_ASYNC | MS_INVALIDATE) ||
      (flags & MS_SYNC && flags & MS_ASYNC)) {
    errno = EINVAL;
  } else if (r->must_be_mapped && !mapped_covers(r, at, whole)) {
    errno = ENOMEM;
  } else {
    *result = 0;
    if (flags & MS_SYNC && whole) {
      access_flush_range(ABI_CLWB, at, whole, NULL);
      access_fence(ABI_SFENCE, NULL);
    }
  }
  return true;
}

static bool stands_in(int fd) {
  return find(fd) != NULL || net_at(fd) != NULL;
}

void pmfile_fd_init(void) {
  files_stands_in = stands_in;
  world_include(&files, sizeof files);
  world_include(&in_memory, sizeof in_memory);
  filled = plain_files ? world_alloc(PMNAMES_MAX * sizeof *filled) : NULL;
  mapping_filter = map;
  unmapping_filter = unmap;
  protecting_filter = protect;
  remapping_filter = remap;
  mapping_sync_filter = synchronise;
}
