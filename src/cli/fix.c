#include "cli/fix.h"
#include "cli/fix_include.h"
#include "cli/fix_source.h"
#include "cli/fix_verify.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(const char *path, struct str *out) {
  char block[65536];
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
    str_append_bytes(out, block, n);
  str_append(out, "");
  fclose(f);
  return true;
}

/* NULL: it cannot be read. */
static struct fix_file *file_of(struct fix *f, const struct report *r, const char *name) {
  struct str path = {0};
  if (name[0] != '/' && r->run->directory)
    str_format(&path, "%s/", r->run->directory);
  str_append(&path, name);
  for (size_t i = 0; i < f->files.length; i++)
    if (strcmp(f->files.data[i].path, str_text(&path)) == 0) {
      str_free(&path);
      return &f->files.data[i];
    }
  struct fix_file new = {.path = mem_strdup(str_text(&path)), .name = mem_strdup(name)};
  str_free(&path);
  if (!read_file(new.path, &new.source)) {
    snprintf(f->unreadable, sizeof f->unreadable, "%s", new.path);
    mem_free(new.path, strlen(new.path) + 1);
    mem_free(new.name, strlen(new.name) + 1);
    return NULL;
  }
  vec_push(&f->files, new);
  return &vec_last(&f->files);
}

/* False: f->why says why not. */
static bool apply(struct fix *f, const struct report *r, const struct place *at,
                  const struct fix_edit *e, const char *function) {
  if (at->file && strncmp(at->file, "/usr/", 5) == 0) {
    f->why = "it is in a header of the system";
    return false;
  }
  struct fix_file *file = at->file ? file_of(f, r, at->file) : NULL;
  f->why = file ? fix_edit_apply(str_text(&file->source), e, function, &file->changes)
                : "its source is not known";
  return !f->why;
}

static bool same_place(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && a->file && b->file &&
         strcmp(a->file, b->file) == 0;
}

/* Does any finding about that store show it as a copy?  In a template it may be one or not. */
static bool is_copied(const struct report *r, const struct place *store) {
  for (size_t i = 0; i < r->results->findings.length; i++) {
    const struct finding *x = &r->results->findings.data[i];
    if (x->parts.length && x->parts.data[0].copied && x->windows.length &&
        same_place(&x->windows.data[0].after, store))
      return true;
  }
  return false;
}

/* "a::b<c>::b": the name [begin, end) of a function or of what it belongs to, without its <...>; end goes before it. */
static const char *last_name(const char *text, const char **end) {
  const char *p = *end, *name_end;
  int depth = 0;
  while (p > text && (depth || p[-1] == '>')) {
    p--;
    depth += (*p == '>') - (*p == '<');
  }
  name_end = p;
  while (p > text && p[-1] != ':' && p[-1] != ' ')
    p--;
  *end = name_end;
  return p;
}

static bool is_constructor(const char *function) {
  const char *end = function ? function + strlen(function) : NULL;
  const char *own = end ? last_name(function, &end) : NULL, *of;
  if (!own || own < function + 2 || own[-1] != ':')
    return false;
  const char *of_end = own - 2;
  of = last_name(function, &of_end);
  return end - own == of_end - of && strncmp(own, of, (size_t)(end - own)) == 0;
}

static void add_later(struct fix_edit *e, const struct place *at, const struct place *p) {
  if (p->file && at->file && strcmp(p->file, at->file) == 0)
    vec_push(&e->later, ((struct fix_position){p->line, p->column}));
}

/* How the program came to the store that survives. */
static void trace_later(struct fix_edit *e, const struct finding *x,
                        const struct finding_window *w) {
  add_later(e, &w->after, &w->before);
  for (size_t i = 0; i < x->parts.length; i++) {
    const struct finding_part *p = &x->parts.data[i];
    if (p->role != FINDING_ROLE_SURVIVED || !p->stack.length)
      continue;
    e->traced = true;
    for (size_t j = 0; j < p->stack.length; j++)
      add_later(e, &w->after, &p->stack.data[j]);
  }
}

static bool same_text(const char *a, const char *b) {
  return a && b && strcmp(a, b) == 0;
}

static int compare_beside(const void *left, const void *right) {
  const struct fix_beside *a = left, *b = right;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The store of that window, which is to be flushed as well, if it is in the same constructor. */
static void add_beside(struct fix_edit *e, const struct report *r, const struct place *at,
                       const struct finding_window *w, uint64_t offset, bool near) {
  if (w->flush && w->primary && same_text(at->file, w->after.file) &&
      same_text(at->function, w->after.function))
    vec_push(&e->beside, ((struct fix_beside){.at = {w->after.line, w->after.column},
                                              .offset = offset,
                                              .near = near,
                                              .copies = is_copied(r, &w->after)}));
}

/* What else the constructor stores, which findings name.  own: where the window's store does. */
static void list_beside(struct fix_edit *e, const struct report *r, const struct finding *x,
                        const struct finding_window *w, uint64_t own) {
  for (size_t i = 0; i < r->results->findings.length; i++) {
    const struct finding *y = &r->results->findings.data[i];
    if (y->kind != FINDING_ROBUSTNESS || !y->windows.length)
      continue;
    const struct finding_part *lost = &y->parts.data[0];
    bool near = same_text(lost->region, x->parts.data[0].region);
    add_beside(e, r, &w->after, &y->windows.data[0], lost->region_offset,
               near && lost->region_offset / 64 == own / 64);
    for (size_t j = 0; j < y->further.length; j++) {
      uint64_t offset = y->further.data[j].lost_offset;
      add_beside(e, r, &w->after, &y->further.data[j], offset, near && offset / 64 == own / 64);
    }
  }
  if (e->beside.length)
    qsort(e->beside.data, e->beside.length, sizeof *e->beside.data, compare_beside);
}

/* A finding of robustness with the same window knows how the program came there, and where (offset) is stored. */
static const struct finding *find_traced(const struct report *r, const struct finding *x,
                                         const struct finding_window *w, uint64_t *offset) {
  for (size_t i = 0; !x->parts.length && i < r->results->findings.length; i++) {
    const struct finding *y = &r->results->findings.data[i];
    if (y->kind != FINDING_ROBUSTNESS || !y->windows.length)
      continue;
    *offset = y->parts.data[0].region_offset;
    if (same_place(&y->windows.data[0].after, &w->after))
      return y;
    for (size_t j = 0; j < y->further.length; j++) {
      *offset = y->further.data[j].lost_offset;
      if (same_place(&y->further.data[j].after, &w->after))
        return y;
    }
  }
  return x;
}

static bool fix_window(struct fix *f, const struct report *r, const struct finding *x,
                       const struct finding_window *w, uint64_t offset, const char *function) {
  struct fix_edit e = {.line = w->after.line,
                       .column = w->after.column,
                       .flush = w->flush,
                       .fence = w->fence,
                       .reads = !w->primary,
                       .copies = is_copied(r, &w->after)};
  if (x->parts.length && x->parts.data[0].bit_field && w->flush) {
    f->why = "a bit-field has no address";
    return false;
  }
  e.constructs = is_constructor(w->after.function);
  const struct finding *traced = e.constructs ? find_traced(r, x, w, &offset) : x;
  if (e.constructs)
    trace_later(&e, traced, w);
  if (e.constructs && traced->parts.length)
    list_beside(&e, r, traced, w, offset);
  bool done = apply(f, r, &w->after, &e, function);
  if (!done)
    f->where = &w->after;
  vec_free(&e.later);
  vec_free(&e.beside);
  return done;
}

static bool is_redundant(const struct finding *x) {
  return finding_kind_is_of_all(x->kind);
}

static bool is_removable(const struct finding *x) {
  return is_redundant(x) && strncmp(x->fix, "remove", 6) == 0;
}

/* Is the place of the fix where the function with the flush or fence was called? */
static bool is_called_there(const struct finding *x) {
  return x->stack.length > 1 && same_place(&x->stack.data[0], &x->parts.data[0].place) &&
         same_place(&x->stack.data[1], &x->fix_place);
}

/* Is there nothing in that function but flushes and fences, and none of them has an effect when it is called there? */
static bool does_nothing_there(struct fix *f, const struct report *r, const struct finding *x) {
  const struct place *own = &x->parts.data[0].place;
  struct fix_file *file = own->file && is_called_there(x) ? file_of(f, r, own->file) : NULL;
  VEC(const char *) places = {0};
  if (!file)
    return false;
  const char *source = str_text(&file->source);
  const char *first = fix_position(source, own->line, own->column);
  vec_push(&places, first);
  for (size_t i = 0; i < r->results->findings.length; i++) {
    const struct finding *y = &r->results->findings.data[i];
    const struct place *place = is_removable(y) ? &y->parts.data[0].place : NULL;
    bool there = place && is_called_there(y) && same_place(&y->fix_place, &x->fix_place);
    bool everywhere = place && same_place(&y->fix_place, place);
    if (!(there || everywhere) || !place->file || strcmp(place->file, own->file) != 0)
      continue;
    const char *at = fix_position(source, place->line, place->column);
    if (at)
      vec_push(&places, at);
  }
  bool nothing = first && fix_is_all_of_function(source, places.data, places.length);
  vec_free(&places);
  return nothing;
}

/* Of several findings about one call the first has removed it. */
static bool is_removed(const struct fix *f, const struct report *r, const struct finding *x) {
  for (size_t i = 0; i < f->fixed.length; i++) {
    const struct finding *y = &r->results->findings.data[f->fixed.data[i]];
    if (is_redundant(y) && same_place(&y->fix_place, &x->fix_place))
      return true;
  }
  return false;
}

static bool remove_redundant(struct fix *f, const struct report *r, const struct finding *x) {
  const struct place *own = &x->parts.data[0].place;
  bool called = own->line != x->fix_place.line || own->column != x->fix_place.column;
  if (!is_removable(x))
    f->why = "perhaps a fence is missing instead";
  else if (called && !does_nothing_there(f, r, x))
    f->why = "it is in a function, which may do more than that";
  if (f->why)
    return false;
  struct fix_edit e = {.line = x->fix_place.line, .column = x->fix_place.column, .calls = called};
  return is_removed(f, r, x) || apply(f, r, &x->fix_place, &e, NULL);
}

/* Of a finding of an analysis one window is enough for each store of the line; of others all are needed. */
static bool fix_finding(struct fix *f, const struct report *r, const struct finding *x,
                        const char *function) {
  if (is_redundant(x))
    return remove_redundant(f, r, x);
  size_t needed = x->parts.length ? 1 : x->windows.length;
  uint64_t offset = x->parts.length ? x->parts.data[0].region_offset : 0;
  const char *why = NULL;
  for (size_t i = 0; i < needed; i++)
    if (!fix_window(f, r, x, &x->windows.data[i], offset, function))
      why = f->why;
  for (size_t i = 0; !why && i < x->further.length; i++)
    if (!fix_window(f, r, x, &x->further.data[i], x->further.data[i].lost_offset, function))
      why = f->why;
  f->why = why;
  return !why;
}

/* Why there is no change for it; once, of several findings about one place. */
static void explain(struct fix *f, const char *what, const struct place *at) {
  struct str line = {0};
  str_append(&line, what);
  place_text(at, false, &line);
  if (f->where && !same_place(f->where, at)) {
    str_append(&line, ", behind ");
    place_text(f->where, false, &line);
  }
  if (f->unreadable[0])
    str_format(&line, ": %s cannot be read\n", f->unreadable);
  else
    str_format(&line, ": %s\n", f->why);
  f->unreadable[0] = '\0';
  if (!strstr(str_text(&f->not_understood), str_text(&line)))
    str_append(&f->not_understood, str_text(&line));
  str_free(&line);
}

/* Fences stand behind lines; a macro may have the store and the load on one. */
static void explain_no_fences(struct fix *f, const struct report *r) {
  for (size_t i = 0; i < r->results->findings.length; i++) {
    const struct finding *x = &r->results->findings.data[i];
    if (x->kind != FINDING_STORE_BUFFER || !x->windows.length)
      continue;
    const struct finding_window *w = &x->windows.data[0];
    if (!r->results->complete)
      f->why = "the search is incomplete";
    else if (w->after.line == w->before.line)
      f->why = "the store and the load are on one line, so there is no place between them";
    else
      continue;
    explain(f, "no fence for ", finding_place(x));
  }
}

/* The fewest fences serve all findings about store buffers together. */
static void fix_store_buffers(struct fix *f, const struct report *r) {
  const place_list *fences = &r->results->fences;
  bool all = fences->length > 0;
  f->where = NULL;
  for (size_t i = 0; i < fences->length; i++) {
    const struct place *at = &fences->data[i];
    struct fix_edit e = {.line = at->line, .column = at->column, .fence = true, .full = true};
    if (apply(f, r, at, &e, NULL))
      continue;
    all = false;
    explain(f, "no fence behind ", at);
  }
  if (!fences->length)
    explain_no_fences(f, r);
  for (size_t i = 0; all && i < r->results->findings.length; i++)
    if (r->results->findings.data[i].kind == FINDING_STORE_BUFFER)
      vec_push(&f->fixed, i);
}

static void add_include(struct fix_file *f) {
  size_t at;
  if (!f->changes.length || fix_includes(str_text(&f->source), "immintrin.h", &at))
    return;
  fix_change_add(&f->changes, str_text(&f->source), (struct fix_change){.at = at},
                 "#include <immintrin.h>\n");
}

/* How much of both is the same folder, without its '/'? */
static size_t common_folder(const char *folder, size_t length, const char *path) {
  size_t same = 0;
  for (size_t i = 0; i <= length; i++) {
    char c = i < length ? folder[i] : '/';
    if (c == '/' && path[i] == '/')
      same = i;
    if (c != path[i])
      break;
  }
  return same;
}

/* patch(1) wants names below the folder in which it is called: the one in which the program was started or, where files
 * lie elsewhere, the nearest above it that has all of them. */
static void name_files(struct fix *f, const struct report *r) {
  char *folder = realpath(r->run->directory ? r->run->directory : ".", NULL);
  size_t length = folder ? strlen(folder) : 0, before = length;
  for (size_t i = 0; i < f->files.length; i++) {
    char *path = realpath(f->files.data[i].path, NULL);
    if (f->files.data[i].changes.length)
      length = path ? common_folder(folder ? folder : "", length, path) : 0;
    free(path);
  }
  for (size_t i = 0; i < f->files.length && length; i++) {
    struct fix_file *file = &f->files.data[i];
    char *path = realpath(file->path, NULL);
    if (file->changes.length) {
      mem_free(file->name, strlen(file->name) + 1);
      file->name = mem_strdup(path + length + 1);
    }
    free(path);
  }
  if (length && length < before)
    str_format(&f->apply_in, "%.*s", (int)length, folder);
  free(folder);
}

void fix_build(const struct report *r, const char *function, struct fix *out) {
  bool intrinsics = false;
  for (size_t i = 0; i < r->results->findings.length; i++) {
    const struct finding *x = &r->results->findings.data[i];
    bool possible = x->windows.length || is_redundant(x);
    if ((!possible && x->kind != FINDING_ROBUSTNESS) || x->kind == FINDING_STORE_BUFFER)
      continue;
    out->why = possible ? NULL : "there is no place for a flush between the two stores";
    out->where = NULL;
    if (possible && fix_finding(out, r, x, function)) {
      vec_push(&out->fixed, i);
      intrinsics |= !is_redundant(x) && (!function || !x->windows.data[0].flush);
      continue;
    }
    explain(out, "no change for ", finding_place(x));
  }
  fix_store_buffers(out, r);
  for (size_t i = 0; intrinsics && i < out->files.length; i++)
    add_include(&out->files.data[i]);
  name_files(out, r);
}

void fix_text(struct fix *f, struct str *out) {
  for (size_t i = 0; i < f->files.length; i++) {
    struct fix_file *file = &f->files.data[i];
    fix_diff(str_text(&file->source), file->name, &file->changes, out);
  }
}

void fix_free(struct fix *f) {
  for (size_t i = 0; i < f->files.length; i++) {
    struct fix_file *file = &f->files.data[i];
    mem_free(file->path, strlen(file->path) + 1);
    mem_free(file->name, strlen(file->name) + 1);
    str_free(&file->source);
    fix_changes_free(&file->changes);
  }
  vec_free(&f->files);
  vec_free(&f->fixed);
  str_free(&f->not_understood);
  str_free(&f->apply_in);
}

void report_fix(const struct report *r, struct str *out) {
  struct fix f = {0};
  str_append(out, "");
  fix_build(r, r->flush_function, &f);
  fix_text(&f, out);
  fputs(str_text(&f.not_understood), stderr);
  if (f.apply_in.length)
    fprintf(stderr, "the diff is to be applied in %s (patch -p1)\n", str_text(&f.apply_in));
  if (r->verify_fix) {
    struct str said = {0};
    fix_verify(r, &f, &said);
    fprintf(stderr, "--verify-fix: %s", str_text(&said));
    str_free(&said);
  }
  fix_free(&f);
}
