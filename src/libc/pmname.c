#include "libc/pmname.h"
#include "access/access.h"
#include "access/space.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/vec.h"
#include "libc/plain_file.h"
#include "libc/pmfile.h"
#include "process/share.h"
#include "process/system_call.h"
#include "process/world.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES_NAME "tidemark_files"

/* A line of the region: what the path with that number names, and how large the file with that number
 * is.  At first a path names the file with its own number; renaming exchanges files, so that every
 * path has one at any time, which it names if its kind says so. */
struct entry {
  uint64_t named; /* kind, and from KIND_BITS on the two numbers' difference (exclusive or) */
  uint64_t bytes;
};
#define KIND_BITS 8

/* The line after those: a rename that must be done to its end.  Zero: none. */
struct intent {
  uint64_t numbers; /* from, to, 1 */
  uint64_t from_named, to_named;
};
#define INTENT_AT (PMNAMES_MAX * LINE_BYTES)
#define NUMBER_BITS 16

struct pmname {
  char *path;      /* as the program first spelt it, unless another has that */
  char *key;       /* canonical path, or the name of a shared-memory object: what it is */
  uintptr_t entry; /* address of its struct entry */
  bool listed;     /* what is in the real directory of that path is known */
};

static struct {
  VEC(char *) globs;      /* canonical */
  struct region *entries; /* NULL: nothing fails (plain_file.h), and they are world memory; */
  uintptr_t base;         /* of the entries */
  bool *begun;      /* and by number: does this execution have what the entry holds at first? */
  uint8_t *initial; /* of the entries */
  struct pmname names[PMNAMES_MAX];
  int count;
} pm;

/* Symbolic links are left alone: what they lead to need not exist. */
bool pmname_canonical(const char *path, char out[PATH_MAX]) {
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

void pmname_init(const char *globs) {
  for (const char *p = globs; *p;) {
    char glob[PATH_MAX], pattern[PATH_MAX];
    size_t n = strcspn(p, ":");
    if (n && n < sizeof glob) {
      memcpy(glob, p, n);
      glob[n] = 0;
      if (pmname_canonical(glob, pattern))
        vec_push(&pm.globs, mem_strdup(pattern));
    }
    p += n + (p[n] == ':');
  }
  size_t bytes = INTENT_AT + LINE_BYTES;
  pm.initial = mem_alloc(bytes);
  if (plain_files) {
    pm.base = (uintptr_t)world_alloc(bytes);
    pm.begun = world_alloc(PMNAMES_MAX * sizeof *pm.begun);
    return;
  }
  pm.entries = space_region(ENTRIES_NAME, bytes, 0);
  pm.base = pm.entries->base;
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

static bool is_changed(const char *key);

bool pmname_matches(const char *path) {
  char key[PATH_MAX];
  if (!*path || !pmname_canonical(path, key))
    return false;
  for (size_t i = 0; i < pm.globs.length; i++)
    if (covers(pm.globs.data[i], key))
      return true;
  return is_changed(key);
}

/* ---- names ---- */

/* Nothing fails: was the path changed in this execution? */
static bool is_changed(const char *key) {
  for (int i = 0; pm.begun && i < pm.count; i++)
    if (pm.begun[i] && strcmp(pm.names[i].key, key) == 0)
      return true;
  return false;
}

static bool is_changed_below(const char *key) {
  size_t bytes = strlen(key);
  for (int i = 0; pm.begun && i < pm.count; i++)
    if (pm.begun[i] && strncmp(pm.names[i].key, key, bytes) == 0 && pm.names[i].key[bytes] == '/')
      return true;
  return false;
}

static bool is_system(const char *key) {
  static const char *const folders[] = {"/proc/", "/dev/", "/sys/"};
  static const char shared[] = "/dev/shm/";
  if (strncmp(key, shared, strlen(shared)) == 0)
    return false;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(key, folders[i], strlen(folders[i])) == 0)
      return true;
  return false;
}

/* May something be made there, as far as the real file system is concerned? */
static bool has_folder(const char *key) {
  char folder[PATH_MAX];
  size_t n = (size_t)(strrchr(key, '/') - key);
  if (n == 0)
    return true;
  memcpy(folder, key, n);
  folder[n] = 0;
  return is_changed(folder) || system_call(SYS_access, folder, W_OK | X_OK) == 0;
}

static bool is_ours(const char *key) {
  struct stat st;
  if (is_changed(key))
    return true;
  if (is_system(key))
    return false;
  if (system_call(SYS_stat, key, &st) != 0)
    return has_folder(key);
  return S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && system_call(SYS_access, key, W_OK) == 0);
}

bool pmname_takes(const char *path) {
  char key[PATH_MAX];
  if (pmname_matches(path))
    return true;
  return plain_files && *path && pmname_canonical(path, key) && is_ours(key);
}

bool pmname_lists(const char *path) {
  char key[PATH_MAX];
  return pmname_matches(path) ||
         (plain_files && pmname_canonical(path, key) && is_changed_below(key));
}

static bool is_path_taken(const char *path) {
  for (int i = 0; i < pm.count; i++)
    if (strcmp(pm.names[i].path, path) == 0)
      return true;
  return false;
}

/* Nothing fails: the entry is as it was when the search started, in each execution that comes to it. */
static struct pmname *begin(struct pmname *n) {
  int number = pmname_number(n);
  if (pm.begun && !pm.begun[number]) {
    pm.begun[number] = true;
    memcpy((void *)n->entry, pm.initial + (size_t)number * LINE_BYTES, sizeof(struct entry));
  }
  return n;
}

static struct pmname *find_or_add(const char *key, const char *path) {
  for (int i = 0; i < pm.count; i++)
    if (strcmp(pm.names[i].key, key) == 0)
      return begin(&pm.names[i]);
  if (pm.count == PMNAMES_MAX)
    return NULL;
  struct pmname *n = &pm.names[pm.count];
  n->path = mem_strdup(is_path_taken(path) ? key : path);
  n->key = mem_strdup(key);
  n->entry = pm.base + (size_t)pm.count * LINE_BYTES;
  struct entry e = {0};
  e.named = (uint64_t)pmfile_register(n->path, n->key, n->entry + offsetof(struct entry, bytes),
                                      &e.bytes);
  memcpy(pm.initial + (size_t)pm.count * LINE_BYTES, &e, sizeof e);
  pm.count++;
  if (pm.entries)
    space_set_initial(pm.entries, pm.initial, (size_t)pm.count * LINE_BYTES);
  return begin(n);
}

struct pmname *pmname_at(const char *path) {
  char key[PATH_MAX];
  return pmname_canonical(path, key) ? find_or_add(key, path) : NULL;
}

struct pmname *pmname_object(const char *name) {
  return find_or_add(name, name);
}

const char *pmname_path(const struct pmname *n) {
  return n->path;
}

int pmname_number(const struct pmname *n) {
  return (int)(n - pm.names);
}

struct pmname *pmname_by_number(int number) {
  return number >= 0 && number < pm.count ? &pm.names[number] : NULL;
}

bool pmname_is_entry(uintptr_t address, const char **path) {
  uintptr_t offset = address - pm.base;
  if (offset >= INTENT_AT + LINE_BYTES)
    return false;
  struct pmname *n = pmname_by_number((int)(offset / LINE_BYTES));
  *path = n ? n->path : NULL;
  return true;
}

/* ---- what they name ---- */

static uint64_t word(uintptr_t at) {
  return plain_files ? *(const uint64_t *)at : access_load(at, 8, NULL);
}

static void set_word(uintptr_t at, uint64_t value) {
  if (plain_files)
    *(uint64_t *)at = value;
  else
    access_store(at, value, 8, ACCESS_ATOMIC, NULL);
}

static void write_back(uintptr_t at) {
  if (!plain_files)
    access_flush(ABI_CLFLUSH, at, NULL);
}

static void set_named(uintptr_t entry, uint64_t named) {
  set_word(entry + offsetof(struct entry, named), named);
  write_back(entry);
}

static void apply(uintptr_t intent, uint64_t numbers) {
  uint64_t mask = (1 << NUMBER_BITS) - 1;
  struct pmname *from = pmname_by_number((int)(numbers & mask));
  struct pmname *to = pmname_by_number((int)(numbers >> NUMBER_BITS & mask));
  CHECK(from && to, "a rename of paths that nobody named");
  uint64_t from_named = word(intent + offsetof(struct intent, from_named));
  uint64_t to_named = word(intent + offsetof(struct intent, to_named));
  set_named(to->entry, to_named);
  set_named(from->entry, from_named);
  set_word(intent + offsetof(struct intent, numbers), 0);
  write_back(intent);
}

/* What the path names, after any rename that a failure interrupted is done. */
static uint64_t named_by(struct pmname *n) {
  uintptr_t intent = pm.base + INTENT_AT;
  uint64_t numbers = word(intent);
  if (numbers)
    apply(intent, numbers);
  return word(begin(n)->entry + offsetof(struct entry, named));
}

static enum pmname_kind kind_of(uint64_t named) {
  return (enum pmname_kind)(named & ((1 << KIND_BITS) - 1));
}

struct pmfile *pmname_file(struct pmname *n) {
  return pmfile_by_number(pmname_number(n) ^ (int)(named_by(n) >> KIND_BITS));
}

static void set_kind(struct pmname *n, enum pmname_kind kind) {
  set_named(n->entry, (named_by(n) >> KIND_BITS << KIND_BITS) | kind);
}

bool pmname_alone_begin(struct pmname *n) {
  return !plain_files && access_alone_begin(begin(n)->entry, LINE_BYTES);
}

/* The size is there before the name: one line holds both, unless the file had another name. */
bool pmname_create(struct pmname *n, size_t bytes) {
  uint64_t named = named_by(n);
  struct pmfile *f = pmname_file(n);
  if (kind_of(named) == PMNAME_FILE)
    return pmfile_resize(f, bytes);
  if (!pmfile_begin_anew(f, bytes))
    return false;
  if (named >> KIND_BITS)
    pmfile_write_back_size(f);
  set_kind(n, PMNAME_FILE);
  return true;
}

void pmname_make_directory(struct pmname *n) {
  set_kind(n, PMNAME_DIRECTORY);
}

void pmname_remove(struct pmname *n) {
  set_kind(n, PMNAME_NOTHING);
}

/* ---- directories ---- */

static struct pmname *name_in(const struct pmname *directory, const char *part, size_t bytes) {
  char path[PATH_MAX];
  size_t n = strlen(directory->key);
  if (n + 1 + bytes >= sizeof path)
    return NULL;
  memcpy(path, directory->key, n);
  path[n] = '/';
  memcpy(path + n + 1, part, bytes);
  path[n + 1 + bytes] = 0;
  return find_or_add(path, path);
}

/* What is in the real directory of that path has names, too. */
static void learn(struct pmname *directory) {
  struct {
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
  } * entry;
  _Alignas(8) char buffer[4096];
  if (directory->listed)
    return;
  directory->listed = true;
  long fd = system_call(SYS_openat, AT_FDCWD, directory->key, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  for (long n; (n = system_call(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < n; at += entry->bytes) {
      entry = (void *)(buffer + at);
      if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
        name_in(directory, entry->name, strlen(entry->name));
    }
  system_call(SYS_close, fd);
}

static bool is_below(const struct pmname *n, const struct pmname *directory) {
  size_t bytes = strlen(directory->key);
  return strncmp(n->key, directory->key, bytes) == 0 && n->key[bytes] == '/';
}

bool pmname_is_empty(struct pmname *directory) {
  learn(directory);
  for (int i = 0; i < pm.count; i++)
    if (is_below(&pm.names[i], directory) && kind_of(named_by(&pm.names[i])))
      return false;
  return true;
}

enum pmname_kind pmname_kind(struct pmname *n) {
  enum pmname_kind kind = kind_of(named_by(n));
  return kind || pmname_is_empty(n) ? kind : PMNAME_DIRECTORY;
}

const char *pmname_last_part(const struct pmname *n) {
  return strrchr(n->key, '/') + 1;
}

static int compare_keys(const void *left, const void *right) {
  struct pmname *const *a = left, *const *b = right;
  return strcmp((*a)->key, (*b)->key);
}

static bool has(struct pmname **list, size_t count, const struct pmname *n) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == n)
      return true;
  return false;
}

/* In the order of their names: numbers depend on what other executions did. */
size_t pmname_list(struct pmname *directory, struct pmname *out[PMNAMES_MAX]) {
  size_t count = 0, bytes = strlen(directory->key) + 1;
  learn(directory);
  for (int i = 0; i < pm.count; i++) {
    struct pmname *n = &pm.names[i];
    if (!is_below(n, directory) || !kind_of(named_by(n)))
      continue;
    const char *part = n->key + bytes;
    struct pmname *child = name_in(directory, part, strcspn(part, "/"));
    if (child && !has(out, count, child))
      out[count++] = child;
  }
  qsort(out, count, sizeof *out, compare_keys);
  return count;
}

/* ---- renaming ---- */

int pmname_rename(struct pmname *from, struct pmname *to, enum pmname_rename how) {
  enum pmname_kind from_kind = pmname_kind(from), to_kind = pmname_kind(to);
  if (!from_kind || (how == PMNAME_EXCHANGE && !to_kind))
    return ENOENT;
  if (to_kind && how == PMNAME_KEEP)
    return EEXIST;
  if (from == to)
    return 0;
  if (how == PMNAME_REPLACE && to_kind && from_kind != to_kind)
    return to_kind == PMNAME_DIRECTORY ? EISDIR : ENOTDIR;
  if (how == PMNAME_REPLACE && to_kind == PMNAME_DIRECTORY && !pmname_is_empty(to))
    return ENOTEMPTY;
  uint64_t from_number = (uint64_t)pmname_number(from), to_number = (uint64_t)pmname_number(to);
  uint64_t from_file = named_by(from) >> KIND_BITS ^ from_number;
  uint64_t to_file = named_by(to) >> KIND_BITS ^ to_number;
  enum pmname_kind left = how == PMNAME_EXCHANGE ? to_kind : PMNAME_NOTHING;
  uintptr_t intent = pm.base + INTENT_AT;
  uint64_t numbers = from_number | to_number << NUMBER_BITS | (uint64_t)1 << 2 * NUMBER_BITS;
  set_word(intent + offsetof(struct intent, from_named),
           (from_number ^ to_file) << KIND_BITS | left);
  set_word(intent + offsetof(struct intent, to_named),
           (to_number ^ from_file) << KIND_BITS | from_kind);
  set_word(intent + offsetof(struct intent, numbers), numbers);
  write_back(intent);
  apply(intent, numbers);
  return 0;
}

void pmname_share(void) {
  share_register(&pm, sizeof pm);
}
