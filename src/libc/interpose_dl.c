/* The dynamic linker as the program sees it.  It was loaded into the worker as a library (image.h), as
 * copies with other names, and the worker's functions stand in front of libc's: what it asks for by
 * name is looked for as if it were a process of its own. */
#include "base/str.h"
#include "process/caller.h"
#include "process/image.h"
#include "process/program.h"
#include "process/stop.h"
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define OBJECTS_MAX 128

static bool library_missed; /* the next dlerror speaks of it */

/* Looking a function up forgets the last error, so all are found before there is one. */
static struct {
  void *(*open)(const char *, int);
  void *(*symbol)(void *, const char *);
  char *(*error)(void);
  int (*close)(void *);
} real;

/* In libc since glibc 2.34, in libdl before. */
static void *find(const char *name) {
  void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.34");
  return found ? found : dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
}

static void find_real(void) {
  if (real.symbol)
    return;
  real.open = (void *(*)(const char *, int))find("dlopen");
  real.error = (char *(*)(void))find("dlerror");
  real.close = (int (*)(void *))find("dlclose");
  real.symbol = (void *(*)(void *, const char *))find("dlsym");
}

/* ---- libraries ---- */

/* The dynamic linker's own state is not part of the world, so a library that is not loaded yet stays
 * away.  Most programs ask for it because they can do without (TBB for its allocator). */
static void *miss_library(const char *name) {
  library_missed = true;
  if (!stop_remark || (strchr(name, '/') && access(name, F_OK) != 0))
    return NULL; /* elsewhere it would be missing too */
  struct str text = {0};
  str_format(&text,
             "dlopen(\"%s\") failed: a checked program cannot load libraries while it runs; "
             "if it needs this one, link it (-l)",
             name);
  stop_remark(str_text(&text));
  str_free(&text);
  return NULL;
}

INTERPOSE void *dlopen(const char *name, int flags) {
  find_real();
  if (!CALLED_BY_PROGRAM())
    __attribute__((musttail)) return real.open(name, flags);
  library_missed = false;
  if (!name)
    return image_handle(image_current());
  void *loaded = image_library(image_current(), name);
  if (!loaded)
    loaded = real.open(name, flags | RTLD_NOLOAD);
  return loaded || flags & RTLD_NOLOAD ? loaded : miss_library(name);
}

/* Nothing is unloaded: an execution that goes back would find it missing. */
INTERPOSE int dlclose(void *handle) {
  find_real();
  return CALLED_BY_PROGRAM() ? 0 : real.close(handle);
}

INTERPOSE char *dlerror(void) {
  find_real();
  char *text = real.error();
  if (!CALLED_BY_PROGRAM() || !library_missed)
    return text;
  library_missed = false;
  return "a checked program cannot load libraries while it runs";
}

/* ---- symbols ---- */

/* Ours, where we have one of that name in front of a library's. */
static void *front(void *found, const char *name) {
  if (found && image_contains((uintptr_t)found))
    return found;
  void *ours = real.symbol(RTLD_DEFAULT, name);
  if (found && !ours)
    real.error(); /* nothing is wrong */
  return ours && program_is_ours((uintptr_t)ours) ? ours : found;
}

/* The program and its libraries in the order in which the dynamic linker would look. */
static int list_objects(struct image *image, struct link_map **out) {
  int count = 0;
  out[count++] = image_handle(image);
  for (int i = 0; i < count; i++) {
    const char *names = NULL;
    for (const ElfW(Dyn) *d = out[i]->l_ld; d->d_tag != DT_NULL; d++)
      if (d->d_tag == DT_STRTAB)
        names = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = out[i]->l_ld; names && d->d_tag != DT_NULL; d++) {
      if (d->d_tag != DT_NEEDED || count == OBJECTS_MAX)
        continue;
      struct link_map *m = image_copied_library(image, names + d->d_un.d_val);
      if (!m)
        m = real.open(names + d->d_un.d_val, RTLD_LAZY | RTLD_NOLOAD);
      bool known = !m;
      for (int k = 0; k < count; k++)
        known |= out[k] == m;
      if (!known)
        out[count++] = m;
    }
  }
  return count;
}

static int index_of(struct link_map **objects, int count, const void *address) {
  struct link_map *m = NULL;
  Dl_info unused;
  if (!dladdr1(address, &unused, (void **)&m, RTLD_DL_LINKMAP))
    return count;
  for (int i = 0; i < count; i++)
    if (objects[i] == m)
      return i;
  return count;
}

static void *next_symbol(const char *name, const void *caller) {
  struct link_map *objects[OBJECTS_MAX];
  int count = list_objects(image_current(), objects);
  int from = index_of(objects, count, caller);
  for (int i = from + 1; i < count; i++) {
    void *found = real.symbol(objects[i], name);
    if (found && index_of(objects, count, found) > from)
      return front(found, name);
  }
  return NULL;
}

INTERPOSE void *dlsym(void *handle, const char *name) {
  find_real();
  if (!CALLED_BY_PROGRAM())
    __attribute__((musttail)) return real.symbol(handle, name);
  library_missed = false;
  if (handle == RTLD_NEXT)
    return next_symbol(name, __builtin_return_address(0));
  return front(real.symbol(handle == RTLD_DEFAULT ? image_handle(image_current()) : handle, name),
               name);
}
