/* What the program does with paths in persistent memory; all others go to libc. */
#include "base/mem.h"
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include "process/caller.h"
#include "process/fiber.h"
#include "process/heap.h"
#include "process/stop.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* layers: ok, RENAME_EXCHANGE */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DEVICE 0x103 /* a block device's number, as good as any */
#define BLOCK 4096
#define BLOCKS (1 << 24) /* of the file system */
#define NAME_BYTES_MAX 255
#define FILE_SYSTEM 0xef53 /* ext4 */

/* The name of a path that starts at an open directory; NULL: it is none of ours. */
static struct pmname *name_if(bool (*is_ours)(const char *path), int directory, const char *path) {
  char full[PATH_MAX];
  const char *named =
      fiber_current() && path && *path ? pmfile_fd_below(directory, path, full) : NULL;
  return named && is_ours(named) ? pmname_at(named) : NULL;
}

static struct pmname *name_below(int directory, const char *path) {
  return name_if(pmname_matches, directory, path);
}

static struct pmname *name_at(const char *path) {
  return name_below(AT_FDCWD, path);
}

/* The same for what changes something there. */
static struct pmname *change_below(int directory, const char *path) {
  return name_if(pmname_takes, directory, path);
}

static struct pmname *change_at(const char *path) {
  return change_below(AT_FDCWD, path);
}

static int fail(int error) {
  if (error)
    errno = error;
  return error ? -1 : 0;
}

/* ---- what is there ---- */

static int describe(enum pmname_kind kind, struct pmfile *f, int number, struct stat *st) {
  if (!kind)
    return fail(ENOENT);
  memset(st, 0, sizeof *st);
  st->st_dev = DEVICE;
  st->st_ino = (ino_t)number + 2;
  st->st_atime = st->st_mtime = st->st_ctime = PMFILE_TIME;
  st->st_mode = kind == PMNAME_FILE ? S_IFREG | 0600 : S_IFDIR | 0700;
  st->st_nlink = kind == PMNAME_FILE ? 1 : 2;
  st->st_size = kind == PMNAME_FILE ? (off_t)pmfile_bytes(f) : BLOCK;
  st->st_blksize = BLOCK;
  st->st_blocks = (st->st_size + 511) / 512;
  return 0;
}

static int describe_name(struct pmname *n, struct stat *st) {
  enum pmname_kind kind = pmname_kind(n);
  struct pmfile *f = kind == PMNAME_FILE ? pmname_file(n) : NULL;
  if (f && plain_files)
    return pmfile_fd_describe_file(f, st) ? 0 : fail(ENOENT);
  return describe(kind, f, f ? pmfile_number(f) : pmname_number(n), st);
}

/* False: it is none of ours. */
static bool describe_open(int fd, struct stat *st, int *result) {
  struct pmfile *f = fiber_current() ? pmfile_fd_file(fd) : NULL;
  struct pmname *directory = fiber_current() ? pmfile_fd_directory(fd) : NULL;
  if (plain_files && fiber_current() && !directory) {
    *result = 0;
    return pmfile_fd_describe(fd, st);
  }
  if (f)
    *result = describe(PMNAME_FILE, f, pmfile_number(f), st);
  else if (directory)
    *result = describe(PMNAME_DIRECTORY, NULL, pmname_number(directory), st);
  return f || directory;
}

/* What fstatat and statx are asked about. */
static bool describe_below(int directory, const char *path, struct stat *st, int flags,
                           int *result) {
  if (flags & AT_EMPTY_PATH && !(path && *path))
    return describe_open(directory, st, result);
  struct pmname *n = name_below(directory, path);
  if (n)
    *result = describe_name(n, st);
  return n;
}

INTERPOSE int stat(const char *path, struct stat *st) {
  struct pmname *n = name_at(path);
  return n ? describe_name(n, st) : REAL(stat)(path, st);
}

INTERPOSE int lstat(const char *path, struct stat *st) {
  struct pmname *n = name_at(path);
  return n ? describe_name(n, st) : REAL(lstat)(path, st);
}

INTERPOSE int fstat(int fd, struct stat *st) {
  int result;
  return describe_open(fd, st, &result) ? result : REAL(fstat)(fd, st);
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
  int result;
  return describe_below(directory, path, st, flags, &result)
             ? result
             : REAL(fstatat)(directory, path, st, flags);
}

INTERPOSE int fstatat64(int directory, const char *path, struct stat64 *st, int flags) {
  return fstatat(directory, path, (struct stat *)st, flags);
}

INTERPOSE int statx(int directory, const char *path, int flags, unsigned mask, struct statx *sx) {
  struct stat st;
  int result;
  if (!describe_below(directory, path, &st, flags, &result))
    return REAL(statx)(directory, path, flags, mask, sx);
  if (result)
    return -1;
  memset(sx, 0, sizeof *sx);
  sx->stx_mask = STATX_BASIC_STATS;
  sx->stx_mode = (uint16_t)st.st_mode;
  sx->stx_nlink = (uint32_t)st.st_nlink;
  sx->stx_ino = st.st_ino;
  sx->stx_size = (uint64_t)st.st_size;
  sx->stx_blocks = (uint64_t)st.st_blocks;
  sx->stx_blksize = BLOCK;
  sx->stx_dev_major = DEVICE >> 8;
  sx->stx_dev_minor = DEVICE & 0xff;
  sx->stx_atime.tv_sec = sx->stx_mtime.tv_sec = sx->stx_ctime.tv_sec = PMFILE_TIME;
  return 0;
}

static int must_be_there(struct pmname *n) {
  return fail(pmname_kind(n) ? 0 : ENOENT);
}

INTERPOSE int faccessat(int directory, const char *path, int mode, int flags) {
  struct pmname *n = name_below(directory, path);
  return n ? must_be_there(n) : REAL(faccessat)(directory, path, mode, flags);
}

INTERPOSE int access(const char *path, int mode) {
  struct pmname *n = name_at(path);
  return n ? must_be_there(n) : REAL(access)(path, mode);
}

INTERPOSE char *realpath(const char *path, char *out) {
  char key[PATH_MAX];
  struct pmname *n = name_at(path);
  if (!n)
    return REAL(realpath)(path, out);
  if (must_be_there(n) || !pmname_canonical(path, key))
    return NULL;
  out = out ? out : heap_alloc(PATH_MAX);
  return out ? memcpy(out, key, strlen(key) + 1) : NULL;
}

/* Owners and permissions are not kept. */
INTERPOSE int chmod(const char *path, mode_t mode) {
  struct pmname *n = name_at(path);
  return n ? must_be_there(n) : REAL(chmod)(path, mode);
}

INTERPOSE int chown(const char *path, uid_t owner, gid_t group) {
  struct pmname *n = name_at(path);
  return n ? must_be_there(n) : REAL(chown)(path, owner, group);
}

static bool is_open_here(int fd) {
  return fiber_current() && (pmfile_fd_file(fd) || pmfile_fd_directory(fd));
}

INTERPOSE int fchmod(int fd, mode_t mode) {
  return is_open_here(fd) ? 0 : REAL(fchmod)(fd, mode);
}

INTERPOSE int fchown(int fd, uid_t owner, gid_t group) {
  return is_open_here(fd) ? 0 : REAL(fchown)(fd, owner, group);
}

/* ---- the file system: half of it is free ---- */

static int describe_system(struct statvfs *s) {
  *s = (struct statvfs){.f_bsize = BLOCK,
                        .f_frsize = BLOCK,
                        .f_blocks = BLOCKS,
                        .f_bfree = BLOCKS / 2,
                        .f_bavail = BLOCKS / 2,
                        .f_files = PMNAMES_MAX,
                        .f_ffree = PMNAMES_MAX / 2,
                        .f_favail = PMNAMES_MAX / 2,
                        .f_namemax = NAME_BYTES_MAX};
  return 0;
}

static int describe_system_old(struct statfs *s) {
  *s = (struct statfs){.f_type = FILE_SYSTEM,
                       .f_bsize = BLOCK,
                       .f_frsize = BLOCK,
                       .f_blocks = BLOCKS,
                       .f_bfree = BLOCKS / 2,
                       .f_bavail = BLOCKS / 2,
                       .f_files = PMNAMES_MAX,
                       .f_ffree = PMNAMES_MAX / 2,
                       .f_namelen = NAME_BYTES_MAX};
  return 0;
}

INTERPOSE int statvfs(const char *path, struct statvfs *s) {
  return name_at(path) ? describe_system(s) : REAL(statvfs)(path, s);
}

INTERPOSE int fstatvfs(int fd, struct statvfs *s) {
  return is_open_here(fd) ? describe_system(s) : REAL(fstatvfs)(fd, s);
}

INTERPOSE int statfs(const char *path, struct statfs *s) {
  return name_at(path) ? describe_system_old(s) : REAL(statfs)(path, s);
}

INTERPOSE int fstatfs(int fd, struct statfs *s) {
  return is_open_here(fd) ? describe_system_old(s) : REAL(fstatfs)(fd, s);
}

INTERPOSE int statvfs64(const char *path, struct statvfs64 *s) {
  return statvfs(path, (struct statvfs *)s);
}

INTERPOSE int fstatvfs64(int fd, struct statvfs64 *s) {
  return fstatvfs(fd, (struct statvfs *)s);
}

INTERPOSE int statfs64(const char *path, struct statfs64 *s) {
  return statfs(path, (struct statfs *)s);
}

INTERPOSE int fstatfs64(int fd, struct statfs64 *s) {
  return fstatfs(fd, (struct statfs *)s);
}

/* ---- changes ---- */

INTERPOSE int truncate(const char *path, off_t bytes) {
  struct pmname *n = change_at(path);
  if (!n)
    return REAL(truncate)(path, bytes);
  enum pmname_kind kind = pmname_kind(n);
  if (kind != PMNAME_FILE || bytes < 0)
    return fail(kind == PMNAME_FILE ? EINVAL : kind ? EISDIR : ENOENT);
  return fail(pmname_create(n, (size_t)bytes) ? 0 : ENOSPC);
}

INTERPOSE int truncate64(const char *path, off_t bytes) {
  return truncate(path, bytes);
}

static int remove_name(struct pmname *n, enum pmname_kind wanted) {
  enum pmname_kind kind = pmname_kind(n);
  if (kind != wanted)
    return fail(!kind ? ENOENT : kind == PMNAME_FILE ? ENOTDIR : EISDIR);
  if (kind == PMNAME_DIRECTORY && !pmname_is_empty(n))
    return fail(ENOTEMPTY);
  pmname_remove(n);
  return 0;
}

INTERPOSE int unlink(const char *path) {
  struct pmname *n = change_at(path);
  return n ? remove_name(n, PMNAME_FILE) : REAL(unlink)(path);
}

INTERPOSE int rmdir(const char *path) {
  struct pmname *n = change_at(path);
  return n ? remove_name(n, PMNAME_DIRECTORY) : REAL(rmdir)(path);
}

INTERPOSE int unlinkat(int directory, const char *path, int flags) {
  struct pmname *n = change_below(directory, path);
  return n ? remove_name(n, flags & AT_REMOVEDIR ? PMNAME_DIRECTORY : PMNAME_FILE)
           : REAL(unlinkat)(directory, path, flags);
}

INTERPOSE int remove(const char *path) {
  struct pmname *n = change_at(path);
  if (!n)
    return REAL(remove)(path);
  return remove_name(n, pmname_kind(n) == PMNAME_DIRECTORY ? PMNAME_DIRECTORY : PMNAME_FILE);
}

static int make_directory(struct pmname *n) {
  if (pmname_kind(n))
    return fail(EEXIST);
  pmname_make_directory(n);
  return 0;
}

INTERPOSE int mkdir(const char *path, mode_t mode) {
  struct pmname *n = change_at(path);
  return n ? make_directory(n) : REAL(mkdir)(path, mode);
}

INTERPOSE int mkdirat(int directory, const char *path, mode_t mode) {
  struct pmname *n = change_below(directory, path);
  return n ? make_directory(n) : REAL(mkdirat)(directory, path, mode);
}

static int rename_name(struct pmname *from, struct pmname *to, unsigned flags) {
  if (!from || !to)
    return fail(EXDEV);
  if (flags & ~(unsigned)(RENAME_NOREPLACE | RENAME_EXCHANGE))
    return fail(EINVAL);
  if (pmname_kind(from) == PMNAME_DIRECTORY && !pmname_is_empty(from))
    stop_refuse("rename of a directory in persistent memory that is not empty");
  return fail(pmname_rename(from, to,
                            flags & RENAME_EXCHANGE    ? PMNAME_EXCHANGE
                            : flags & RENAME_NOREPLACE ? PMNAME_KEEP
                                                       : PMNAME_REPLACE));
}

INTERPOSE int rename(const char *from, const char *to) {
  struct pmname *f = change_at(from), *t = change_at(to);
  return f || t ? rename_name(f, t, 0) : REAL(rename)(from, to);
}

INTERPOSE int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  struct pmname *f = change_below(from_directory, from), *t = change_below(to_directory, to);
  return f || t ? rename_name(f, t, 0) : REAL(renameat)(from_directory, from, to_directory, to);
}

INTERPOSE int renameat2(int from_directory, const char *from, int to_directory, const char *to,
                        unsigned flags) {
  struct pmname *f = change_below(from_directory, from), *t = change_below(to_directory, to);
  return f || t ? rename_name(f, t, flags)
                : REAL(renameat2)(from_directory, from, to_directory, to, flags);
}

static int refuse_link(struct pmname *from, struct pmname *to) {
  if (from && to)
    stop_refuse("a second name (link) for a file in persistent memory");
  return fail(EXDEV);
}

INTERPOSE int link(const char *from, const char *to) {
  struct pmname *f = name_at(from), *t = name_at(to);
  return f || t ? refuse_link(f, t) : REAL(link)(from, to);
}

/* ---- files with a name of their own ---- */

#define TRIES 1000

/* The least number that is free, so that executions which do the same get the same. */
static int make_temporary(char *template, int suffix, int flags) {
  size_t length = strlen(template);
  char *at = length >= 6 + (size_t)suffix ? template + length - 6 - suffix : NULL;
  if (!at || memcmp(at, "XXXXXX", 6) != 0)
    return fail(EINVAL);
  for (int i = 0; i < TRIES; i++) {
    for (int digit = 5, rest = i; digit >= 0; digit--, rest /= 10)
      at[digit] = (char)('0' + rest % 10);
    int fd = pmfile_fd_open_name(pmname_at(template), flags | O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return fail(EEXIST);
}

INTERPOSE int mkostemps(char *template, int suffix, int flags) {
  bool ours = fiber_current() && pmname_takes(template);
  return ours ? make_temporary(template, suffix, flags) : REAL(mkostemps)(template, suffix, flags);
}

INTERPOSE int mkstemps(char *template, int suffix) {
  return mkostemps(template, suffix, 0);
}

INTERPOSE int mkostemp(char *template, int flags) {
  return mkostemps(template, 0, flags);
}

INTERPOSE int mkstemp(char *template) {
  return mkostemps(template, 0, 0);
}

INTERPOSE int mkstemp64(char *template) {
  return mkstemp(template);
}

INTERPOSE int mkostemp64(char *template, int flags) {
  return mkostemp(template, flags);
}
