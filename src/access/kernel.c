#include "access/kernel.h"
#include "access/access.h"
#include "access/bypass_internal.h"
#include "event/window.h"
#include "process/gate.h"
#include "process/scratch.h"
#include "process/system_call.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#define ARGUMENTS 6
#define MEMORY_ARGUMENTS 2 /* of one call, at most */

enum { UNUSED, PATH, READ, WRITTEN };

/* One argument that points to memory.  Its size is another argument; then the result says how much was written, or
 * always the same. */
struct place {
  uint8_t how, argument, size_argument; /* size_argument: 0: it is `bytes` */
  uint16_t bytes;
};

#define BUFFER(how, n) \
  { how, n, (n) + 1, 0 }
#define RECORD(n, type) \
  { WRITTEN, n, 0, sizeof(type) }
#define PATH_AT(n) \
  { PATH, n, 0, 0 }

static const struct known {
  long number;
  struct place places[MEMORY_ARGUMENTS];
} known[] = {
    {SYS_read, {BUFFER(WRITTEN, 1)}},
    {SYS_pread64, {BUFFER(WRITTEN, 1)}},
    {SYS_write, {BUFFER(READ, 1)}},
    {SYS_pwrite64, {BUFFER(READ, 1)}},
    {SYS_open, {PATH_AT(0)}},
    {SYS_openat, {PATH_AT(1)}},
    {SYS_creat, {PATH_AT(0)}},
    {SYS_stat, {PATH_AT(0), RECORD(1, struct stat)}},
    {SYS_lstat, {PATH_AT(0), RECORD(1, struct stat)}},
    {SYS_fstat, {RECORD(1, struct stat)}},
    {SYS_newfstatat, {PATH_AT(1), RECORD(2, struct stat)}},
    {SYS_statx, {PATH_AT(1), RECORD(4, struct statx)}},
    {SYS_statfs, {PATH_AT(0), RECORD(1, struct statfs)}},
    {SYS_fstatfs, {RECORD(1, struct statfs)}},
    {SYS_access, {PATH_AT(0)}},
    {SYS_faccessat, {PATH_AT(1)}},
    {SYS_faccessat2, {PATH_AT(1)}},
    {SYS_truncate, {PATH_AT(0)}},
    {SYS_mkdir, {PATH_AT(0)}},
    {SYS_mkdirat, {PATH_AT(1)}},
    {SYS_rmdir, {PATH_AT(0)}},
    {SYS_unlink, {PATH_AT(0)}},
    {SYS_unlinkat, {PATH_AT(1)}},
    {SYS_rename, {PATH_AT(0), PATH_AT(1)}},
    {SYS_renameat, {PATH_AT(1), PATH_AT(3)}},
    {SYS_renameat2, {PATH_AT(1), PATH_AT(3)}},
    {SYS_link, {PATH_AT(0), PATH_AT(1)}},
    {SYS_symlink, {PATH_AT(0), PATH_AT(1)}},
    {SYS_chdir, {PATH_AT(0)}},
    {SYS_chmod, {PATH_AT(0)}},
    {SYS_readlink, {PATH_AT(0), BUFFER(WRITTEN, 1)}},
    {SYS_readlinkat, {PATH_AT(1), BUFFER(WRITTEN, 2)}},
    {SYS_getdents64, {BUFFER(WRITTEN, 1)}},
    {SYS_getcwd, {BUFFER(WRITTEN, 0)}},
    {SYS_getrandom, {BUFFER(WRITTEN, 0)}},
    {SYS_uname, {RECORD(0, struct utsname)}},
    {SYS_sysinfo, {RECORD(0, struct sysinfo)}},
};

static const struct known *known_call(long number) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].number == number)
      return &known[i];
  return NULL;
}

#define NONE (-1)

/* A call with several buffers is made as the one with a single buffer; NONE: it has not several. */
static long with_one_buffer(long number) {
  switch (number) {
  case SYS_readv:
    return SYS_read;
  case SYS_writev:
    return SYS_write;
  case SYS_preadv:
    return SYS_pread64;
  case SYS_pwritev:
    return SYS_pwrite64;
  default:
    return NONE;
  }
}

/* ---- on the thread ---- */

static bool is_watched(uintptr_t address) {
  return window_has(address) && space_region_at(address);
}

/* False: the memory does not exist. */
static bool fetch(const struct bypass_frame *f, void *to, uintptr_t from, size_t bytes) {
  if (!bytes)
    return true;
  if (!is_watched(from)) {
    memcpy(to, (const void *)from, bytes);
    return true;
  }
  if (!space_valid(from, bytes))
    return false;
  bypass_begin(f, from, bytes);
  access_read(to, from, bytes, NULL);
  access_exclusive_end();
  return true;
}

static void put(const struct bypass_frame *f, uintptr_t to, const void *from, size_t bytes) {
  if (!is_watched(to)) {
    memcpy((void *)to, from, bytes);
    return;
  }
  bypass_begin(f, to, bytes);
  access_write(to, from, bytes, ACCESS_PLAIN, NULL);
  access_exclusive_end();
}

/* 0, or the error. */
static long fetch_path(const struct bypass_frame *f, char *to, uintptr_t from) {
  for (size_t i = 0; i < PATH_MAX; i++) {
    if (!fetch(f, &to[i], from + i, 1))
      return -EFAULT;
    if (!to[i])
      return 0;
  }
  return -ENAMETOOLONG;
}

/* A copy of one argument's memory. */
struct copy {
  uint8_t *bytes;
  size_t size;
  uintptr_t original;
};

static size_t size_of(const struct place *p, const long *a) {
  size_t size = p->how == PATH     ? PATH_MAX
                : p->size_argument ? (size_t)a[p->size_argument]
                                   : p->bytes;
  return size < SCRATCH_BYTES_MAX ? size : SCRATCH_BYTES_MAX;
}

/* The argument becomes the copy, which holds what the kernel is to read. */
static long make_copy(const struct bypass_frame *f, const struct place *p, long *a,
                      struct copy *c) {
  *c = (struct copy){.original = (uintptr_t)a[p->argument], .size = size_of(p, a)};
  if (!p->how || !is_watched(c->original))
    return 0;
  c->bytes = scratch_take(c->size + 1);
  a[p->argument] = (long)c->bytes;
  if (p->size_argument) /* what is too much is short */
    a[p->size_argument] = (long)c->size;
  if (p->how == PATH)
    return fetch_path(f, (char *)c->bytes, c->original);
  if (p->how == READ)
    return fetch(f, c->bytes, c->original, c->size) ? 0 : -EFAULT;
  return space_valid(c->original, c->size) ? 0 : -EFAULT;
}

static long call_with_copies(const struct bypass_frame *f, const struct known *k, long *a) {
  struct copy copies[MEMORY_ARGUMENTS] = {0};
  long result = 0;
  for (int i = 0; i < MEMORY_ARGUMENTS && !result; i++)
    result = make_copy(f, &k->places[i], a, &copies[i]);
  if (!result)
    result = gate_call(k->number, a, f->resume);
  for (int i = 0; i < MEMORY_ARGUMENTS; i++) {
    const struct copy *c = &copies[i];
    size_t written = k->places[i].size_argument ? (size_t)result : c->size;
    if (c->bytes && k->places[i].how == WRITTEN && result >= 0 && written)
      put(f, c->original, c->bytes, written);
    if (c->bytes)
      scratch_give_back(c->bytes, c->size + 1);
  }
  return result;
}

static size_t total_of(const struct iovec *parts, long count) {
  size_t total = 0;
  for (long i = 0; i < count && total < SCRATCH_BYTES_MAX; i++)
    total += parts[i].iov_len < SCRATCH_BYTES_MAX ? parts[i].iov_len : SCRATCH_BYTES_MAX;
  return total < SCRATCH_BYTES_MAX ? total : SCRATCH_BYTES_MAX;
}

static long call_with_parts(const struct bypass_frame *f, long number, const long *a) {
  long single = with_one_buffer(number), count = a[2], result = 0;
  bool reads = single == SYS_read || single == SYS_pread64;
  if (count < 0 || count > UIO_MAXIOV)
    return -EINVAL;
  struct iovec *parts = scratch_take((size_t)count * sizeof *parts + 1);
  if (!fetch(f, parts, (uintptr_t)a[1], (size_t)count * sizeof *parts)) {
    scratch_give_back(parts, (size_t)count * sizeof *parts + 1);
    return -EFAULT;
  }
  size_t total = total_of(parts, count), at = 0, part;
  uint8_t *bytes = scratch_take(total + 1);
  for (long i = 0; i < count && at < total && !reads && !result; i++, at += part) {
    part = parts[i].iov_len < total - at ? parts[i].iov_len : total - at;
    result = fetch(f, bytes + at, (uintptr_t)parts[i].iov_base, part) ? 0 : -EFAULT;
  }
  if (!result)
    result = gate_call(single, (long[ARGUMENTS]){a[0], (long)bytes, (long)total, a[3]}, f->resume);
  at = 0;
  for (long i = 0; i < count && reads && result > 0 && at < (size_t)result; i++, at += part) {
    part = parts[i].iov_len < (size_t)result - at ? parts[i].iov_len : (size_t)result - at;
    put(f, (uintptr_t)parts[i].iov_base, bytes + at, part);
  }
  scratch_give_back(bytes, total + 1);
  scratch_give_back(parts, (size_t)count * sizeof *parts + 1);
  return result;
}

static bool carry_out(struct bypass_frame *f) {
  long number = (long)f->rax;
  long a[ARGUMENTS] = {(long)f->rdi, (long)f->rsi, (long)f->rdx,
                       (long)f->r10, (long)f->r8,  (long)f->r9};
  f->rax = (uint64_t)(with_one_buffer(number) != NONE ? call_with_parts(f, number, a)
                                                      : call_with_copies(f, known_call(number), a));
  return false;
}

/* ---- in the signal handler ---- */

/* The kernel looks at eight bytes there, and finds nothing else to do. */
static bool is_readable(const void *p) {
  return system_call(SYS_rt_sigprocmask, -1, p, NULL, 8) != -EFAULT;
}

static bool parts_are_watched(const long *a) {
  const struct iovec *parts = (const struct iovec *)a[1];
  if (is_watched((uintptr_t)parts))
    return true;
  for (long i = 0; i < a[2] && i < UIO_MAXIOV && is_readable(&parts[i]); i++)
    if (is_watched((uintptr_t)parts[i].iov_base))
      return true;
  return false;
}

static bool concerns(long number, const long *a) {
  if (with_one_buffer(number) != NONE)
    return parts_are_watched(a);
  const struct known *k = known_call(number);
  for (int i = 0; k && i < MEMORY_ARGUMENTS; i++)
    if (k->places[i].how && is_watched((uintptr_t)a[k->places[i].argument]))
      return true;
  return false;
}

static bool takes(long number, const long *a, ucontext_t *u) {
  if (!concerns(number, a))
    return false;
  bypass_call(u, carry_out, (uintptr_t)u->uc_mcontext.gregs[REG_RIP]);
  return true;
}

void kernel_init(void) {
  gate_watched = takes;
}
