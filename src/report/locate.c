#include "report/locate.h"
#include "base/str.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct answer {
  char *file, *found; /* found NULL: leave it */
};

struct locator {
  struct symbols *symbols;
  const char *directory;
  VEC(char *) objects;
  text_list folders;
  VEC(struct answer) answers;
};

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

struct locator *locator_create(struct symbols *symbols, const char *directory) {
  struct locator *l = mem_alloc(sizeof *l);
  l->symbols = symbols;
  l->directory = directory;
  return l;
}

void locator_free(struct locator *l) {
  for (size_t i = 0; i < l->objects.length; i++)
    text_free(l->objects.data[i]);
  for (size_t i = 0; i < l->folders.length; i++)
    text_free(l->folders.data[i]);
  for (size_t i = 0; i < l->answers.length; i++) {
    text_free(l->answers.data[i].file);
    text_free(l->answers.data[i].found);
  }
  vec_free(&l->objects);
  vec_free(&l->folders);
  vec_free(&l->answers);
  mem_free(l, sizeof *l);
}

void locator_add_object(struct locator *l, const char *object) {
  for (size_t i = 0; i < l->objects.length; i++)
    if (strcmp(l->objects.data[i], object) == 0)
      return;
  vec_push(&l->objects, mem_strdup(object));
  symbols_folders(l->symbols, object, &l->folders);
}

static bool exists_in(const char *folder, const char *file, struct str *path) {
  str_clear(path);
  str_format(path, "%s/%s", folder, file);
  return access(str_text(path), R_OK) == 0;
}

static char *canonical(const char *path) {
  char *real = realpath(path, NULL);
  char *result = mem_strdup(real ? real : path);
  free(real);
  return result;
}

/* What follows the directory of the check, or NULL if the path is not below it. */
static const char *below(const struct locator *l, const char *path) {
  size_t n = l->directory ? strlen(l->directory) : 0;
  return n > 1 && strncmp(path, l->directory, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static bool has_dots(const char *path) {
  return strncmp(path, "./", 2) == 0 || strstr(path, "/./") || strstr(path, "/../");
}

/* Relative to the directory of the check if it is below it, otherwise absolute. */
static char *uniform(const struct locator *l, const char *path) {
  const char *rest = has_dots(path) ? NULL : below(l, path);
  if (rest)
    return mem_strdup(rest);
  char *real = canonical(path);
  rest = below(l, real);
  if (!rest && !has_dots(path)) { /* under the name it was given */
    text_free(real);
    return mem_strdup(path);
  }
  char *result = mem_strdup(rest ? rest : real);
  text_free(real);
  return result;
}

static bool was_compiled_here(const struct locator *l) {
  bool here = !l->directory; /* not known */
  for (size_t i = 0; i < l->folders.length && !here; i++)
    here = strcmp(l->folders.data[i], l->directory) == 0;
  return here;
}

static char *find_in_folders(const struct locator *l, const char *file) {
  struct str path = {0};
  char *found = NULL;
  for (size_t i = 0; i < l->folders.length && !found; i++)
    if (exists_in(l->folders.data[i], file, &path)) {
      char *real = canonical(str_text(&path));
      found = uniform(l, real);
      text_free(real);
    }
  str_free(&path);
  return found;
}

/* Somebody else's file of that name may be in the directory of the check, if nothing was compiled there. */
static char *find(const struct locator *l, const char *file) {
  if (file[0] == '/')
    return uniform(l, file);
  struct str path = {0};
  bool here = exists_in(l->directory ? l->directory : ".", file, &path);
  char *found = here && was_compiled_here(l) ? NULL : find_in_folders(l, file);
  if (here && !found && has_dots(file))
    found = uniform(l, str_text(&path));
  str_free(&path);
  return found;
}

void locator_resolve(struct locator *l, struct place *p) {
  if (!p->file)
    return;
  struct answer *a = NULL;
  for (size_t i = 0; i < l->answers.length && !a; i++)
    if (strcmp(l->answers.data[i].file, p->file) == 0)
      a = &l->answers.data[i];
  if (!a) {
    struct answer fresh = {mem_strdup(p->file), find(l, p->file)};
    vec_push(&l->answers, fresh);
    a = &vec_last(&l->answers);
  }
  if (!a->found)
    return;
  text_free(p->file);
  p->file = mem_strdup(a->found);
}
