#include "process/within.h"
#include "base/map.h"
#include "base/str.h"
#include "process/cxx_name.h"
#include "process/elf_file.h"
#include "process/object.h"
#include "process/unwind.h"
#include <fnmatch.h>
#include <string.h>

#define DEPTH_MAX 512

static struct map functions; /* where they begin */

struct lookup {
  const char *pattern;
  uintptr_t bias;
  bool found;
};

/* By its name in the symbol table, or as it is written in C++. */
static bool fits(const char *pattern, const char *name) {
  struct str readable = {0};
  bool fits = fnmatch(pattern, name, 0) == 0 ||
              (cxx_name(name, &readable) && cxx_name_fits(pattern, str_text(&readable)));
  str_free(&readable);
  return fits;
}

static void keep(void *context, const char *name, Elf64_Addr address) {
  struct lookup *l = context;
  if (!fits(l->pattern, name))
    return;
  *map_at(&functions, l->bias + address) = 1;
  l->found = true;
}

static void look_into(void *context, const struct object *o) {
  struct lookup *l = context;
  struct elf_file f;
  struct str error = {0};
  if (o->kind != OBJECT_LIBRARY)
    return;
  if (elf_read(&f, o->name, &error)) {
    l->bias = o->bias;
    elf_each_function(&f, keep, l);
    elf_free(&f);
  }
  str_free(&error);
}

/* Of the first pattern: commas between arguments of templates do not end it. */
static size_t length_of(const char *patterns) {
  const char *p = patterns;
  for (int depth = 0; *p && (depth > 0 || *p != ','); p++)
    depth += (*p == '<') - (*p == '>');
  return (size_t)(p - patterns);
}

void within_set(const char *patterns, void (*unknown)(const char *pattern)) {
  for (const char *p = patterns; *p;) {
    size_t length = length_of(p);
    struct str pattern = {0};
    str_append_bytes(&pattern, p, length);
    struct lookup l = {.pattern = str_text(&pattern)};
    object_each(look_into, &l);
    if (!l.found)
      unknown(l.pattern);
    str_free(&pattern);
    p += length + (p[length] == ',');
  }
}

bool within_now(void) {
  uintptr_t pcs[DEPTH_MAX];
  if (!functions.count)
    return false;
  int n = unwind_calls((uintptr_t)__builtin_frame_address(0), pcs, DEPTH_MAX);
  for (int i = 0; i < n; i++) {
    uintptr_t begin = unwind_function(pcs[i]);
    if (begin && map_get(&functions, begin))
      return true;
  }
  return false;
}
