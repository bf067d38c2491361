/* Libraries that get a copy for each image.  A copy has a name of equal length: its first three
 * characters become ~NN with the number of the image, in the library and in whoever needs it. */
#include "base/mem.h"
#include "process/image_internal.h"
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static bool file_exists(const char *path) {
  return access(path, R_OK) == 0;
}

/* Append one directory of a search path with $ORIGIN replaced. */
static void add_directory(struct str *to, const char *from, size_t n, const char *origin) {
  for (size_t i = 0; i < n;) {
    size_t skip = !strncmp(from + i, "$ORIGIN", 7) ? 7 : !strncmp(from + i, "${ORIGIN}", 9) ? 9 : 0;
    if (skip && i + skip <= n) {
      const char *slash = strrchr(origin, '/');
      if (slash)
        str_append_bytes(to, origin, (size_t)(slash - origin));
      else
        str_append(to, ".");
      i += skip;
    } else {
      str_append_char(to, from[i++]);
    }
  }
}

static bool search(const char *list, const char *name, const char *origin, struct str *found) {
  while (list && *list) {
    size_t n = strcspn(list, ":");
    str_clear(found);
    add_directory(found, list, n, origin);
    str_append(found, n ? "/" : "./");
    str_append(found, name);
    if (file_exists(str_text(found)))
      return true;
    list += n + (list[n] == ':');
  }
  return false;
}

/* The program's own libraries are those that the system would not find by itself. */
static bool find_own(const struct elf_file *f, const char *name, const char *origin,
                     struct str *found) {
  const Elf64_Dyn *path = elf_dynamic(f, DT_RUNPATH);
  if (!path)
    path = elf_dynamic(f, DT_RPATH);
  if (strchr(name, '/')) {
    str_append(found, name);
    return file_exists(name);
  }
  return search(getenv("LD_LIBRARY_PATH"), name, origin, found) ||
         (path && search(elf_string(f, path->d_un.d_val), name, origin, found));
}

/* libstdc++ as image 0 loaded it. */
static bool find_loaded(const char *name, struct str *found) {
  for (struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
    const char *slash = strrchr(m->l_name, '/');
    if (slash && !strcmp(slash + 1, name)) {
      str_append(found, m->l_name);
      return true;
    }
  }
  return false;
}

/* Libraries that replace malloc (jemalloc, tcmalloc, ...) do not get to: the worker's comes first for
 * everybody.  Their operators new and delete would bypass it half of the way, so they are loaded as
 * copies without those, and libstdc++'s take their place. */
#define SYSTEM_DIRECTORIES \
  "/usr/local/lib:/usr/local/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:" \
  "/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib"

static bool replaces_malloc(const char *path) {
  struct elf_file f;
  struct str error = {0};
  if (!elf_read(&f, path, &error)) {
    str_free(&error);
    return false; /* the dynamic linker will say what is wrong, or find another */
  }
  bool does = elf_defined(&f, "malloc") != NULL;
  elf_free(&f);
  return does;
}

static bool find_allocator(const char *name, struct str *found) {
  static const char *const others[] = {"libc.so", "libm.so", "libgcc_s.so", "libpthread.so", "ld-"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strncmp(name, others[i], strlen(others[i])))
      return false;
  return search(SYSTEM_DIRECTORIES, name, "", found) && replaces_malloc(str_text(found));
}

static void begin_alias(struct image *image, struct link_map *map, const char *name,
                        const char prefix[3]) {
  vec_push(&image->aliases, ((struct image_alias){map, map->l_name}));
  map->l_name = mem_strdup(name);
  memcpy(map->l_name, prefix, 3);
}

void image_end_aliases(struct image *image) {
  for (size_t i = 0; i < image->aliases.length; i++)
    image->aliases.data[i].map->l_name = image->aliases.data[i].real_name;
  vec_free(&image->aliases);
}

static bool load_library(struct image *image, const char *name, const char *path,
                         const char prefix[3], bool own, struct str *error) {
  struct elf_file f;
  if (!elf_read(&f, path, error))
    return false;
  struct image_unit unit = {.path = mem_strdup(path), .own = own};
  bool ok = image_load_libraries(image, &f, path, error);
  if (ok) {
    elf_rename_self(&f, prefix);
    elf_make_unique_global(&f);
    if (elf_defined(&f, "malloc"))
      elf_hide_operators(&f);
    if (own) {
      elf_take_arrays(&f, &unit.init, &unit.fini);
      elf_weaken_undefined(&f);
    }
    struct link_map *m = image_open_copy(image, &f, path, error);
    ok = m != NULL;
    if (ok) {
      unit.bias = m->l_addr;
      unit.name = name;
      unit.handle = m;
      vec_push(&image->units, unit);
      image_set_watch(&f, unit.bias);
      if (!elf_dynamic(&f, DT_SONAME) && strlen(name) >= 3)
        begin_alias(image, m, name, prefix);
    }
  }
  elf_free(&f);
  return ok;
}

static bool loaded_already(const struct image *image, const char *name) {
  for (size_t i = 0; i < image->libraries.length; i++)
    if (!strcmp(image->libraries.data[i], name))
      return true;
  return false;
}

bool image_load_libraries(struct image *image, struct elf_file *f, const char *path,
                          struct str *error) {
  char prefix[3] = {'~', digits[image->copy / 36 % 36], digits[image->copy % 36]};
  bool ok = true;
  for (size_t i = 0; ok && i < f->dynamic_count && f->dynamic[i].d_tag != DT_NULL; i++) {
    if (f->dynamic[i].d_tag != DT_NEEDED)
      continue;
    const char *name = mem_strdup(elf_string(f, f->dynamic[i].d_un.d_val));
    struct str found = {0};
    bool runtime = !strncmp(name, "libstdc++.so", 12);
    bool own = !runtime && find_own(f, name, path, &found);
    if (!strncmp(name, "libtidemark.so", 14)) {
      elf_drop_needed(f, &f->dynamic[i]); /* the worker answers for it */
    } else if (own || (runtime ? image->copy > 0 && find_loaded(name, &found)
                               : find_allocator(name, &found))) {
      if (!loaded_already(image, name)) {
        vec_push(&image->libraries, name);
        ok = load_library(image, name, str_text(&found), prefix, own, error);
      }
      elf_rename_library(f, name, prefix);
    }
    str_free(&found);
  }
  return ok;
}

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

void *image_library(const struct image *image, const char *name) {
  for (size_t i = 0; i < image->units.length; i++) {
    const struct image_unit *u = &image->units.data[i];
    const char *slash = strrchr(u->path, '/');
    if (u->handle &&
        (strchr(name, '/') ? same_file(u->path, name)
                           : !strcmp(u->name, name) || (slash && !strcmp(slash + 1, name))))
      return u->handle;
  }
  return NULL;
}

void *image_copied_library(const struct image *image, const char *name) {
  for (size_t i = 0; name[0] == '~' && i < image->units.length; i++) {
    const struct image_unit *u = &image->units.data[i];
    if (u->handle && strlen(u->name) == strlen(name) && !strcmp(u->name + 3, name + 3))
      return u->handle;
  }
  return NULL;
}
