#include "libc/pmfile.h"
#include "access/access.h"
#include "access/space.h"
#include "base/mem.h"
#include "base/vec.h"
#include "process/places.h"
#include "process/share.h"
#include "process/system_call.h"
#include "process/world.h"
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_NAME "tidemark_files"
#define CAPACITY_MIN ((size_t)64 << 20)

/* A file's line in the directory. */
struct entry {
  uint64_t exists, bytes;
};

struct pmfile {
  char *path; /* as the program first spelt it, unless another has that: the name of its region */
  char *key;  /* canonical path, or the name of a shared-memory object: what it is */
  uintptr_t entry;      /* address of its struct entry in the directory region */
  const uint8_t *image; /* contents when the search started, or NULL */
  size_t image_bytes;
};

static struct {
  VEC(char *) globs; /* canonical */
  struct region *directory;
  uint8_t *initial; /* of the directory */
  struct pmfile files[PMFILES_MAX];
  int count;
} pm;

/* A path as it is compared: absolute, without empty, "." and ".." parts.  Symbolic links are left
 * alone: what they lead to need not exist.  False: too long. */
static bool canonical(const char *path, char out[PATH_MAX]) {
  size_t n = 0;
  if (*path != '/') {
    long got = system_call(SYS_getcwd, out, PATH_MAX);
    if (got <= 0)
      return false;
    n = got > 2 ? (size_t)got - 1 : 0; /* counts the end; "/" is nothing in front */
  }
  for (size_t part; *path; path += part + (path[part] == '/')) {
    part = strcspn(path, "/");
    if (part == 2 && memcmp(path, "..", 2) == 0) {
      while (n && out[--n] != '/')
        continue;
    } else if (part && !(part == 1 && *path == '.')) {
      if (n + part + 2 > PATH_MAX)
        return false;
      out[n++] = '/';
      memcpy(out + n, path, part);
      n += part;
    }
  }
  if (!n)
    out[n++] = '/';
  out[n] = 0;
  return true;
}

void pmfile_init(const char *globs) {
  for (const char *p = globs; *p;) {
    char glob[PATH_MAX], pattern[PATH_MAX];
    size_t n = strcspn(p, ":");
    if (n && n < sizeof glob) {
      memcpy(glob, p, n);
      glob[n] = 0;
      if (canonical(glob, pattern))
        vec_push(&pm.globs, mem_strdup(pattern));
    }
    p += n + (p[n] == ':');
  }
  pm.initial = mem_alloc(PMFILES_MAX * LINE_BYTES);
  pm.directory = space_region(DIRECTORY_NAME, PMFILES_MAX * LINE_BYTES, 0);
  pm.directory->initial = pm.initial;
}

/* A glob that names a directory covers what is in it: does it match the path or one above? */
static bool covers(const char *glob, char *path) {
  size_t depth = 0;
  for (const char *g = glob; *g; g++)
    depth += *g == '/';
  char *end = path;
  for (size_t slashes = 0; *end; end++) {
    slashes += *end == '/';
    if (slashes > depth)
      break;
  }
  char after = *end;
  *end = 0;
  bool yes = fnmatch(glob, path, FNM_PATHNAME) == 0;
  *end = after;
  return yes;
}

bool pmfile_matches(const char *path) {
  char key[PATH_MAX];
  if (!*path || !canonical(path, key))
    return false;
  for (size_t i = 0; i < pm.globs.length; i++)
    if (covers(pm.globs.data[i], key))
      return true;
  return false;
}

/* Nobody creates a device by opening it, and whoever checks a program need not have it: it is there
 * because --pm-path names it.  Below /dev there are also directories with files (/dev/shm). */
static bool is_device(const char *key) {
  return strncmp(key, "/dev/", 5) == 0 && !strchr(key + 5, '/');
}

/* What is on the real file system, as the state before the first execution. */
static void take_image(struct pmfile *f, struct entry *e) {
  int fd = (int)system_call_errno(SYS_openat, AT_FDCWD, f->path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0) {
    e->exists = is_device(f->key);
    return;
  }
  if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
    e->exists = S_ISCHR(st.st_mode); /* a device: as large as it is mapped */
  } else {
    e->exists = 1;
    e->bytes = (uint64_t)st.st_size;
    void *p =
        st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (p != MAP_FAILED) {
      f->image = p;
      f->image_bytes = (size_t)st.st_size;
    }
  }
  close(fd);
}

static bool is_path_taken(const char *path) {
  for (int i = 0; i < pm.count; i++)
    if (strcmp(pm.files[i].path, path) == 0)
      return true;
  return false;
}

static struct pmfile *open_key(const char *key, const char *path) {
  for (int i = 0; i < pm.count; i++)
    if (strcmp(pm.files[i].key, key) == 0)
      return &pm.files[i];
  if (pm.count == PMFILES_MAX)
    return NULL;
  struct pmfile *f = &pm.files[pm.count];
  f->path = mem_strdup(is_path_taken(path) ? key : path);
  f->key = mem_strdup(key);
  f->entry = pm.directory->base + (size_t)pm.count * LINE_BYTES;
  struct entry e = {0};
  take_image(f, &e);
  memcpy(pm.initial + (size_t)pm.count * LINE_BYTES, &e, sizeof e);
  memcpy(space_alias(f->entry), &e, sizeof e);
  pm.count++;
  return f;
}

struct pmfile *pmfile_open(const char *path) {
  char key[PATH_MAX];
  return canonical(path, key) ? open_key(key, path) : NULL;
}

struct pmfile *pmfile_open_object(const char *name) {
  return open_key(name, name);
}

const char *pmfile_path(const struct pmfile *f) {
  return f->path;
}

struct pmfile *pmfile_of_entry(uintptr_t address) {
  uintptr_t offset = address - pm.directory->base;
  return offset < PMFILES_MAX * LINE_BYTES ? pmfile_by_number((int)(offset / LINE_BYTES)) : NULL;
}

int pmfile_number(const struct pmfile *f) {
  return (int)(f - pm.files);
}

struct pmfile *pmfile_by_number(int number) {
  return number >= 0 && number < pm.count ? &pm.files[number] : NULL;
}

bool pmfile_exists(struct pmfile *f) {
  return access_load(f->entry, 8, NULL) != 0;
}

size_t pmfile_bytes(struct pmfile *f) {
  return access_load(f->entry + 8, 8, NULL);
}

static void set_entry(struct pmfile *f, uint64_t exists, uint64_t bytes) {
  access_store(f->entry + 8, bytes, 8, ACCESS_ATOMIC, NULL);
  access_store(f->entry, exists, 8, ACCESS_ATOMIC, NULL);
  access_flush(ABI_CLFLUSH, f->entry, NULL);
}

/* The region is larger than the file, so that the file may grow. */
static struct region *region_of(struct pmfile *f, size_t bytes) {
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
    memcpy(space_alias(r->base), f->image, f->image_bytes);
    r->initial = initial;
    r->initial_bytes = f->image_bytes;
  }
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
  space_map(r);
  for (size_t i = 0; i < all.count; i++) {
    size_t n, at = part_of(r, all.addresses[i], from, to, &n);
    access_write(r->base + at, zeros, n, ACCESS_NON_TEMPORAL | ACCESS_ATOMIC, NULL);
  }
  if (all.count)
    access_fence(ABI_SFENCE, NULL);
  space_unmap(r);
}

bool pmfile_create(struct pmfile *f, size_t bytes) {
  struct region *r = region_of(f, bytes);
  if (!r)
    return false;
  bool exists = pmfile_exists(f);
  size_t old = exists ? pmfile_bytes(f) : 0;
  if (bytes > old)
    clear(r, old, bytes);
  if (!exists || old != bytes)
    set_entry(f, 1, bytes);
  return true;
}

void pmfile_remove(struct pmfile *f) {
  set_entry(f, 0, 0);
}

uintptr_t pmfile_map(struct pmfile *f, size_t bytes) {
  struct region *r = region_of(f, bytes);
  if (!r)
    return 0;
  space_map(r);
  return r->base;
}

void pmfile_unmap(struct pmfile *f) {
  struct region *r = space_find(f->path);
  if (r)
    space_unmap(r);
}

bool pmfile_copy(struct pmfile *f, size_t offset, void *to, size_t bytes) {
  size_t size = pmfile_bytes(f);
  size_t end = size < offset ? offset : size - offset < bytes ? size : offset + bytes;
  uintptr_t base = pmfile_map(f, end ? end : 1);
  if (!base)
    return false;
  struct region *r = space_region_at(base);
  struct lines all = used_lines(r, offset, end);
  memset(to, 0, bytes);
  for (size_t i = 0; i < all.count; i++) {
    size_t n, at = part_of(r, all.addresses[i], offset, end, &n);
    access_read((char *)to + (at - offset), base + at, n, NULL);
  }
  pmfile_unmap(f);
  return true;
}

void pmfile_share(void) {
  share_register(&pm, sizeof pm);
}
