/* Files of a model: where an include is found, and how a file's text becomes items. */
#include "axiom/cat_parse.h"
#include "base/hash.h"
#include <string.h>
#include <unistd.h>

enum { INCLUDE_DEPTH_MAX = 16 };

/* Files of herd's library that say how herd enumerates candidates or spells its primitives: ours of
 * that name say the same to us, whatever lies beside the model. */
static bool is_library(const char *name) {
  static const char *const names[] = {"stdlib.cat", "cos.cat",  "cross.cat",
                                      "ncross.cat", "lock.cat", NULL};
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

static const char *in_folder(struct cat_reader *r, const char *folder, size_t length,
                             const char *name) {
  char *path = arena_format(r->arena, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
  return access(path, R_OK) ? NULL : path;
}

static const char *find_shipped(struct cat_reader *r, const char *name) {
  const char *folder = r->paths.shipped ? r->paths.shipped : ".";
  return in_folder(r, folder, strlen(folder), name);
}

static const char *find_include(struct cat_reader *r, const char *from, const char *name) {
  const char *slash = strrchr(from, '/');
  const char *path = in_folder(r, from, slash ? (size_t)(slash - from) : 0, name);
  for (const char *p = r->paths.extra; p && *p && !path;) {
    size_t length = strcspn(p, ":");
    path = length ? in_folder(r, p, length, name) : NULL;
    p += length + (p[length] == ':');
  }
  return path ? path : find_shipped(r, name);
}

static void read_path(struct cat_reader *r, const char *path, struct place where, cat_items *out) {
  struct scan *s = &r->scan;
  if (++r->include_depth > INCLUDE_DEPTH_MAX)
    scan_fail(s, where, "includes nested more than %d deep", INCLUDE_DEPTH_MAX);
  size_t length;
  struct diag d;
  char *text = scan_read_file(path, r->arena, &length, &d);
  if (!text)
    scan_fail(s, where, "%s: %s", path, d.message);
  cat_read_file(r, path, text, length, out);
  r->include_depth--;
}

void cat_read_library(struct cat_reader *r, const char *name, cat_items *out) {
  struct place where = r->scan.place;
  const char *path = find_shipped(r, name);
  if (!path)
    scan_fail(&r->scan, where, "cannot find \"%s\" among the models that come with tidemark", name);
  bool outer = r->in_library;
  r->in_library = true;
  read_path(r, path, where, out);
  r->in_library = outer;
}

void cat_read_include(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  scan_expect(s, "include", "'include'");
  if (s->kind != TOK_STRING)
    scan_unexpected(s, "a file name in quotes");
  char *name = arena_text(r->arena, s->start + 1, s->length - 2);
  struct place where = s->place;
  if (is_library(name)) {
    cat_read_library(r, name, out);
    scan_advance(s);
    return;
  }
  scan_advance(s);
  const char *path = find_include(r, s->file, name);
  if (!path)
    scan_fail(s, where, "cannot find the included file \"%s\"%s", name,
              r->paths.extra ? "" : ", --include=FOLDER says where else to look");
  read_path(r, path, where, out);
}

/* A model may come with definitions about the annotations of its tests: x.bell beside x.cat. */
void cat_read_annotations(struct cat_reader *r, const char *file, cat_items *out) {
  size_t n = strlen(file);
  if (n <= 4 || strcmp(file + n - 4, ".cat"))
    return;
  char *bell = arena_format(r->arena, "%.*s.bell", (int)n - 4, file);
  struct place where = {file, 0, 0};
  const char *title = r->model->title;
  if (!access(bell, R_OK))
    read_path(r, bell, where, out);
  r->model->title = title;
}
