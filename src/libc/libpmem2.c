/* libpmem2's functions on simulated persistent memory.  A program that links libpmem2 gets these.
 *
 * All of the interface is here, so that no object made here reaches the real library: what cannot
 * be simulated (a mapping at an address of the program's choice, bad blocks, devices' properties,
 * asynchronous copies) is refused by name.  Configurations, sources and maps are blocks of the
 * program's heap. */
#include "access/access.h"
#include "access/mapped.h"
#include "access/space.h"
#include "libc/libpmem.h"
#include "libc/map.h"
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include "process/heap.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* libpmem2.h: the errors that occur here, and what pmem2_errormsg says about them. */
#define ERRORS(X) \
  X(NOSUPP, -100001, "not supported") \
  X(INVALID_FILE_HANDLE, -100004, "not an open file") \
  X(MAP_RANGE, -100006, "the range is not within the file") \
  X(MAPPING_EXISTS, -100007, "a mapping exists there") \
  X(GRANULARITY_NOT_SET, -100008, "the required store granularity is not set") \
  X(GRANULARITY_NOT_SUPPORTED, -100009, "the required store granularity is not available") \
  X(OFFSET_OUT_OF_RANGE, -100010, "the offset is out of range") \
  X(OFFSET_UNALIGNED, -100011, "the offset is not aligned to a page") \
  X(LENGTH_UNALIGNED, -100015, "the length is not aligned to a page") \
  X(SOURCE_EMPTY, -100018, "the source has no bytes") \
  X(INVALID_SHARING_VALUE, -100019, "no such sharing") \
  X(DEEP_FLUSH_RANGE, -100024, "the range is not within the mapping") \
  X(BUFFER_TOO_SMALL, -100017, "the buffer is too small") \
  X(INVALID_PROT_FLAG, -100031, "no such protection") \
  X(FILE_DESCRIPTOR_NOT_SET, -100035, "the source has no file")

enum {
#define ENUMERATE(name, value, text) E_##name = (value),
  ERRORS(ENUMERATE)
#undef ENUMERATE
      E_UNKNOWN = -100000,
};

enum granularity { GRANULARITY_BYTE, GRANULARITY_CACHE_LINE, GRANULARITY_PAGE };
enum sharing { SHARED, PRIVATE };

#define PROT_ALL (7U << 29)
#define ALIGNMENT ((size_t)4096)

struct pmem2_config {
  size_t offset, length; /* length 0: the whole source */
  bool has_granularity;
  enum granularity granularity; /* the coarsest that will do */
  enum sharing sharing;
};

struct pmem2_source {
  struct pmfile *file; /* NULL: anonymous memory */
  int fd;
  size_t bytes; /* of anonymous memory */
};

struct pmem2_map {
  char *address;
  size_t bytes, mapped_bytes; /* mapped_bytes: of anonymous memory, to be given back */
  struct pmfile *file;        /* to be unmapped, or NULL */
  enum granularity granularity;
};

static struct { int error; } last;

void libpmem2_init(void) {
  world_include(&last, sizeof last);
}

static int fail(int error) {
  last.error = error;
  return error;
}

static int create(void **object, size_t bytes) {
  *object = heap_alloc_zeroed(bytes);
  return *object ? 0 : fail(-ENOMEM);
}

static int destroy(void **object) {
  if (*object)
    heap_free(*object);
  *object = NULL;
  return 0;
}

/* ---- errors ---- */

EXPORT const char *pmem2_errormsg(void);
EXPORT const char *pmem2_errormsg(void) {
  switch (last.error) {
#define TEXT(name, value, text) \
  case value: \
    return text;
    ERRORS(TEXT)
#undef TEXT
  case 0:
    return "";
  default:
    return strerror(-last.error);
  }
}

EXPORT int pmem2_err_to_errno(int error);
EXPORT int pmem2_err_to_errno(int error) {
  return error == E_NOSUPP ? ENOTSUP : error <= E_UNKNOWN ? EINVAL : -error;
}

EXPORT void pmem2_perror(const char *format, ...) __attribute__((format(printf, 1, 2)));
EXPORT void pmem2_perror(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, ": %s\n", pmem2_errormsg()); /* layers: ok, the program's own stream */
}

/* ---- configuration ---- */

EXPORT int pmem2_config_new(struct pmem2_config **config);
EXPORT int pmem2_config_new(struct pmem2_config **config) {
  return create((void **)config, sizeof **config);
}

EXPORT int pmem2_config_delete(struct pmem2_config **config);
EXPORT int pmem2_config_delete(struct pmem2_config **config) {
  return destroy((void **)config);
}

EXPORT int pmem2_config_set_required_store_granularity(struct pmem2_config *config, int g);
EXPORT int pmem2_config_set_required_store_granularity(struct pmem2_config *config, int g) {
  if (g < GRANULARITY_BYTE || g > GRANULARITY_PAGE)
    return fail(E_GRANULARITY_NOT_SUPPORTED);
  config->has_granularity = true;
  config->granularity = (enum granularity)g;
  return 0;
}

EXPORT int pmem2_config_set_offset(struct pmem2_config *config, size_t offset);
EXPORT int pmem2_config_set_offset(struct pmem2_config *config, size_t offset) {
  if (offset > (size_t)INT64_MAX)
    return fail(E_OFFSET_OUT_OF_RANGE);
  config->offset = offset;
  return 0;
}

EXPORT int pmem2_config_set_length(struct pmem2_config *config, size_t length);
EXPORT int pmem2_config_set_length(struct pmem2_config *config, size_t length) {
  config->length = length;
  return 0;
}

EXPORT int pmem2_config_set_sharing(struct pmem2_config *config, int sharing);
EXPORT int pmem2_config_set_sharing(struct pmem2_config *config, int sharing) {
  if (sharing != SHARED && sharing != PRIVATE)
    return fail(E_INVALID_SHARING_VALUE);
  config->sharing = (enum sharing)sharing;
  return 0;
}

/* As with mmap, what a mapping may be used for is not enforced. */
EXPORT int pmem2_config_set_protection(struct pmem2_config *config, unsigned protection);
EXPORT int pmem2_config_set_protection(struct pmem2_config *config, unsigned protection) {
  (void)config;
  return protection & ~PROT_ALL ? fail(E_INVALID_PROT_FLAG) : 0;
}

/* ---- sources ---- */

EXPORT int pmem2_source_from_fd(struct pmem2_source **source, int fd);
EXPORT int pmem2_source_from_fd(struct pmem2_source **source, int fd) {
  *source = NULL;
  struct pmfile *file = pmfile_fd_shared(fd);
  if (!file && system_call(SYS_fcntl, fd, F_GETFD, 0) < 0)
    return fail(E_INVALID_FILE_HANDLE);
  if (!file)
    map_refuse_outside("pmem2_source_from_fd", fd);
  int error = create((void **)source, sizeof **source);
  if (!error)
    **source = (struct pmem2_source){.file = file, .fd = fd};
  return error;
}

EXPORT int pmem2_source_from_anon(struct pmem2_source **source, size_t bytes);
EXPORT int pmem2_source_from_anon(struct pmem2_source **source, size_t bytes) {
  int error = create((void **)source, sizeof **source);
  if (!error)
    **source = (struct pmem2_source){.fd = -1, .bytes = bytes};
  return error;
}

EXPORT int pmem2_source_delete(struct pmem2_source **source);
EXPORT int pmem2_source_delete(struct pmem2_source **source) {
  return destroy((void **)source);
}

EXPORT int pmem2_source_get_fd(const struct pmem2_source *source, int *fd);
EXPORT int pmem2_source_get_fd(const struct pmem2_source *source, int *fd) {
  if (!source->file)
    return fail(E_FILE_DESCRIPTOR_NOT_SET);
  *fd = source->fd;
  return 0;
}

EXPORT int pmem2_source_size(const struct pmem2_source *source, size_t *bytes);
EXPORT int pmem2_source_size(const struct pmem2_source *source, size_t *bytes) {
  *bytes = source->file ? pmfile_bytes(source->file) : source->bytes;
  return 0;
}

EXPORT int pmem2_source_alignment(const struct pmem2_source *source, size_t *alignment);
EXPORT int pmem2_source_alignment(const struct pmem2_source *source, size_t *alignment) {
  (void)source;
  *alignment = ALIGNMENT;
  return 0;
}

/* ---- mappings ---- */

/* A device has no size of its own here: it is as large as it is mapped. */
static bool is_device(const struct pmem2_source *source) {
  return source->file && strncmp(pmfile_path(source->file), "/dev/", 5) == 0;
}

/* 0 and the number of bytes to map, or an error. */
static int range_of(const struct pmem2_config *config, const struct pmem2_source *source,
                    size_t *bytes) {
  size_t size, end;
  pmem2_source_size(source, &size);
  if (config->offset % ALIGNMENT)
    return E_OFFSET_UNALIGNED;
  if (config->length % ALIGNMENT)
    return E_LENGTH_UNALIGNED;
  if (__builtin_add_overflow(config->offset, config->length, &end))
    return E_MAP_RANGE;
  if (!size && is_device(source) && config->length)
    size = end;
  if (!size)
    return E_SOURCE_EMPTY;
  if (end > size || config->offset >= size)
    return E_MAP_RANGE;
  *bytes = config->length ? config->length : size - config->offset;
  return 0;
}

static enum granularity granularity_of(const struct pmem2_source *source) {
  return !source->file || access_eadr() ? GRANULARITY_BYTE : GRANULARITY_CACHE_LINE;
}

/* A private mapping is anonymous memory with what the file holds. */
static char *map_bytes(struct pmem2_map *map, size_t offset, size_t bytes, bool private) {
  struct pmfile *file = map->file;
  if (!file || private) {
    char *p = heap_alloc_pages(bytes);
    map->file = NULL;
    map->mapped_bytes = bytes;
    return !p || !file || pmfile_copy(file, offset, p, bytes) ? p : NULL;
  }
  return (char *)pmfile_map(map->file, offset, bytes);
}

EXPORT int pmem2_map_new(struct pmem2_map **map, const struct pmem2_config *config,
                         const struct pmem2_source *source);
EXPORT int pmem2_map_new(struct pmem2_map **map, const struct pmem2_config *config,
                         const struct pmem2_source *source) {
  *map = NULL;
  if (!config->has_granularity)
    return fail(E_GRANULARITY_NOT_SET);
  size_t bytes = 0;
  int error = range_of(config, source, &bytes);
  if (error)
    return fail(error);
  if (granularity_of(source) > config->granularity)
    return fail(E_GRANULARITY_NOT_SUPPORTED);
  struct pmem2_map *m;
  if (create((void **)&m, sizeof *m))
    return -ENOMEM;
  *m = (struct pmem2_map){
      .file = source->file, .bytes = bytes, .granularity = granularity_of(source)};
  m->address = map_bytes(m, config->offset, bytes, config->sharing == PRIVATE);
  if (!m->address) {
    heap_free(m);
    return fail(-ENOMEM);
  }
  *map = m;
  return 0;
}

EXPORT int pmem2_map_from_existing(struct pmem2_map **map, const struct pmem2_source *source,
                                   void *address, size_t bytes, int granularity);
EXPORT int pmem2_map_from_existing(struct pmem2_map **map, const struct pmem2_source *source,
                                   void *address, size_t bytes, int granularity) {
  (void)source;
  int error = create((void **)map, sizeof **map);
  if (!error)
    **map = (struct pmem2_map){
        .address = address, .bytes = bytes, .granularity = (enum granularity)granularity};
  return error;
}

EXPORT int pmem2_map_delete(struct pmem2_map **map);
EXPORT int pmem2_map_delete(struct pmem2_map **map) {
  if ((*map)->file && !plain_files)
    mapped_remove(space_region_at((uintptr_t)(*map)->address), (uintptr_t)(*map)->address,
                  (*map)->bytes);
  else if ((*map)->mapped_bytes)
    heap_free_pages((*map)->address, (*map)->mapped_bytes);
  return destroy((void **)map);
}

EXPORT void *pmem2_map_get_address(const struct pmem2_map *map);
EXPORT void *pmem2_map_get_address(const struct pmem2_map *map) {
  return map->address;
}

EXPORT size_t pmem2_map_get_size(const struct pmem2_map *map);
EXPORT size_t pmem2_map_get_size(const struct pmem2_map *map) {
  return map->bytes;
}

EXPORT int pmem2_map_get_store_granularity(const struct pmem2_map *map);
EXPORT int pmem2_map_get_store_granularity(const struct pmem2_map *map) {
  return map->granularity;
}

/* ---- flushing ---- */

static void drain_only(const void *address, size_t bytes) {
  (void)address;
  (void)bytes;
  pmem_drain();
}

static void nothing(const void *address, size_t bytes) {
  (void)address;
  (void)bytes;
}

static void no_drain(void) {}

typedef void (*range_fn)(const void *, size_t);
typedef void (*drain_fn)(void);
typedef void *(*copy_fn)(void *, const void *, size_t, unsigned);
typedef void *(*set_fn)(void *, int, size_t, unsigned);

/* With pages as granularity (an existing mapping; never ours) a flush is an msync. */
EXPORT range_fn pmem2_get_persist_fn(const struct pmem2_map *map);
EXPORT range_fn pmem2_get_persist_fn(const struct pmem2_map *map) {
  return map->granularity == GRANULARITY_BYTE ? drain_only : pmem_persist;
}

EXPORT range_fn pmem2_get_flush_fn(const struct pmem2_map *map);
EXPORT range_fn pmem2_get_flush_fn(const struct pmem2_map *map) {
  return map->granularity == GRANULARITY_BYTE   ? nothing
         : map->granularity == GRANULARITY_PAGE ? pmem_persist
                                                : pmem_flush;
}

EXPORT drain_fn pmem2_get_drain_fn(const struct pmem2_map *map);
EXPORT drain_fn pmem2_get_drain_fn(const struct pmem2_map *map) {
  return map->granularity == GRANULARITY_PAGE ? no_drain : pmem_drain;
}

EXPORT copy_fn pmem2_get_memmove_fn(const struct pmem2_map *map);
EXPORT copy_fn pmem2_get_memmove_fn(const struct pmem2_map *map) {
  (void)map;
  return pmem_memmove;
}

EXPORT copy_fn pmem2_get_memcpy_fn(const struct pmem2_map *map);
EXPORT copy_fn pmem2_get_memcpy_fn(const struct pmem2_map *map) {
  (void)map;
  return pmem_memcpy;
}

EXPORT set_fn pmem2_get_memset_fn(const struct pmem2_map *map);
EXPORT set_fn pmem2_get_memset_fn(const struct pmem2_map *map) {
  (void)map;
  return pmem_memset;
}

EXPORT int pmem2_deep_flush(const struct pmem2_map *map, void *address, size_t bytes);
EXPORT int pmem2_deep_flush(const struct pmem2_map *map, void *address, size_t bytes) {
  uintptr_t low = (uintptr_t)map->address, at = (uintptr_t)address;
  if (at < low || at - low > map->bytes || bytes > map->bytes - (at - low))
    return fail(E_DEEP_FLUSH_RANGE);
  pmem_persist(address, bytes);
  return 0;
}

/* ---- the device ---- */

/* A power failure leaves no more behind than it may, so no shutdown is unsafe. */
EXPORT int pmem2_source_device_usc(const struct pmem2_source *source, uint64_t *count);
EXPORT int pmem2_source_device_usc(const struct pmem2_source *source, uint64_t *count) {
  *count = 0;
  return source->file ? 0 : fail(E_NOSUPP);
}

EXPORT int pmem2_source_device_id(const struct pmem2_source *source, char *id, size_t *bytes);
EXPORT int pmem2_source_device_id(const struct pmem2_source *source, char *id, size_t *bytes) {
  static const char text[] = "tidemark";
  if (!source->file)
    return fail(E_NOSUPP);
  if (id && *bytes < sizeof text)
    return fail(E_BUFFER_TOO_SMALL);
  if (id)
    memcpy(id, text, sizeof text);
  *bytes = sizeof text;
  return 0;
}

/* ---- what cannot be simulated ---- */

#define REFUSED(name) \
  EXPORT void name(void); \
  EXPORT void name(void) { \
    stop_refuse(#name); \
  }
REFUSED(pmem2_vm_reservation_new)
REFUSED(pmem2_vm_reservation_delete)
REFUSED(pmem2_vm_reservation_extend)
REFUSED(pmem2_vm_reservation_shrink)
REFUSED(pmem2_vm_reservation_get_address)
REFUSED(pmem2_vm_reservation_get_size)
REFUSED(pmem2_vm_reservation_map_find)
REFUSED(pmem2_vm_reservation_map_find_first)
REFUSED(pmem2_vm_reservation_map_find_last)
REFUSED(pmem2_vm_reservation_map_find_next)
REFUSED(pmem2_vm_reservation_map_find_prev)
REFUSED(pmem2_config_set_vm_reservation)
REFUSED(pmem2_config_set_vdm)
REFUSED(pmem2_memcpy_async)
REFUSED(pmem2_memmove_async)
REFUSED(pmem2_memset_async)
REFUSED(pmem2_source_pread_mcsafe)
REFUSED(pmem2_source_pwrite_mcsafe)
REFUSED(pmem2_source_numa_node)
REFUSED(pmem2_badblock_context_new)
REFUSED(pmem2_badblock_context_delete)
REFUSED(pmem2_badblock_next)
REFUSED(pmem2_badblock_clear)
