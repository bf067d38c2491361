/* libpmem's functions on simulated persistent memory.  A program that links libpmem gets these. */
#include "libc/libpmem.h"
#include "access/access.h"
#include "access/mapped.h"
#include "base/mem.h"
#include "event/window.h"
#include "libc/plain_file.h"
#include "libc/pmfile.h"
#include "thread/thread.h"
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

/* libpmem.h */
#define PMEM_FILE_CREATE (1 << 0)
#define PMEM_FILE_EXCL (1 << 1)
#define PMEM_FILE_TMPFILE (1 << 3)
#define PMEM_F_MEM_NODRAIN (1U << 0)
#define PMEM_F_MEM_NONTEMPORAL (1U << 1)
#define PMEM_F_MEM_NOFLUSH (1U << 5)
#define PMEM_MAJOR 1

void *pmem_map_file(const char *path, size_t len, int flags, mode_t mode, size_t *mapped,
                    int *is_pmem);
int pmem_unmap(void *address, size_t len);
int pmem_is_pmem(const void *address, size_t len);
int pmem_msync(const void *address, size_t len);
void pmem_deep_flush(const void *address, size_t len);
int pmem_deep_drain(const void *address, size_t len);
int pmem_deep_persist(const void *address, size_t len);
int pmem_has_auto_flush(void);
int pmem_has_hw_drain(void);
const char *pmem_check_version(unsigned major, unsigned minor);
const char *pmem_errormsg(void);

static struct pmfile *open_for_map(const char *path, size_t *len, int flags) {
  struct pmname *n = pmname_at(path);
  enum pmname_kind kind = n ? pmname_kind(n) : PMNAME_NOTHING;
  if (!n || kind == PMNAME_DIRECTORY) {
    errno = n ? EISDIR : ENFILE;
    return NULL;
  }
  bool exists = kind == PMNAME_FILE;
  if (!(flags & PMEM_FILE_CREATE)) {
    if (!exists || *len != 0) {
      errno = exists ? EINVAL : ENOENT;
      return NULL;
    }
    *len = pmfile_bytes_to_map(pmname_file(n));
    if (*len == 0) {
      errno = EINVAL;
      return NULL;
    }
  } else if (*len == 0 || (exists && flags & PMEM_FILE_EXCL)) {
    errno = *len == 0 ? EINVAL : EEXIST;
    return NULL;
  } else if ((!exists && !pmname_create(n, 0)) ||
             !pmname_create(n, *len)) { /* as open, ftruncate */
    errno = ENOSPC;
    return NULL;
  }
  return pmname_file(n);
}

EXPORT void *pmem_map_file(const char *path, size_t len, int flags, mode_t mode, size_t *mapped,
                           int *is_pmem) {
  (void)mode;
  if (flags & PMEM_FILE_TMPFILE) {
    errno = ENOTSUP;
    return NULL;
  }
  struct pmfile *f = open_for_map(path, &len, flags);
  uintptr_t p = f ? pmfile_map(f, 0, len) : 0;
  if (!p)
    return NULL;
  if (mapped)
    *mapped = len;
  if (is_pmem)
    *is_pmem = 1;
  return (void *)p;
}

EXPORT int pmem_unmap(void *address, size_t len) {
  if (plain_file_has((uintptr_t)address))
    return 0;
  struct region *r = space_region_at((uintptr_t)address);
  if (!r || !r->must_be_mapped || !mapped_remove(r, (uintptr_t)address, len)) {
    errno = EINVAL;
    return -1;
  }
  return 0;
}

EXPORT int pmem_is_pmem(const void *address, size_t len) {
  return plain_files ? plain_file_has((uintptr_t)address)
                     : window_has((uintptr_t)address) && space_valid((uintptr_t)address, len);
}

EXPORT void pmem_flush(const void *address, size_t len) {
  access_persist_call("pmem_flush", (uintptr_t)address, len, false);
}

EXPORT void pmem_drain(void) {
  access_persist_call("pmem_drain", 0, 0, true);
}

EXPORT void pmem_persist(const void *address, size_t len) {
  access_persist_call("pmem_persist", (uintptr_t)address, len, true);
}

EXPORT int pmem_msync(const void *address, size_t len) {
  access_persist_call("pmem_msync", (uintptr_t)address, len, true);
  return 0;
}

EXPORT void pmem_deep_flush(const void *address, size_t len) {
  access_persist_call("pmem_deep_flush", (uintptr_t)address, len, false);
}

EXPORT int pmem_deep_drain(const void *address, size_t len) {
  (void)address;
  (void)len;
  access_persist_call("pmem_deep_drain", 0, 0, true);
  return 0;
}

EXPORT int pmem_deep_persist(const void *address, size_t len) {
  access_persist_call("pmem_deep_persist", (uintptr_t)address, len, true);
  return 0;
}

EXPORT int pmem_has_auto_flush(void) {
  return access_eadr();
}

EXPORT int pmem_has_hw_drain(void) {
  return 0;
}

/* NOFLUSH wins over NONTEMPORAL and means NODRAIN too. */
static int stores_flagged(unsigned flags) {
  bool streaming = !(flags & PMEM_F_MEM_NOFLUSH) && flags & PMEM_F_MEM_NONTEMPORAL;
  return streaming ? ACCESS_NON_TEMPORAL : ACCESS_PLAIN;
}

static void flush_flagged(const void *to, size_t n, unsigned flags) {
  if (!(flags & (PMEM_F_MEM_NOFLUSH | PMEM_F_MEM_NONTEMPORAL)))
    access_flush_range(ABI_CLWB, (uintptr_t)to, n, NULL);
}

/* Wherever the copy went: the fence is for everything the thread has flushed. */
static void drain_flagged(unsigned flags) {
  if (!(flags & (PMEM_F_MEM_NODRAIN | PMEM_F_MEM_NOFLUSH)))
    access_fence(ABI_SFENCE, NULL);
}

static void copy_flagged(void *to, const void *from, size_t n, unsigned flags) {
  if (!window_has((uintptr_t)to)) {
    if (window_has((uintptr_t)from))
      access_read(to, (uintptr_t)from, n, NULL);
    else
      memmove(to, from, n);
    return;
  }
  if (window_has((uintptr_t)from))
    access_copy((uintptr_t)to, (uintptr_t)from, n, stores_flagged(flags), NULL);
  else
    access_write((uintptr_t)to, from, n, stores_flagged(flags), NULL);
  flush_flagged(to, n, flags);
}

static void fill_flagged(void *to, int byte, size_t n, unsigned flags) {
  unsigned char block[LINE_BYTES];
  memset(block, byte, sizeof block);
  for (size_t done = 0; done < n;) {
    size_t room = LINE_BYTES - ((uintptr_t)to + done) % LINE_BYTES;
    size_t part = n - done < room ? n - done : room;
    access_write((uintptr_t)to + done, block, part, stores_flagged(flags), NULL);
    done += part;
  }
  flush_flagged(to, n, flags);
}

EXPORT void *pmem_memmove(void *to, const void *from, size_t n, unsigned flags) {
  copy_flagged(to, from, n, flags);
  drain_flagged(flags);
  return to;
}

EXPORT void *pmem_memcpy(void *to, const void *from, size_t n, unsigned flags) {
  return pmem_memmove(to, from, n, flags);
}

EXPORT void *pmem_memset(void *to, int byte, size_t n, unsigned flags) {
  if (window_has((uintptr_t)to))
    fill_flagged(to, byte, n, flags);
  else
    memset(to, byte, n);
  drain_flagged(flags);
  return to;
}

/* The older names, with the flags in the name. */
#define COPY_VARIANT(name, base, flags) \
  EXPORT void *name(void *to, const void *from, size_t n); \
  EXPORT void *name(void *to, const void *from, size_t n) { \
    return base(to, from, n, flags); \
  }
#define SET_VARIANT(name, flags) \
  EXPORT void *name(void *to, int byte, size_t n); \
  EXPORT void *name(void *to, int byte, size_t n) { \
    return pmem_memset(to, byte, n, flags); \
  }
COPY_VARIANT(pmem_memmove_persist, pmem_memmove, 0)
COPY_VARIANT(pmem_memcpy_persist, pmem_memmove, 0)
COPY_VARIANT(pmem_memmove_nodrain, pmem_memmove, PMEM_F_MEM_NODRAIN)
COPY_VARIANT(pmem_memcpy_nodrain, pmem_memmove, PMEM_F_MEM_NODRAIN)
SET_VARIANT(pmem_memset_persist, 0)
SET_VARIANT(pmem_memset_nodrain, PMEM_F_MEM_NODRAIN)

EXPORT const char *pmem_check_version(unsigned major, unsigned minor) {
  (void)minor;
  return major == PMEM_MAJOR ? NULL : "libpmem major version mismatch";
}

EXPORT const char *pmem_errormsg(void) {
  return strerror(errno);
}
