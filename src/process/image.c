#include "process/image.h"
#include "abi/abi.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/vec.h"
#include "process/caller.h"
#include "process/elf_file.h"
#include "process/fiber_internal.h"
#include "process/image_internal.h"
#include "process/object.h"
#include "process/world.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static VEC(struct image *) images;

/* Code of loaded objects, for image_resolve. */
struct place {
  uintptr_t bias, low, high, code_low, code_high;
  const uint8_t *unwind_table;
  const char *path;
  struct image *image;
  bool own; /* the user's, not the system's */
};
static VEC(struct place) places;

/* A variable that the program has its own copy of, because code that is not position-independent uses it: whoever
 * defines it does not know about the copy.  Those of the standard streams are never changed.  NULL: there is none. */
static const char *copied_variable(const struct elf_file *f) {
  static const char *const constant[] = {"stdin", "stdout", "stderr"};
  const char *name;
  for (size_t i = 0; (name = elf_next_copied(f, &i));) {
    bool harmless = false;
    for (size_t k = 0; k < sizeof constant / sizeof *constant; k++)
      harmless |= strcmp(name, constant[k]) == 0;
    if (!harmless)
      return name;
  }
  return NULL;
}

static bool acceptable(const struct elf_file *f, const char *path, struct str *error) {
  const char *wrong = NULL;
  const Elf64_Sym *version = elf_defined(f, ABI_VERSION_SYMBOL);
  const uint32_t *value = version ? elf_at(f, version->st_value, sizeof *value) : NULL;
  if (!elf_has_segment(f, PT_INTERP))
    wrong = "a shared library, not a program";
  else if (!version)
    wrong = "not built with tidemark-cc; it takes the place of the compiler (CC=tidemark-cc, "
            "CXX=tidemark-c++)";
  else if (!value || *value != ABI_VERSION)
    wrong = "built with another version of tidemark-cc; build it again";
  else if (!elf_defined(f, "main"))
    wrong =
        "does not export main: link it with tidemark-cc (-rdynamic); a main function in a shared "
        "library cannot be checked";
  else if (elf_has_segment(f, PT_TLS))
    wrong = "has native thread-local variables; build all of it with tidemark-cc (-femulated-tls)";
  const char *copied = wrong ? NULL : copied_variable(f);
  if (wrong)
    str_format(error, "%s: %s", path, wrong);
  if (copied)
    str_format(error,
               "%s: has a copy of the variable %s (a copy relocation); build what uses it with "
               "tidemark-cc or -fPIC",
               path, copied);
  return !wrong && !copied;
}

/* The dynamic linker names the copy; users know the original. */
static void explain_dlopen(const char *path, struct str *error) {
  const char *text = dlerror();
  text = text ? text : "cannot be loaded";
  const char *rest = strncmp(text, "/proc/", 6) ? NULL : strchr(text, ':');
  const char *missing = strstr(text, ": cannot open shared object file");
  if (missing)
    str_format(error, "%s: needs the shared library %.*s, which was not found", path,
               (int)(missing - text), text);
  else if (access("/proc/self/fd", F_OK) != 0)
    str_format(error, "%s: cannot be loaded without /proc: mount it (mount -t proc proc /proc)",
               path);
  else
    str_format(error, "%s: %s", path, rest ? rest + 2 : text);
}

void *image_open_copy(struct image *image, struct elf_file *f, const char *path,
                      struct str *error) {
  const char *slash = strrchr(path, '/');
  int fd = elf_to_descriptor(f, slash ? slash + 1 : path);
  if (fd < 0) {
    str_format(error, "%s: cannot be copied into memory (memfd_create: %s)", path, strerror(errno));
    return NULL;
  }
  struct str name = {0};
  str_format(&name, "/proc/%d/fd/%d", (int)getpid(), fd);
  void *handle = dlopen(str_text(&name), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    explain_dlopen(path, error);
  str_free(&name);
  vec_push(&image->descriptors, fd);
  return handle;
}

static void place_object(void *context, const struct object *o) {
  struct image *image = context;
  for (size_t i = 0; i < places.length; i++)
    if (places.data[i].low == o->low)
      return;
  struct place p = {.bias = o->bias,
                    .low = o->low,
                    .high = o->high,
                    .code_low = o->code_low,
                    .code_high = o->code_high,
                    .unwind_table = o->unwind_table};
  for (size_t i = 0; i < image->units.length; i++)
    if (image->units.data[i].bias == o->bias) {
      p.path = image->units.data[i].path;
      p.image = image;
      p.own = image->units.data[i].own;
    }
  if (!p.path)
    p.path = mem_strdup(o->kind == OBJECT_HOST ? "/proc/self/exe" : o->name);
  vec_push(&places, p);
}

static void find_library_symbols(struct image *image) {
  image->once_callable = dlsym(image->handle, "_ZSt15__once_callable");
  image->once_call = dlsym(image->handle, "_ZSt11__once_call");
  image->cxa_throw = dlsym(image->handle, "__cxa_throw");
}

uint64_t image_watch = ABI_WATCH_WINDOW;

static void set_watch(uintptr_t at) {
  memcpy((void *)at, &image_watch, sizeof image_watch);
}

/* What `objcopy` has made local (PMDK's archives, say) has one of its own. */
bool image_cancels, image_locks_streams;

void image_set_watch(const struct elf_file *f, uintptr_t bias) {
  image_cancels |= elf_refers(f, "pthread_cancel");
  image_locks_streams |= elf_refers(f, "flockfile") || elf_refers(f, "ftrylockfile");
  const Elf64_Sym *watch = elf_defined(f, ABI_WATCH_SYMBOL);
  if (watch)
    set_watch(bias + watch->st_value);
  for (const Elf64_Sym *s = NULL; (s = elf_next_local(f, ABI_WATCH_SYMBOL, s));)
    set_watch(bias + s->st_value);
}

struct image *image_load(const char *path, int copy, struct str *error) {
  struct elf_file f;
  if (!elf_read(&f, path, error))
    return NULL;
  struct image *image = mem_alloc(sizeof *image);
  image->copy = copy;
  image->path = mem_strdup(path);
  image->execution = world_alloc(sizeof *image->execution);
  struct image_unit unit = {.path = image->path, .own = true};
  if (!acceptable(&f, path, error) || !image_load_libraries(image, &f, path, error))
    goto fail;
  elf_clear_pie(&f);
  elf_make_unique_global(&f);
  elf_take_arrays(&f, &unit.init, &unit.fini);
  image->handle = image_open_copy(image, &f, path, error);
  image_end_aliases(image);
  if (!image->handle)
    goto fail;
  unit.bias = ((struct link_map *)image->handle)->l_addr;
  vec_push(&image->units, unit);
  image_set_watch(&f, unit.bias);
  image->main = dlsym(image->handle, "main");
  find_library_symbols(image);
  vec_push(&images, image);
  object_each(place_object, image);
  if (!image_bind_libraries(image, error))
    goto fail;
  elf_free(&f);
  return image;
fail:
  elf_free(&f);
  return NULL;
}

static const struct place *place_of(uintptr_t pc) {
  for (size_t i = 0; i < places.length; i++)
    if (pc >= places.data[i].low && pc < places.data[i].high)
      return &places.data[i];
  return NULL;
}

size_t image_bytes(const struct image *image) {
  const struct place *p = place_of((uintptr_t)image->main);
  return p ? p->high - p->low : 0;
}

void *image_handle(const struct image *image) {
  return image->handle;
}

void *image_symbol(const struct image *image, const char *name) {
  return dlsym(image->handle, name);
}

struct image *image_of(uintptr_t pc) {
  const struct place *p = place_of(pc);
  return p ? p->image : NULL;
}

struct image *image_current(void) {
  struct fiber_tls *t = fiber_tls_current();
  if (t && t->image)
    return t->image;
  return images.length ? images.data[0] : NULL;
}

int image_machine(uintptr_t address) {
  const struct image *image = image_of(address);
  return image ? image->copy : -1;
}

void image_add_gaps(world_gap_list *gaps, uint32_t machines) {
  for (size_t i = 0; i < images.length; i++)
    if (machines >> images.data[i]->copy & 1)
      world_add_gap(gaps, images.data[i]->execution, sizeof *images.data[i]->execution);
}

bool image_contains(uintptr_t pc) {
  return image_of(pc) != NULL;
}

bool image_is_own_code(uintptr_t pc) {
  const struct place *p = place_of(pc);
  return p && p->own && pc >= p->code_low && pc < p->code_high;
}

void image_code(uintptr_t pc, uintptr_t *low, uintptr_t *high) {
  const struct place *p = place_of(pc);
  *low = p ? p->code_low : 0;
  *high = p ? p->code_high : 0;
}

bool image_is_code(uintptr_t pc, const uint8_t **unwind_table) {
  const struct place *p = place_of(pc);
  *unwind_table = p ? p->unwind_table : NULL;
  return p && pc >= p->code_low && pc < p->code_high;
}

bool image_resolve(uintptr_t pc, const char **path, uintptr_t *offset) {
  const struct place *p = place_of(pc);
  if (!p)
    return false;
  *path = p->path;
  *offset = pc - p->bias;
  return true;
}

/* The checker knows what their functions do, or has its own; the rest is nothing that threads share. */
static bool is_known_library(const char *name) {
  static const char *const known[] = {"libc.",      "libm.",       "libmvec.",   "libstdc++.",
                                      "libgcc_s.",  "libpthread.", "libdl.",     "librt.",
                                      "libresolv.", "libutil.",    "libatomic.", "libpmem.",
                                      "libpmem2.",  "libtidemark", "ld-linux",   "linux-vdso",
                                      "libdaxctl",  "libndctl",    "libkmod",    "libuuid"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strncmp(name, known[i], strlen(known[i])) == 0)
      return true;
  return false;
}

static bool is_instrumented(const char *path) {
  struct elf_file f;
  struct str error = {0};
  bool read = elf_read(&f, path, &error), found = read && elf_defined(&f, ABI_VERSION_SYMBOL);
  if (read)
    elf_free(&f);
  str_free(&error);
  return found || !read;
}

void image_foreign_libraries(struct str *names) {
  for (size_t i = 0; i < places.length; i++) {
    const char *path = places.data[i].path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strstr(name, ".so") && !is_known_library(name) && !is_instrumented(path))
      str_format(names, "%s%s", names->length ? ", " : "", name);
  }
}

void *image_once_variable(uintptr_t pc, bool call) {
  struct image *image = image_of(pc);
  if (!image && images.length)
    image = images.data[0];
  CHECK(image && image->once_call && image->once_callable, "std::call_once without libstdc++");
  return call ? image->once_call : image->once_callable;
}

char **image_strings(char *const *strings) {
  size_t count = 0, bytes = 0;
  for (; strings && strings[count]; count++)
    bytes += strlen(strings[count]) + 1;
  char **copy = world_alloc((count + 1) * sizeof *copy + bytes);
  char *to = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    size_t n = strlen(strings[i]) + 1;
    copy[i] = memcpy(to, strings[i], n);
    to += n;
  }
  return copy;
}

void *image_library_symbol(const struct image *image, const char *name) {
  return dlsym(image->handle, name);
}

void *image_cxa_throw(const struct image *image) {
  return image->cxa_throw;
}
