#include "axiom/cat_parse.h"
#include "base/check.h"
#include "base/hash.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INCLUDE_DEPTH_MAX = 16 };

typedef LIST(struct cat_item) item_list;

static void read_items(struct cat_reader *r, item_list *out, bool nested);
static void read_file_items(struct cat_reader *r, const char *file, const char *text, size_t length,
                            item_list *out);

/* The source between two points, blanks squeezed and comments dropped. */
static const char *text_between(struct cat_reader *r, const char *start, const char *end) {
  char *out = arena_alloc(r->arena, (size_t)(end - start) + 1), *q = out;
  int comment = 0;
  for (const char *c = start; c < end; c++) {
    if (c + 1 < end && c[0] == '(' && c[1] == '*')
      comment++;
    if (!comment) {
      if (!isspace((unsigned char)*c))
        *q++ = *c;
      else if (q > out && q[-1] != ' ')
        *q++ = ' ';
    }
    if (comment && c > start && c[-1] == '*' && c[0] == ')')
      comment--;
  }
  while (q > out && q[-1] == ' ')
    q--;
  *q = 0;
  return out;
}

/* ---- includes ----------------------------------------------------------------------------- */

static const char *find_include(struct cat_reader *r, const char *from, const char *name) {
  const char *slash = strrchr(from, '/');
  char *beside = slash ? arena_format(r->arena, "%.*s/%s", (int)(slash - from), from, name)
                       : arena_format(r->arena, "%s", name);
  if (!access(beside, R_OK))
    return beside;
  char *shipped = arena_format(r->arena, "%s/%s", r->directory ? r->directory : ".", name);
  return access(shipped, R_OK) ? NULL : shipped;
}

/* herd's library is built in: these two say how herd enumerates candidates, which is ours to do. */
static bool is_built_in(const char *name) {
  return !strcmp(name, "cos.cat") || !strcmp(name, "stdlib.cat");
}

static void read_include(struct cat_reader *r, item_list *out) {
  struct scan *s = &r->scan;
  scan_expect(s, "include", "'include'");
  if (s->kind != TOK_STRING)
    scan_unexpected(s, "a file name in quotes");
  char *name = arena_text(r->arena, s->start + 1, s->length - 2);
  struct place where = s->place;
  scan_advance(s);
  if (is_built_in(name))
    return;
  const char *path = find_include(r, s->file, name);
  if (!path)
    scan_fail(s, where, "cannot find the included file \"%s\"", name);
  if (++r->include_depth > INCLUDE_DEPTH_MAX)
    scan_fail(s, where, "includes nested more than %d deep", INCLUDE_DEPTH_MAX);
  size_t length;
  struct diag d;
  char *text = scan_read_file(path, r->arena, &length, &d);
  if (!text)
    scan_fail(s, where, "%s: %s", path, d.message);
  read_file_items(r, path, text, length, out);
  r->include_depth--;
}

/* ---- items -------------------------------------------------------------------------------- */

static struct cat_item item(struct cat_reader *r, enum cat_item_kind kind, struct place where) {
  return (struct cat_item){.kind = kind, .place = where, .serial = r->model->serials++};
}

static void read_some(struct cat_reader *r, item_list *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_SOME_REL, s->place);
  scan_advance(s);
  if (scan_accept(s, "set"))
    i.kind = ITEM_SOME_SET;
  else if (scan_accept(s, "order"))
    i.kind = ITEM_SOME_ORDER;
  i.name = scan_name(s, r->arena, "the name of a relation to find");
  if (scan_accept(s, "[")) {
    struct cat_node *set = NULL;
    i.family = true;
    i.index_name = scan_name(s, r->arena, "an index variable");
    scan_expect(s, "in", "'in'");
    i.domain = cat_read_domain(r, &i.low, &i.high, &set);
    if (i.domain == DOMAIN_ACTIONS)
      scan_fail(s, set->place,
                "a family is indexed by threads, locations, lines or a range of numbers");
    scan_expect(s, "]", "']'");
  }
  if (i.kind == ITEM_SOME_ORDER)
    scan_expect(s, "on", "'on' and the set that is ordered");
  else
    scan_expect(s, "in", "'in' and an upper bound");
  i.body = cat_read_expr(r);
  list_push(r->arena, out, i);
}

static const char *read_as(struct cat_reader *r, const char *otherwise) {
  if (!scan_accept(&r->scan, "as"))
    return otherwise;
  return scan_name(&r->scan, r->arena, "a name after 'as'");
}

static void read_require(struct cat_reader *r, item_list *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_REQUIRE, s->place);
  scan_advance(s);
  const char *start = s->start;
  i.body = cat_read_formula(r);
  i.text = text_between(r, start, s->start);
  if (!scan_is(s, "as"))
    scan_unexpected(s, "'as' and a name for the rule");
  i.name = read_as(r, NULL);
  list_push(r->arena, out, i);
}

/* [flag] [~] (acyclic | irreflexive | empty) E [as name] */
static void read_check(struct cat_reader *r, item_list *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_REQUIRE, s->place);
  const char *start = s->start;
  if (scan_accept(s, "flag"))
    i.kind = ITEM_FLAG;
  struct cat_node *not = NULL;
  if (scan_is(s, "~")) {
    not = arena_alloc(r->arena, sizeof *not );
    *not = (struct cat_node){.kind = CAT_NOT, .place = s->place, .serial = r->model->serials++};
    scan_advance(s);
  }
  struct cat_node *n = arena_alloc(r->arena, sizeof *n);
  *n = (struct cat_node){.place = s->place, .serial = r->model->serials++};
  if (scan_accept(s, "acyclic"))
    n->kind = CAT_ACYCLIC;
  else if (scan_accept(s, "irreflexive"))
    n->kind = CAT_IRREFLEXIVE;
  else if (scan_accept(s, "empty"))
    n->kind = CAT_IS_EMPTY;
  else
    scan_unexpected(s, "acyclic, irreflexive or empty");
  n->arg[0] = cat_read_expr(r);
  i.text = text_between(r, start, s->start);
  i.name = read_as(r, i.text);
  i.body = n;
  if (not ) {
    not ->arg[0] = n;
    i.body = not ;
  }
  list_push(r->arena, out, i);
}

static void read_execution(struct cat_reader *r, item_list *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_EXECUTION, s->place);
  scan_advance(s);
  item_list inner = {0};
  scan_enter(s);
  read_items(r, &inner, true);
  scan_leave(s);
  scan_expect(s, "end", "'end' of the execution block");
  i.items = inner.data;
  i.item_count = inner.length;
  list_push(r->arena, out, i);
}

/* if "variant" items else items end: variants are never set, so the first part is only read. */
static void read_if(struct cat_reader *r, item_list *out) {
  struct scan *s = &r->scan;
  scan_advance(s);
  scan_accept(s, "not");
  if (s->kind != TOK_STRING)
    scan_unexpected(s, "a variant name in quotes");
  scan_advance(s);
  item_list ignored = {0};
  scan_enter(s);
  read_items(r, &ignored, true);
  if (scan_accept(s, "else"))
    read_items(r, out, true);
  scan_leave(s);
  scan_expect(s, "end", "'end'");
}

static void read_show(struct cat_reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  do {
    cat_read_expr(r);
    read_as(r, NULL);
  } while (scan_accept(s, ","));
}

static void read_let(struct cat_reader *r, item_list *out) {
  struct cat_item i = item(r, ITEM_LET, r->scan.place);
  cat_read_bindings(r, &i.bindings.data, &i.bindings.length, &i.recursive);
  list_push(r->arena, out, i);
}

static void read_items(struct cat_reader *r, item_list *out, bool nested) {
  struct scan *s = &r->scan;
  for (;;) {
    if (s->kind == TOK_END || (nested && (scan_is(s, "end") || scan_is(s, "else"))))
      return;
    if (scan_is(s, "let"))
      read_let(r, out);
    else if (scan_is(s, "include"))
      read_include(r, out);
    else if (scan_is(s, "show") || scan_is(s, "unshow"))
      read_show(r);
    else if (scan_is(s, "some"))
      read_some(r, out);
    else if (scan_is(s, "require"))
      read_require(r, out);
    else if (scan_is(s, "execution") && !nested)
      read_execution(r, out);
    else if (scan_is(s, "if"))
      read_if(r, out);
    else if (scan_is(s, "flag") || scan_is(s, "~") || scan_is(s, "acyclic") ||
             scan_is(s, "irreflexive") || scan_is(s, "empty"))
      read_check(r, out);
    else if (scan_is(s, "procedure") || scan_is(s, "call") || scan_is(s, "with") ||
             scan_is(s, "enum"))
      scan_fail(s, s->place, "'%.*s' is not supported", (int)s->length, s->start);
    else
      scan_unexpected(
          s, "let, include, show, acyclic, irreflexive, empty, flag, some, require or execution");
  }
}

/* A string, or bare words on the first line. */
static void read_title(struct cat_reader *r) {
  struct scan *s = &r->scan;
  if (s->kind == TOK_STRING) {
    r->model->title =
        r->model->title ? r->model->title : arena_text(r->arena, s->start + 1, s->length - 2);
    scan_advance(s);
    return;
  }
  if (s->kind != TOK_NAME || cat_is_keyword(s))
    return;
  const char *start = s->start;
  int line = s->place.line;
  while (s->kind != TOK_END && s->place.line == line)
    scan_advance(s);
  if (!r->model->title)
    r->model->title = text_between(r, start, s->start);
}

static void read_file_items(struct cat_reader *r, const char *file, const char *text, size_t length,
                            item_list *out) {
  struct scan outer = r->scan;
  scan_init(&r->scan, file, text, length, SCAN_ML_COMMENTS | SCAN_CAT_NAMES, outer.diag);
  memcpy(r->scan.fail, outer.fail, sizeof outer.fail);
  r->model->hash = hash_bytes(r->model->hash, text, length);
  scan_advance(&r->scan);
  read_title(r);
  read_items(r, out, false);
  struct scan inner = r->scan;
  r->scan = outer;
  memcpy(r->scan.fail, inner.fail, sizeof inner.fail);
}

static struct model *parse(struct model *m, const char *file, const char *text, size_t length,
                           const char *directory, struct diag *d) {
  struct cat_reader *r = arena_alloc(&m->arena, sizeof *r);
  r->model = m;
  r->arena = &m->arena;
  r->directory = directory;
  r->scan.diag = d;
  m->file = file;
  item_list *items = arena_alloc(&m->arena, sizeof *items);
  if (setjmp(r->scan.fail)) {
    model_destroy(m);
    return NULL;
  }
  read_file_items(r, file, text, length, items);
  m->items = items->data;
  m->item_count = items->length;
  if (!m->title)
    m->title = "";
  return m;
}

static struct model *model_new(void) {
  struct model *m = calloc(1, sizeof *m);
  CHECK(m, "out of memory");
  return m;
}

struct model *model_load(const char *path, const char *directory, struct diag *d) {
  struct model *m = model_new();
  size_t length;
  char *text = scan_read_file(path, &m->arena, &length, d);
  if (!text) {
    model_destroy(m);
    return NULL;
  }
  return parse(m, arena_text(&m->arena, path, strlen(path)), text, length, directory, d);
}

struct model *model_parse(const char *file, const char *text, const char *directory,
                          struct diag *d) {
  struct model *m = model_new();
  return parse(m, arena_text(&m->arena, file, strlen(file)), text, strlen(text), directory, d);
}

void model_destroy(struct model *m) {
  if (!m)
    return;
  arena_release(&m->arena);
  free(m);
}
