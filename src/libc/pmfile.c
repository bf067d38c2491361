#include "libc/pmfile.h"
#include "access/access.h"
#include "access/mapped.h"
#include "access/space.h"
#include "base/mem.h"
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include "process/places.h"
#include "process/share.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/world.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPACITY_MIN ((size_t)64 << 20)

struct pmfile {
  char *path;           /* the first that it had: the name of its region */
  uintptr_t size_at;    /* where its size is kept */
  const uint8_t *image; /* contents when the search started, or NULL */
  size_t image_bytes;
  bool device; /* as large as it is mapped */
  bool
      in_memory; /* nothing fails: its contents are memory (plain_file.h), and not a descriptor's */
};

static struct {
  struct pmfile files[PMNAMES_MAX];
  int count;
} pm;

/* Nobody creates a device by opening it, and whoever checks a program need not have it: it is there
 * because --pm-path names it.  Below /dev there are also directories with files (/dev/shm). */
static bool is_device(const char *key) {
  return strncmp(key, "/dev/", 5) == 0 && !strchr(key + 5, '/');
}

/* What is on the real file system, as the state before the first execution. */
static enum pmname_kind take_image(struct pmfile *f, const char *key, uint64_t *bytes) {
  int fd = (int)system_call_errno(SYS_openat, AT_FDCWD, f->path, O_RDONLY | O_CLOEXEC);
  enum pmname_kind kind = PMNAME_NOTHING;
  struct stat st;
  f->device = fd < 0 && is_device(key);
  if (fd < 0)
    return f->device ? PMNAME_FILE : PMNAME_NOTHING;
  if (fstat(fd, &st) != 0) {
    kind = PMNAME_NOTHING;
  } else if (S_ISDIR(st.st_mode)) {
    kind = PMNAME_DIRECTORY;
  } else if (S_ISCHR(st.st_mode)) {
    kind = PMNAME_FILE;
    f->device = true;
  } else if (S_ISREG(st.st_mode)) {
    kind = PMNAME_FILE;
    *bytes = (uint64_t)st.st_size;
    void *p =
        st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (p != MAP_FAILED) {
      f->image = plain_files ? memcpy(mem_alloc((size_t)st.st_size), p, (size_t)st.st_size) : p;
      f->image_bytes = (size_t)st.st_size;
    }
    if (p != MAP_FAILED && plain_files) /* each execution that changes the file begins with it */
      munmap(p, (size_t)st.st_size);
  }
  close(fd);
  return kind;
}

enum pmname_kind pmfile_register(const char *path, const char *key, uintptr_t size_at,
                                 uint64_t *bytes) {
  struct pmfile *f = &pm.files[pm.count++];
  f->path = mem_strdup(path);
  f->size_at = size_at;
  f->in_memory = strncmp(key, PMFILE_IN_MEMORY, strlen(PMFILE_IN_MEMORY)) == 0;
  return take_image(f, key, bytes);
}

struct pmfile *pmfile_by_number(int number) {
  return number >= 0 && number < pm.count ? &pm.files[number] : NULL;
}

int pmfile_number(const struct pmfile *f) {
  return (int)(f - pm.files);
}

const char *pmfile_path(const struct pmfile *f) {
  return f->path;
}

const uint8_t *pmfile_image(const struct pmfile *f, size_t *bytes) {
  *bytes = f->image_bytes;
  return f->image;
}

/* Nothing fails: what holds the contents, if it is memory; NULL: a descriptor does. */
static struct pmfile *memory_of(struct pmfile *f) {
  return f->in_memory ? f : pmfile_fd_memory(f);
}

static size_t plain_bytes(struct pmfile *f) {
  struct pmfile *m = memory_of(f);
  return m ? *(const uint64_t *)m->size_at : pmfile_fd_bytes(f);
}

size_t pmfile_bytes(struct pmfile *f) {
  return plain_files ? plain_bytes(f) : access_load(f->size_at, 8, NULL);
}

size_t pmfile_bytes_to_map(struct pmfile *f) {
  size_t bytes = pmfile_bytes(f);
  return bytes || !f->device ? bytes : CAPACITY_MIN;
}

static void remark_no_room(const struct pmfile *f, size_t bytes) {
  struct str text = {0};
  str_format(&text,
             "no room for '%s' with %zu MiB: a file of persistent memory has at most %zu GiB, and "
             "all of them %zu if the program asks for addresses; give it less",
             f->path, bytes >> 20, SPACE_REGION_BYTES >> 31, WINDOW_MOVED_BYTES >> 30);
  if (stop_remark)
    stop_remark(str_text(&text));
  str_free(&text);
}

/* The region is larger than the file, so that the file may grow. */
static struct region *region_if_room(struct pmfile *f, size_t bytes) {
  struct region *r = space_find(f->path);
  if (r)
    return space_grow(r, bytes) ? r : NULL;
  size_t capacity = bytes > f->image_bytes ? bytes : f->image_bytes;
  if (capacity < CAPACITY_MIN)
    capacity = CAPACITY_MIN;
  uintptr_t at = places_of(f->path);
  r = at ? space_region(f->path, capacity, at) : NULL;
  r = r ? r : space_region(f->path, capacity, 0);
  if (!r)
    return NULL;
  space_must_be_mapped(r);
  if (f->image) {
    uint8_t *initial = mem_alloc((f->image_bytes + LINE_BYTES) & ~(size_t)(LINE_BYTES - 1));
    memcpy(initial, f->image, f->image_bytes);
    space_set_initial(r, initial, f->image_bytes);
  }
  return r;
}

/* Nothing fails: where the contents are, as memory from now on. */
static uintptr_t plain_memory(struct pmfile *f, size_t bytes) {
  struct pmfile *m = f->in_memory ? f : pmfile_fd_into_memory(f);
  uintptr_t at = m ? plain_file_memory(pmfile_number(m), bytes) : 0;
  if (!at)
    remark_no_room(f, bytes);
  return at;
}

static struct region *region_of(struct pmfile *f, size_t bytes) {
  struct region *r = region_if_room(f, bytes);
  if (!r)
    remark_no_room(f, bytes);
  return r;
}

/* May the line hold anything but zeros?  Decided by what is the same in every execution. */
static bool is_used(const struct region *r, const struct space_line *l) {
  return l->observed || l->positions || l->line.address - r->base < r->initial_bytes;
}

static int compare_addresses(const void *left, const void *right) {
  const uintptr_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

struct lines {
  uintptr_t *addresses;
  size_t count;
};

/* Those of the lines in [from, to) that may hold anything but zeros, in their order: files can be large,
 * and empty. */
static struct lines used_lines(const struct region *r, size_t from, size_t to) {
  size_t count = space_line_count(), image = r->initial_bytes < to ? r->initial_bytes : to;
  size_t first = from & ~(size_t)(LINE_BYTES - 1);
  size_t most = count + (image > first ? (image - first) / LINE_BYTES + 1 : 0);
  struct lines all = {.addresses = world_alloc(most * sizeof *all.addresses)};
  for (size_t at = first; at < image; at += LINE_BYTES) /* they need not have been touched */
    if (!space_line_if_any(r->base + at))
      all.addresses[all.count++] = r->base + at;
  for (size_t i = 1; i < count; i++) {
    const struct space_line *l = space_line_by_index(i);
    if (l->line.address - (r->base + first) < to - first && is_used(r, l))
      all.addresses[all.count++] = l->line.address;
  }
  qsort(all.addresses, all.count, sizeof *all.addresses, compare_addresses);
  return all;
}

/* The part of a line that is in [from, to) of the file, as an offset into it. */
static size_t part_of(const struct region *r, uintptr_t line, size_t from, size_t to,
                      size_t *bytes) {
  size_t begin = line - r->base, end = begin + LINE_BYTES;
  begin = begin < from ? from : begin;
  *bytes = (end < to ? end : to) - begin;
  return begin;
}

/* What a file gets when it grows is zero, whatever was there before it shrank or was removed: the
 * file system sees to that before the new size counts. */
static void clear(struct region *r, size_t from, size_t to) {
  static const char zeros[LINE_BYTES];
  struct lines all = used_lines(r, from, to);
  mapped_add(r, r->base, to, MAPPED_BY_KERNEL);
  for (size_t i = 0; i < all.count; i++) {
    size_t n, at = part_of(r, all.addresses[i], from, to, &n);
    access_write(r->base + at, zeros, n, ACCESS_NON_TEMPORAL | ACCESS_ATOMIC, NULL);
  }
  if (all.count)
    access_fence(ABI_SFENCE, NULL);
  mapped_leave(r, r->base, to);
}

/* Where the file ends, for whoever has it mapped.  A file that is created may get the memory of one that was removed
 * and is still mapped: what was accessible stays so. */
static void note_size(const struct pmfile *f, const struct region *r, size_t bytes, bool shrinks) {
  if (f->device || access_shared() || !mapped_any(r))
    return;
  size_t end = mapped_end(r);
  mapped_set_end(r, shrinks || end == SIZE_MAX || end < bytes ? bytes : end);
}

/* What is beyond the end is zero. */
static bool change_plain_size(struct pmfile *f, size_t bytes) {
  struct pmfile *m = memory_of(f);
  if (!m)
    return pmfile_fd_resize(f, bytes);
  size_t old = plain_bytes(m);
  uintptr_t at = plain_memory(m, bytes > old ? bytes : old);
  if (at && bytes < old)
    memset((void *)(at + bytes), 0, old - bytes);
  if (at)
    *(uint64_t *)m->size_at = bytes;
  return at;
}

static bool change_size(struct pmfile *f, size_t old, size_t bytes, bool shrinks) {
  if (plain_files)
    return change_plain_size(f, bytes);
  struct region *r = region_of(f, bytes);
  if (!r)
    return false;
  if (bytes > old)
    clear(r, old, bytes);
  access_store(f->size_at, bytes, 8, ACCESS_ATOMIC, NULL);
  note_size(f, r, bytes, shrinks);
  return true;
}

bool pmfile_begin_anew(struct pmfile *f, size_t bytes) {
  return change_size(f, 0, bytes, false);
}

void pmfile_write_back_size(struct pmfile *f) {
  access_flush(ABI_CLFLUSH, f->size_at, NULL);
}

bool pmfile_alone_begin(struct pmfile *f) {
  return !plain_files && access_alone_begin(f->size_at & ~(uintptr_t)(LINE_BYTES - 1), LINE_BYTES);
}

bool pmfile_resize(struct pmfile *f, size_t bytes) {
  size_t old = pmfile_bytes(f);
  if (old == bytes)
    return plain_files || region_of(f, bytes) != NULL;
  if (!change_size(f, old, bytes, true))
    return false;
  pmfile_write_back_size(f);
  return true;
}

uintptr_t pmfile_map(struct pmfile *f, size_t offset, size_t bytes) {
  if (plain_files) {
    uintptr_t at = plain_memory(f, offset + bytes);
    return at ? at + offset : 0;
  }
  struct region *r = region_of(f, offset + bytes);
  if (!r)
    return 0;
  size_t size = f->device || access_shared() ? 0 : pmfile_bytes(f);
  mapped_add(r, r->base + offset, bytes, MAPPED_BY_PROGRAM);
  note_size(f, r, size, false);
  return r->base + offset;
}

uintptr_t pmfile_enter(struct pmfile *f, size_t bytes) {
  if (plain_files)
    return plain_memory(f, bytes);
  struct region *r = region_of(f, bytes);
  if (!r)
    return 0;
  mapped_add(r, r->base, bytes, MAPPED_BY_KERNEL);
  return r->base;
}

void pmfile_leave(struct pmfile *f, size_t bytes) {
  struct region *r = plain_files ? NULL : space_find(f->path);
  if (r)
    mapped_leave(r, r->base, bytes);
}

bool pmfile_copy(struct pmfile *f, size_t offset, void *to, size_t bytes) {
  size_t size = pmfile_bytes(f);
  size_t end = size < offset ? offset : size - offset < bytes ? size : offset + bytes;
  uintptr_t base = pmfile_enter(f, end ? end : 1);
  if (!base)
    return false;
  memset(to, 0, bytes);
  if (plain_files) {
    plain_file_read(to, base + offset, end - offset);
    return true;
  }
  struct region *r = space_region_at(base);
  struct lines all = used_lines(r, offset, end);
  for (size_t i = 0; i < all.count; i++) {
    size_t n, at = part_of(r, all.addresses[i], offset, end, &n);
    access_read((char *)to + (at - offset), base + at, n, NULL);
  }
  pmfile_leave(f, end ? end : 1);
  return true;
}

void pmfile_share(void) {
  share_register(&pm, sizeof pm);
}
