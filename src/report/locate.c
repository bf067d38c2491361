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

static char *find(const struct locator *l, const char *file) {
  struct str path = {0};
  char *found = NULL;
  if (!exists_in(l->directory ? l->directory : ".", file, &path))
    for (size_t i = 0; i < l->folders.length && !found; i++)
      if (exists_in(l->folders.data[i], file, &path))
        found = canonical(str_text(&path));
  str_free(&path);
  return found;
}

void locator_resolve(struct locator *l, struct place *p) {
  if (!p->file || p->file[0] == '/')
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
