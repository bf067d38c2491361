/* What the program does with the contents of open files in persistent memory, and with what stands for a
 * pipe or a socket; all others go to libc. */
#include "access/access.h"
#include "access/mapped.h"
#include "access/ordinary.h"
#include "base/mem.h"
#include "event/window.h"
#include "libc/channel_calls.h"
#include "libc/kept.h"
#include "libc/net.h"
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include "process/caller.h"
#include "process/scratch.h"
#include "process/stop.h"
#include "thread/channel.h"
#include "thread/entered.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static struct pmfile *file_of(int fd) {
  return fiber_current() ? pmfile_fd_file(fd) : NULL;
}

static struct net_object *net_of(int fd) {
  return fiber_current() ? net_at(fd) : NULL;
}

static int fail(int error) {
  errno = error;
  return -1;
}

/* ---- size ---- */

static int resize(struct pmfile *f, size_t bytes) {
  return pmfile_resize(f, bytes) ? 0 : fail(ENOSPC);
}

static int grow(struct pmfile *f, off_t offset, off_t bytes) {
  if (offset < 0 || bytes <= 0)
    return fail(EINVAL);
  size_t end = (size_t)offset + (size_t)bytes;
  bool alone = pmfile_alone_begin(f);
  int result = end <= pmfile_bytes(f) ? 0 : resize(f, end);
  access_alone_end(alone);
  return result;
}

INTERPOSE int ftruncate(int fd, off_t bytes) {
  struct pmfile *f = file_of(fd);
  if (!f)
    return REAL(ftruncate)(fd, bytes);
  return bytes < 0 || !pmfile_fd_allows(fd, true) ? fail(EINVAL) : resize(f, (size_t)bytes);
}

INTERPOSE int ftruncate64(int fd, off_t bytes) {
  return ftruncate(fd, bytes);
}

INTERPOSE int posix_fallocate(int fd, off_t offset, off_t bytes) {
  struct pmfile *f = file_of(fd);
  if (!f)
    return REAL(posix_fallocate)(fd, offset, bytes);
  if (!pmfile_fd_allows(fd, true))
    return EBADF;
  return grow(f, offset, bytes) ? errno : 0;
}

INTERPOSE int posix_fallocate64(int fd, off_t offset, off_t bytes) {
  return posix_fallocate(fd, offset, bytes);
}

INTERPOSE int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  struct pmfile *f = file_of(fd);
  if (!f)
    return REAL(fallocate)(fd, mode, offset, bytes);
  if (!pmfile_fd_allows(fd, true))
    return fail(EBADF);
  return mode ? fail(EOPNOTSUPP) : grow(f, offset, bytes);
}

/* ---- reading and writing through a descriptor ---- */

/* Ordinary memory of a program with threads is watched, too. */
static bool is_watched(const void *buffer) {
  return window_has((uintptr_t)buffer) || ordinary_concerns();
}

/* Nothing fails: between the file's memory and the program's. */
#define AT_ONCE 512
static void copy_from_plain(char *to, uintptr_t from, size_t bytes) {
  char part[AT_ONCE];
  for (size_t n; bytes; to += n, from += n, bytes -= n) {
    n = bytes < AT_ONCE ? bytes : AT_ONCE;
    plain_file_read(part, from, n);
    if (is_watched(to))
      access_write((uintptr_t)to, part, n, ACCESS_PLAIN, NULL);
    else
      memcpy(to, part, n);
  }
}

static void copy_to_plain(uintptr_t to, const char *from, size_t bytes) {
  char part[AT_ONCE];
  for (size_t n; bytes; to += n, from += n, bytes -= n) {
    n = bytes < AT_ONCE ? bytes : AT_ONCE;
    if (is_watched(from))
      access_read(part, (uintptr_t)from, n, NULL);
    else
      memcpy(part, from, n);
    plain_file_write(to, part, n);
  }
}

static ssize_t read_at(struct pmfile *f, void *to, size_t n, off_t offset) {
  size_t bytes = pmfile_bytes(f);
  if (offset < 0)
    return fail(EINVAL);
  if ((size_t)offset >= bytes)
    return 0;
  n = n < bytes - (size_t)offset ? n : bytes - (size_t)offset;
  uintptr_t from = pmfile_enter(f, bytes) + (uintptr_t)offset;
  if (plain_files)
    copy_from_plain(to, from, n);
  else if (window_has((uintptr_t)to))
    access_copy((uintptr_t)to, from, n, ACCESS_PLAIN, NULL);
  else
    access_read(to, from, n, NULL);
  pmfile_leave(f, bytes);
  return (ssize_t)n;
}

/* The kernel writes with non-temporal stores and waits for them. */
static ssize_t write_at(struct pmfile *f, const void *from, size_t n, off_t offset) {
  if (n == 0)
    return 0;
  if (grow(f, offset, (off_t)n))
    return -1;
  size_t bytes = pmfile_bytes(f); /* somebody may have made it smaller again */
  bytes = bytes < (size_t)offset + n ? (size_t)offset + n : bytes;
  uintptr_t to = pmfile_enter(f, bytes) + (uintptr_t)offset;
  int flags = ACCESS_NON_TEMPORAL | ACCESS_ATOMIC;
  if (plain_files) {
    copy_to_plain(to, from, n);
    return (ssize_t)n;
  }
  if (window_has((uintptr_t)from))
    access_copy(to, (uintptr_t)from, n, flags, NULL);
  else
    access_write(to, from, n, flags, NULL);
  access_fence(ABI_SFENCE, NULL);
  pmfile_leave(f, bytes);
  return (ssize_t)n;
}

/* Ordinary descriptors, but the buffer may be watched memory, which the kernel cannot reach.  One
 * system call for each, as it was asked for; what is too much for that is short. */
static size_t at_once(size_t n) {
  return n < SCRATCH_BYTES_MAX ? n : SCRATCH_BYTES_MAX;
}

static ssize_t read_into_region(int fd, void *to, size_t n, off_t offset) {
  void *copy = scratch_take(n = at_once(n));
  if (offset < 0 && ordinary_concerns())
    kept_reads(fd);
  ssize_t got = offset < 0 ? REAL(read)(fd, copy, n) : REAL(pread)(fd, copy, n, offset);
  if (got > 0)
    access_write((uintptr_t)to, copy, (size_t)got, ACCESS_PLAIN, NULL);
  scratch_give_back(copy, n);
  return got;
}

static ssize_t write_from_region(int fd, const void *from, size_t n, off_t offset) {
  void *copy = scratch_take(n = at_once(n));
  access_read(copy, (uintptr_t)from, n, NULL);
  ssize_t done = offset < 0 ? REAL(write)(fd, copy, n) : REAL(pwrite)(fd, copy, n, offset);
  scratch_give_back(copy, n);
  return done;
}

INTERPOSE ssize_t read(int fd, void *to, size_t n) {
  ENTERED();
  if (CALLED_BY_PROGRAM() && channel_of(fd))
    return channel_io(fd, &(struct iovec){to, n}, 1, CHANNEL_READ);
  struct pmfile *f = file_of(fd);
  if (f && !pmfile_fd_allows(fd, false))
    return fail(EBADF);
  if (f) {
    ssize_t got = read_at(f, to, n, *pmfile_fd_position(fd));
    *pmfile_fd_position(fd) += got > 0 ? got : 0;
    return got;
  }
  if (net_of(fd))
    return net_read(net_of(fd), to, n, true, false);
  return CALLED_BY_PROGRAM() && is_watched(to) ? read_into_region(fd, to, n, -1)
                                               : REAL(read)(fd, to, n);
}

INTERPOSE ssize_t write(int fd, const void *from, size_t n) {
  if (CALLED_BY_PROGRAM() && channel_of(fd))
    return channel_io(fd, &(struct iovec){(void *)from, n}, 1, CHANNEL_WRITE);
  struct pmfile *f = file_of(fd);
  if (f && !pmfile_fd_allows(fd, true))
    return fail(EBADF);
  if (f) {
    if (pmfile_fd_appends(fd))
      *pmfile_fd_position(fd) = (off_t)pmfile_bytes(f);
    ssize_t done = write_at(f, from, n, *pmfile_fd_position(fd));
    *pmfile_fd_position(fd) += done > 0 ? done : 0;
    return done;
  }
  if (net_of(fd))
    return net_write(net_of(fd), from, n, true);
  return CALLED_BY_PROGRAM() && is_watched(from) ? write_from_region(fd, from, n, -1)
                                                 : REAL(write)(fd, from, n);
}

/* What a compiler makes of them that checks the size of buffers. */
INTERPOSE ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room) {
  (void)room;
  return read(fd, to, n);
}

INTERPOSE ssize_t pread(int fd, void *to, size_t n, off_t offset) {
  struct pmfile *f = file_of(fd);
  if (f)
    return pmfile_fd_allows(fd, false) ? read_at(f, to, n, offset) : fail(EBADF);
  return CALLED_BY_PROGRAM() && is_watched(to) ? read_into_region(fd, to, n, offset)
                                               : REAL(pread)(fd, to, n, offset);
}

INTERPOSE ssize_t pwrite(int fd, const void *from, size_t n, off_t offset) {
  struct pmfile *f = file_of(fd);
  if (f)
    return pmfile_fd_allows(fd, true) ? write_at(f, from, n, offset) : fail(EBADF);
  return CALLED_BY_PROGRAM() && is_watched(from) ? write_from_region(fd, from, n, offset)
                                                 : REAL(pwrite)(fd, from, n, offset);
}

INTERPOSE ssize_t __pread_chk(int fd, void *to, size_t n, off_t offset, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t offset, size_t room) {
  (void)room;
  return pread(fd, to, n, offset);
}

INTERPOSE ssize_t __pread64_chk(int fd, void *to, size_t n, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off_t offset, size_t room) {
  (void)room;
  return pread(fd, to, n, offset);
}

INTERPOSE ssize_t pread64(int fd, void *to, size_t n, off_t offset) {
  return pread(fd, to, n, offset);
}

INTERPOSE ssize_t pwrite64(int fd, const void *from, size_t n, off_t offset) {
  return pwrite(fd, from, n, offset);
}

/* Vectors are one call after the other; a short one ends it. */
#define VECTOR(call, ...) \
  ssize_t done = 0; \
  for (int i = 0; i < count; i++) { \
    ssize_t n = call(fd, parts[i].iov_base, parts[i].iov_len __VA_ARGS__); \
    if (n < 0) \
      return done ? done : n; \
    done += n; \
    if ((size_t)n < parts[i].iov_len) \
      break; \
  } \
  return done;

/* Whoever has got something does not wait for more. */
static ssize_t read_parts(struct net_object *o, const struct iovec *parts, int count) {
  ssize_t done = 0;
  for (int i = 0; i < count; i++) {
    ssize_t n = net_read(o, parts[i].iov_base, parts[i].iov_len, !done, false);
    if (n < 0)
      return done ? done : n;
    done += n;
    if ((size_t)n < parts[i].iov_len)
      break;
  }
  return done;
}

INTERPOSE ssize_t readv(int fd, const struct iovec *parts, int count) {
  ENTERED();
  if (net_of(fd))
    return read_parts(net_of(fd), parts, count);
  if (CALLED_BY_PROGRAM() && channel_of(fd))
    return channel_io(fd, parts, (size_t)count, CHANNEL_READ);
  if (!file_of(fd))
    return REAL(readv)(fd, parts, count);
  VECTOR(read)
}

INTERPOSE ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (CALLED_BY_PROGRAM() && channel_of(fd))
    return channel_io(fd, parts, (size_t)count, CHANNEL_WRITE);
  if (!file_of(fd) && !net_of(fd))
    return REAL(writev)(fd, parts, count);
  VECTOR(write)
}

INTERPOSE ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset) {
  if (!file_of(fd))
    return REAL(preadv)(fd, parts, count, offset);
  VECTOR(pread, , offset + done)
}

INTERPOSE ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  if (!file_of(fd))
    return REAL(pwritev)(fd, parts, count, offset);
  VECTOR(pwrite, , offset + done)
}

INTERPOSE ssize_t preadv64(int fd, const struct iovec *parts, int count, off_t offset) {
  return preadv(fd, parts, count, offset);
}

INTERPOSE ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev(fd, parts, count, offset);
}

static off_t move(int fd, off_t offset, int whence, bool by_program) {
  struct pmfile *f = file_of(fd);
  if (!f && by_program && ordinary_concerns())
    kept_reads(fd);
  if (!f)
    return REAL(lseek)(fd, offset, whence);
  off_t base = whence == SEEK_SET   ? 0
               : whence == SEEK_CUR ? *pmfile_fd_position(fd)
               : whence == SEEK_END ? (off_t)pmfile_bytes(f)
                                    : -1;
  if (base < 0 || base + offset < 0)
    return fail(EINVAL);
  return *pmfile_fd_position(fd) = base + offset;
}

INTERPOSE off_t lseek(int fd, off_t offset, int whence) {
  ENTERED();
  return move(fd, offset, whence, CALLED_BY_PROGRAM());
}

INTERPOSE off_t lseek64(int fd, off_t offset, int whence) {
  ENTERED();
  return move(fd, offset, whence, CALLED_BY_PROGRAM());
}

static int synchronise(struct pmfile *f) {
  size_t bytes = pmfile_bytes(f);
  if (bytes) {
    access_flush_range(ABI_CLWB, pmfile_enter(f, bytes), bytes, NULL);
    access_fence(ABI_SFENCE, NULL);
    pmfile_leave(f, bytes);
  }
  return 0;
}

static bool is_directory(int fd) {
  return fiber_current() && pmfile_fd_directory(fd);
}

INTERPOSE int fsync(int fd) {
  struct pmfile *f = file_of(fd);
  return f ? synchronise(f) : is_directory(fd) ? 0 : REAL(fsync)(fd);
}

INTERPOSE int fdatasync(int fd) {
  struct pmfile *f = file_of(fd);
  return f ? synchronise(f) : REAL(fdatasync)(fd);
}

/* All files that are mapped: what was written is durable already. */
static void synchronise_all(void) {
  for (int i = 0; pmfile_by_number(i); i++) {
    struct region *r = space_find(pmfile_path(pmfile_by_number(i)));
    if (r && mapped_any(r))
      synchronise(pmfile_by_number(i));
  }
}

INTERPOSE void sync(void) {
  if (fiber_current())
    synchronise_all();
  else
    REAL(sync)();
}

INTERPOSE int syncfs(int fd) {
  if (!file_of(fd) && !is_directory(fd))
    return REAL(syncfs)(fd);
  synchronise_all();
  return 0;
}

/* ---- shared-memory objects: files of their own name space ---- */

static struct pmname *object(const char *kind, const char *name) {
  char path[256];
  size_t n = strlen(kind), length = strlen(name);
  if (n + length >= sizeof path) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  memcpy(path, kind, n);
  memcpy(path + n, name, length + 1);
  return pmname_object(path);
}

INTERPOSE int shm_open(const char *name, int flags, mode_t mode) {
  if (!CALLED_BY_PROGRAM())
    return REAL(shm_open)(name, flags, mode);
  struct pmname *n = object("shm:", name);
  return n ? pmfile_fd_open_name(n, flags) : -1;
}

INTERPOSE int shm_unlink(const char *name) {
  if (!CALLED_BY_PROGRAM())
    return REAL(shm_unlink)(name);
  struct pmname *n = object("shm:", name);
  if (!n || pmname_kind(n) != PMNAME_FILE)
    return fail(ENOENT);
  pmname_remove(n);
  return 0;
}

/* System V: the identifier is the file's number.  A segment without a key has the first name that is not taken. */
static int private_segment(size_t bytes) {
  char name[] = "private000";
  for (int i = 0; i < 1000; i++) {
    for (int digit = (int)sizeof name - 2, rest = i; rest; digit--, rest /= 10)
      name[digit] = (char)('0' + rest % 10);
    struct pmname *n = object("sysv:", name);
    if (n && !pmname_kind(n))
      return pmname_create(n, bytes) ? pmname_number(n) : fail(ENOMEM);
  }
  return fail(ENOSPC);
}

static int segment(struct pmname *f, size_t bytes, int flags) {
  bool exists = pmname_kind(f) == PMNAME_FILE;
  if (!exists && !(flags & IPC_CREAT))
    return fail(ENOENT);
  if (exists && flags & IPC_CREAT && flags & IPC_EXCL)
    return fail(EEXIST);
  return exists || pmname_create(f, bytes) ? pmname_number(f) : fail(ENOMEM);
}

INTERPOSE int shmget(key_t key, size_t bytes, int flags) {
  char name[32];
  unsigned k = (unsigned)key;
  int n = 0;
  do
    name[n++] = (char)('a' + k % 16);
  while ((k /= 16) > 0);
  name[n] = 0;
  if (key == IPC_PRIVATE && !plain_files)
    stop_refuse("shmget with IPC_PRIVATE");
  if (key == IPC_PRIVATE)
    return private_segment(bytes);
  struct pmname *f = object("sysv:", name);
  if (!f)
    return -1;
  bool alone = flags & IPC_CREAT && pmname_alone_begin(f);
  int id = segment(f, bytes, flags);
  access_alone_end(alone);
  return id;
}

INTERPOSE void *shmat(int id, const void *address, int flags) {
  (void)flags;
  struct pmfile *f = pmfile_by_number(id);
  if (!f || address) {
    errno = EINVAL;
    return (void *)-1;
  }
  uintptr_t p = pmfile_map(f, 0, pmfile_bytes(f));
  return p ? (void *)p : (void *)-1;
}

INTERPOSE int shmdt(const void *address) {
  if (plain_file_has((uintptr_t)address))
    return 0;
  struct region *r = space_region_at((uintptr_t)address);
  if (!r || !mapped_remove_whole(r, (uintptr_t)address))
    return fail(EINVAL);
  return 0;
}

INTERPOSE int shmctl(int id, int command, struct shmid_ds *buffer) {
  struct pmfile *f = pmfile_by_number(id);
  if (!f)
    return fail(EINVAL);
  if (command == IPC_RMID)
    pmname_remove(pmname_by_number(id));
  else if (command == IPC_STAT)
    *buffer = (struct shmid_ds){.shm_segsz = pmfile_bytes(f)};
  else
    stop_refuse("shmctl other than IPC_RMID and IPC_STAT");
  return 0;
}
