/* File operations of the program, for files in persistent memory; all others go to libc. */
#include "access/access.h"
#include "base/mem.h"
#include "event/window.h"
#include "libc/pmfile_fd.h"
#include "process/caller.h"
#include "process/scratch.h"
#include "process/stop.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_MODE (S_IFREG | 0600)
#define FILE_DEVICE 0x103    /* a block device's number, as good as any */
#define FILE_TIME 1700000000 /* when the clock of every execution starts */
#define MAP_PAGE 4096

static struct pmfile *file_of(int fd) {
  return fiber_current() ? pmfile_fd_file(fd) : NULL;
}

static struct pmfile *file_at(const char *path) {
  return fiber_current() && path && pmfile_matches(path) ? pmfile_open(path) : NULL;
}

static int fail(int error) {
  errno = error;
  return -1;
}

/* ---- size ---- */

static int resize(struct pmfile *f, size_t bytes) {
  return pmfile_create(f, bytes) ? 0 : fail(ENOSPC);
}

static int grow(struct pmfile *f, off_t offset, off_t bytes) {
  if (offset < 0 || bytes <= 0)
    return fail(EINVAL);
  size_t end = (size_t)offset + (size_t)bytes;
  return end <= pmfile_bytes(f) ? 0 : resize(f, end);
}

INTERPOSE int ftruncate(int fd, off_t bytes) {
  struct pmfile *f = file_of(fd);
  if (!f)
    return REAL(ftruncate)(fd, bytes);
  return bytes < 0 ? fail(EINVAL) : resize(f, (size_t)bytes);
}

INTERPOSE int ftruncate64(int fd, off_t bytes) {
  return ftruncate(fd, bytes);
}

INTERPOSE int truncate(const char *path, off_t bytes) {
  struct pmfile *f = file_at(path);
  if (!f)
    return REAL(truncate)(path, bytes);
  return !pmfile_exists(f) ? fail(ENOENT) : bytes < 0 ? fail(EINVAL) : resize(f, (size_t)bytes);
}

INTERPOSE int truncate64(const char *path, off_t bytes) {
  return truncate(path, bytes);
}

INTERPOSE int posix_fallocate(int fd, off_t offset, off_t bytes) {
  struct pmfile *f = file_of(fd);
  if (!f)
    return REAL(posix_fallocate)(fd, offset, bytes);
  return grow(f, offset, bytes) ? errno : 0;
}

INTERPOSE int posix_fallocate64(int fd, off_t offset, off_t bytes) {
  return posix_fallocate(fd, offset, bytes);
}

INTERPOSE int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  struct pmfile *f = file_of(fd);
  if (!f)
    return REAL(fallocate)(fd, mode, offset, bytes);
  return mode ? fail(EOPNOTSUPP) : grow(f, offset, bytes);
}

/* ---- existence ---- */

static int describe(struct pmfile *f, struct stat *st) {
  if (!pmfile_exists(f))
    return fail(ENOENT);
  memset(st, 0, sizeof *st);
  st->st_dev = FILE_DEVICE;
  st->st_ino = (ino_t)pmfile_number(f) + 2;
  st->st_atime = st->st_mtime = st->st_ctime = FILE_TIME;
  st->st_mode = FILE_MODE;
  st->st_nlink = 1;
  st->st_size = (off_t)pmfile_bytes(f);
  st->st_blksize = MAP_PAGE;
  st->st_blocks = (st->st_size + 511) / 512;
  return 0;
}

INTERPOSE int stat(const char *path, struct stat *st) {
  struct pmfile *f = file_at(path);
  return f ? describe(f, st) : REAL(stat)(path, st);
}

INTERPOSE int lstat(const char *path, struct stat *st) {
  struct pmfile *f = file_at(path);
  return f ? describe(f, st) : REAL(lstat)(path, st);
}

INTERPOSE int fstat(int fd, struct stat *st) {
  struct pmfile *f = file_of(fd);
  return f ? describe(f, st) : REAL(fstat)(fd, st);
}

INTERPOSE int stat64(const char *path, struct stat64 *st) {
  return stat(path, (struct stat *)st);
}

INTERPOSE int lstat64(const char *path, struct stat64 *st) {
  return lstat(path, (struct stat *)st);
}

INTERPOSE int fstat64(int fd, struct stat64 *st) {
  return fstat(fd, (struct stat *)st);
}

INTERPOSE int fstatat(int directory, const char *path, struct stat *st, int flags) {
  struct pmfile *f = flags & AT_EMPTY_PATH && !*path ? file_of(directory) : file_at(path);
  return f ? describe(f, st) : REAL(fstatat)(directory, path, st, flags);
}

INTERPOSE int fstatat64(int directory, const char *path, struct stat64 *st, int flags) {
  return fstatat(directory, path, (struct stat *)st, flags);
}

INTERPOSE int statx(int directory, const char *path, int flags, unsigned mask, struct statx *sx) {
  struct pmfile *f = flags & AT_EMPTY_PATH && !*path ? file_of(directory) : file_at(path);
  struct stat st;
  if (!f)
    return REAL(statx)(directory, path, flags, mask, sx);
  if (describe(f, &st))
    return -1;
  memset(sx, 0, sizeof *sx);
  sx->stx_mask = STATX_BASIC_STATS;
  sx->stx_mode = (uint16_t)st.st_mode;
  sx->stx_nlink = 1;
  sx->stx_ino = st.st_ino;
  sx->stx_size = (uint64_t)st.st_size;
  sx->stx_blocks = (uint64_t)st.st_blocks;
  sx->stx_blksize = MAP_PAGE;
  sx->stx_dev_major = FILE_DEVICE >> 8;
  sx->stx_dev_minor = FILE_DEVICE & 0xff;
  sx->stx_atime.tv_sec = sx->stx_mtime.tv_sec = sx->stx_ctime.tv_sec = FILE_TIME;
  return 0;
}

INTERPOSE int faccessat(int directory, const char *path, int mode, int flags) {
  struct pmfile *f = file_at(path);
  if (!f)
    return REAL(faccessat)(directory, path, mode, flags);
  return pmfile_exists(f) ? 0 : fail(ENOENT);
}

INTERPOSE int access(const char *path, int mode) {
  struct pmfile *f = file_at(path);
  if (!f)
    return REAL(access)(path, mode);
  return pmfile_exists(f) ? 0 : fail(ENOENT);
}

/* Owners and permissions are not kept. */
INTERPOSE int chmod(const char *path, mode_t mode) {
  struct pmfile *f = file_at(path);
  return !f ? REAL(chmod)(path, mode) : pmfile_exists(f) ? 0 : fail(ENOENT);
}

INTERPOSE int fchmod(int fd, mode_t mode) {
  return file_of(fd) ? 0 : REAL(fchmod)(fd, mode);
}

INTERPOSE int chown(const char *path, uid_t owner, gid_t group) {
  struct pmfile *f = file_at(path);
  return !f ? REAL(chown)(path, owner, group) : pmfile_exists(f) ? 0 : fail(ENOENT);
}

INTERPOSE int fchown(int fd, uid_t owner, gid_t group) {
  return file_of(fd) ? 0 : REAL(fchown)(fd, owner, group);
}

INTERPOSE int unlink(const char *path) {
  struct pmfile *f = file_at(path);
  if (!f)
    return REAL(unlink)(path);
  if (!pmfile_exists(f))
    return fail(ENOENT);
  pmfile_remove(f);
  return 0;
}

INTERPOSE int remove(const char *path) {
  return file_at(path) ? unlink(path) : REAL(remove)(path);
}

INTERPOSE int rename(const char *from, const char *to) {
  if (file_at(from) || file_at(to))
    stop_refuse("rename of a file in persistent memory");
  return REAL(rename)(from, to);
}

/* ---- reading and writing through a descriptor ---- */

static ssize_t read_at(struct pmfile *f, void *to, size_t n, off_t offset) {
  size_t bytes = pmfile_bytes(f);
  if (offset < 0)
    return fail(EINVAL);
  if ((size_t)offset >= bytes)
    return 0;
  n = n < bytes - (size_t)offset ? n : bytes - (size_t)offset;
  uintptr_t from = pmfile_map(f, bytes) + (uintptr_t)offset;
  if (window_has((uintptr_t)to))
    access_copy((uintptr_t)to, from, n, ACCESS_PLAIN, NULL);
  else
    access_read(to, from, n, NULL);
  pmfile_unmap(f);
  return (ssize_t)n;
}

/* The kernel writes with non-temporal stores and waits for them. */
static ssize_t write_at(struct pmfile *f, const void *from, size_t n, off_t offset) {
  if (n == 0)
    return 0;
  if (grow(f, offset, (off_t)n))
    return -1;
  uintptr_t to = pmfile_map(f, pmfile_bytes(f)) + (uintptr_t)offset;
  int flags = ACCESS_NON_TEMPORAL | ACCESS_ATOMIC;
  if (window_has((uintptr_t)from))
    access_copy(to, (uintptr_t)from, n, flags, NULL);
  else
    access_write(to, from, n, flags, NULL);
  access_fence(ABI_SFENCE, NULL);
  pmfile_unmap(f);
  return (ssize_t)n;
}

/* Ordinary descriptors, but the buffer may be watched memory, which the kernel cannot reach.  One
 * system call for each, as it was asked for; what is too much for that is short. */
static size_t at_once(size_t n) {
  return n < SCRATCH_BYTES_MAX ? n : SCRATCH_BYTES_MAX;
}

static ssize_t read_into_region(int fd, void *to, size_t n, off_t offset) {
  void *copy = scratch_take(n = at_once(n));
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
  struct pmfile *f = file_of(fd);
  if (f) {
    ssize_t got = read_at(f, to, n, *pmfile_fd_position(fd));
    *pmfile_fd_position(fd) += got > 0 ? got : 0;
    return got;
  }
  return CALLED_BY_PROGRAM() && window_has((uintptr_t)to) ? read_into_region(fd, to, n, -1)
                                                          : REAL(read)(fd, to, n);
}

INTERPOSE ssize_t write(int fd, const void *from, size_t n) {
  struct pmfile *f = file_of(fd);
  if (f) {
    if (pmfile_fd_appends(fd))
      *pmfile_fd_position(fd) = (off_t)pmfile_bytes(f);
    ssize_t done = write_at(f, from, n, *pmfile_fd_position(fd));
    *pmfile_fd_position(fd) += done > 0 ? done : 0;
    return done;
  }
  return CALLED_BY_PROGRAM() && window_has((uintptr_t)from) ? write_from_region(fd, from, n, -1)
                                                            : REAL(write)(fd, from, n);
}

INTERPOSE ssize_t pread(int fd, void *to, size_t n, off_t offset) {
  struct pmfile *f = file_of(fd);
  if (f)
    return read_at(f, to, n, offset);
  return CALLED_BY_PROGRAM() && window_has((uintptr_t)to) ? read_into_region(fd, to, n, offset)
                                                          : REAL(pread)(fd, to, n, offset);
}

INTERPOSE ssize_t pwrite(int fd, const void *from, size_t n, off_t offset) {
  struct pmfile *f = file_of(fd);
  if (f)
    return write_at(f, from, n, offset);
  return CALLED_BY_PROGRAM() && window_has((uintptr_t)from) ? write_from_region(fd, from, n, offset)
                                                            : REAL(pwrite)(fd, from, n, offset);
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

INTERPOSE ssize_t readv(int fd, const struct iovec *parts, int count) {
  if (!file_of(fd))
    return REAL(readv)(fd, parts, count);
  VECTOR(read)
}

INTERPOSE ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!file_of(fd))
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

INTERPOSE off_t lseek(int fd, off_t offset, int whence) {
  struct pmfile *f = file_of(fd);
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

INTERPOSE off_t lseek64(int fd, off_t offset, int whence) {
  return lseek(fd, offset, whence);
}

static int synchronise(struct pmfile *f) {
  size_t bytes = pmfile_bytes(f);
  if (bytes) {
    access_flush_range(ABI_CLWB, pmfile_map(f, bytes), bytes, NULL);
    access_fence(ABI_SFENCE, NULL);
    pmfile_unmap(f);
  }
  return 0;
}

INTERPOSE int fsync(int fd) {
  struct pmfile *f = file_of(fd);
  return f ? synchronise(f) : REAL(fsync)(fd);
}

INTERPOSE int fdatasync(int fd) {
  struct pmfile *f = file_of(fd);
  return f ? synchronise(f) : REAL(fdatasync)(fd);
}

/* ---- shared-memory objects: files of their own name space ---- */

static struct pmfile *object(const char *kind, const char *name) {
  char path[256];
  size_t n = strlen(kind), length = strlen(name);
  if (n + length >= sizeof path) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  memcpy(path, kind, n);
  memcpy(path + n, name, length + 1);
  return pmfile_open_object(path);
}

INTERPOSE int shm_open(const char *name, int flags, mode_t mode) {
  if (!CALLED_BY_PROGRAM())
    return REAL(shm_open)(name, flags, mode);
  struct pmfile *f = object("shm:", name);
  return f ? pmfile_fd_open_file(f, flags) : -1;
}

INTERPOSE int shm_unlink(const char *name) {
  if (!CALLED_BY_PROGRAM())
    return REAL(shm_unlink)(name);
  struct pmfile *f = object("shm:", name);
  if (!f || !pmfile_exists(f))
    return fail(ENOENT);
  pmfile_remove(f);
  return 0;
}

/* System V: the identifier is the file's number. */
INTERPOSE int shmget(key_t key, size_t bytes, int flags) {
  char name[32];
  unsigned k = (unsigned)key;
  int n = 0;
  do
    name[n++] = (char)('a' + k % 16);
  while ((k /= 16) > 0);
  name[n] = 0;
  if (key == IPC_PRIVATE)
    stop_refuse("shmget with IPC_PRIVATE");
  struct pmfile *f = object("sysv:", name);
  if (!f)
    return -1;
  bool exists = pmfile_exists(f);
  if (!exists && !(flags & IPC_CREAT))
    return fail(ENOENT);
  if (exists && flags & IPC_CREAT && flags & IPC_EXCL)
    return fail(EEXIST);
  if (!exists && !pmfile_create(f, bytes))
    return fail(ENOMEM);
  return pmfile_number(f);
}

INTERPOSE void *shmat(int id, const void *address, int flags) {
  (void)flags;
  struct pmfile *f = pmfile_by_number(id);
  if (!f || address) {
    errno = EINVAL;
    return (void *)-1;
  }
  uintptr_t p = pmfile_map(f, pmfile_bytes(f));
  return p ? (void *)p : (void *)-1;
}

INTERPOSE int shmdt(const void *address) {
  struct region *r = space_region_at((uintptr_t)address);
  if (!r || !space_unmap(r))
    return fail(EINVAL);
  return 0;
}

INTERPOSE int shmctl(int id, int command, struct shmid_ds *buffer) {
  struct pmfile *f = pmfile_by_number(id);
  if (!f)
    return fail(EINVAL);
  if (command == IPC_RMID)
    pmfile_remove(f);
  else if (command == IPC_STAT)
    *buffer = (struct shmid_ds){.shm_segsz = pmfile_bytes(f)};
  else
    stop_refuse("shmctl other than IPC_RMID and IPC_STAT");
  return 0;
}
