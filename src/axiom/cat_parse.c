#include "axiom/cat_parse.h"
#include "base/check.h"
#include "base/hash.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where items stand decides what may be there. */
enum nesting { NEST_NONE, NEST_BRANCH, NEST_EXECUTION, NEST_PROCEDURE };

static void read_items(struct cat_reader *r, cat_items *out, enum nesting nesting);

/* The source between two points, blanks squeezed and comments dropped. */
static const char *text_between(struct cat_reader *r, const char *start, const char *end) {
  char *out = arena_alloc(r->arena, (size_t)(end - start) + 1), *q = out;
  for (const char *c = start; c < end; c++) {
    bool pair = c + 1 < end;
    if (pair && c[0] == '(' && c[1] == '*') {
      int depth = 1;
      for (c += 2; c < end && depth; c++)
        if (c + 1 < end && ((c[0] == '(' && c[1] == '*') || (c[0] == '*' && c[1] == ')')))
          depth += *c++ == '(' ? 1 : -1;
      c--;
    } else if (pair && c[0] == '/' && c[1] == '*') {
      for (c += 2; c + 1 < end && !(c[0] == '*' && c[1] == '/'); c++)
        ;
      c++;
    } else if (*c == '#' || (pair && c[0] == '/' && c[1] == '/')) {
      while (c + 1 < end && c[1] != '\n')
        c++;
    } else if (!isspace((unsigned char)*c)) {
      *q++ = *c;
      continue;
    }
    if (q > out && q[-1] != ' ')
      *q++ = ' ';
  }
  while (q > out && q[-1] == ' ')
    q--;
  *q = 0;
  return out;
}

/* ---- items -------------------------------------------------------------------------------- */

static struct cat_item item(struct cat_reader *r, enum cat_item_kind kind, struct place where) {
  return (struct cat_item){.kind = kind, .place = where, .serial = r->model->serials++};
}

static void read_some(struct cat_reader *r, cat_items *out) {
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

static void read_require(struct cat_reader *r, cat_items *out) {
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

/* [flag | undefined_unless | assert] [~] (acyclic | irreflexive | empty) E [as name].  What must hold
 * (undefined_unless, assert) is reported when it does not. */
static void read_check(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_REQUIRE, s->place);
  const char *start = s->start;
  bool must_hold = scan_is(s, "undefined_unless") || scan_is(s, "assert");
  i.flag = scan_is(s, "assert") ? FLAG_ASSERTION : must_hold ? FLAG_UNDEFINED : FLAG_RAISED;
  if (must_hold || scan_is(s, "flag")) {
    i.kind = ITEM_FLAG;
    scan_advance(s);
  }
  struct cat_node *not = NULL;
  if (scan_is(s, "~")) {
    not = cat_node(r, CAT_NOT, s->place, NULL, NULL);
    scan_advance(s);
  }
  struct cat_node *n = cat_node(r, CAT_ACYCLIC, s->place, NULL, NULL);
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
  if (must_hold) {
    i.body = cat_node(r, CAT_NOT, i.place, i.body, NULL);
    i.name = arena_format(
        r->arena, i.flag == FLAG_ASSERTION ? "assertion failed: %s" : "undefined: %s", i.name);
  }
  list_push(r->arena, out, i);
}

/* Items up to 'end' (or what else ends them, which the caller looks at). */
static void read_nested(struct cat_reader *r, enum nesting nesting, struct cat_item **items,
                        int *count) {
  cat_items inner = {0};
  scan_enter(&r->scan);
  read_items(r, &inner, nesting);
  scan_leave(&r->scan);
  *items = inner.data;
  *count = inner.length;
}

static void read_execution(struct cat_reader *r, cat_items *out) {
  struct cat_item i = item(r, ITEM_EXECUTION, r->scan.place);
  scan_advance(&r->scan);
  read_nested(r, NEST_EXECUTION, &i.items, &i.item_count);
  scan_expect(&r->scan, "end", "'end' of the execution block");
  list_push(r->arena, out, i);
}

/* if variant items else items end: what does not count is only read. */
static void read_if(struct cat_reader *r, cat_items *out, enum nesting nesting) {
  struct scan *s = &r->scan;
  scan_advance(s);
  bool taken = cat_read_variant(r);
  cat_items ignored = {0};
  scan_enter(s);
  read_items(r, taken ? out : &ignored, nesting == NEST_NONE ? NEST_BRANCH : nesting);
  if (scan_accept(s, "else"))
    read_items(r, taken ? &ignored : out, nesting == NEST_NONE ? NEST_BRANCH : nesting);
  scan_leave(s);
  scan_expect(s, "end", "'end'");
}

/* ---- herd's other items ------------------------------------------------------------------- */

static void read_with(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_WITH, s->place);
  const char *start = s->start;
  scan_advance(s);
  if (cat_is_keyword(s))
    scan_unexpected(s, "the name of a relation to choose");
  i.name = scan_name(s, r->arena, "the name of a relation to choose");
  scan_expect(s, "from", "'from' and a set of relations");
  i.body = cat_read_expr(r);
  i.text = text_between(r, start, s->start);
  r->model->uses_co = true;
  list_push(r->arena, out, i);
}

static void read_enum(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_ENUM, s->place);
  scan_advance(s);
  i.name = scan_name(s, r->arena, "the name of an enumeration");
  scan_expect(s, "=", "'='");
  scan_accept(s, "||");
  do
    list_push(r->arena, &i.tags, cat_read_tag(r));
  while (scan_accept(s, "||"));
  list_push(r->arena, out, i);
}

static void read_procedure(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_PROCEDURE, s->place);
  struct cat_binding b = {.place = s->place};
  scan_advance(s);
  if (scan_accept(s, "rec"))
    i.recursive = true;
  i.name = b.name = scan_name(s, r->arena, "the name of a procedure");
  b.takes_tuple = scan_accept(s, "(");
  do
    if (!b.takes_tuple || !scan_is(s, ")"))
      list_push(r->arena, &b.params, cat_read_param(r));
  while (b.takes_tuple && scan_accept(s, ","));
  if (b.takes_tuple)
    scan_expect(s, ")", "',' or ')'");
  scan_expect(s, "=", "'='");
  list_push(r->arena, &i.bindings, b);
  read_nested(r, NEST_PROCEDURE, &i.items, &i.item_count);
  scan_expect(s, "end", "'end' of the procedure");
  list_push(r->arena, out, i);
}

static void read_call(struct cat_reader *r, cat_items *out) {
  static const char *const stdlib[] = {"subseteq", "inclusion", "total", NULL};
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_CALL, s->place);
  scan_advance(s);
  i.text = scan_name(s, r->arena, "the name of a procedure");
  for (int k = 0; stdlib[k]; k++)
    r->needs_stdlib = r->needs_stdlib || !strcmp(stdlib[k], i.text);
  if (!cat_starts_argument(s))
    scan_unexpected(s, "an argument");
  i.body = cat_read_simple(r);
  i.name = read_as(r, NULL);
  list_push(r->arena, out, i);
}

static void read_forall(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_FORALL, s->place);
  scan_advance(s);
  i.name = scan_name(s, r->arena, "a variable");
  scan_expect(s, "in", "'in'");
  i.body = cat_read_expr(r);
  scan_expect(s, "do", "'do'");
  read_nested(r, NEST_PROCEDURE, &i.items, &i.item_count);
  scan_expect(s, "end", "'end' of forall");
  list_push(r->arena, out, i);
}

static void read_match_items(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_MATCH, s->place);
  scan_advance(s);
  i.body = cat_read_expr(r);
  scan_expect(s, "with", "'with'");
  scan_accept(s, "||");
  do {
    struct cat_clause c = {NULL, NULL, 0};
    if (!scan_accept(s, "_"))
      c.tag = cat_read_tag(r);
    scan_expect(s, "->", "'->'");
    read_nested(r, NEST_PROCEDURE, &c.items, &c.item_count);
    list_push(r->arena, &i.clauses, c);
  } while (scan_accept(s, "||"));
  scan_expect(s, "end", "'||' or 'end'");
  list_push(r->arena, out, i);
}

/* instructions R[{'once, 'acquire}], default F['mb]: which annotations a test may use is for its
 * front end to check. */
static void read_instructions(struct cat_reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  scan_name(s, r->arena, "a kind of instruction");
  scan_expect(s, "[", "'['");
  do
    cat_read_expr(r);
  while (scan_accept(s, ","));
  scan_expect(s, "]", "']'");
}

static void read_show(struct cat_reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  do {
    cat_read_expr(r);
    read_as(r, NULL);
  } while (scan_accept(s, ","));
}

/* A model that computes dependencies does so from registers, which executions do not have: the
 * front end has done that already, and its relations stay. */
static void keep_dependencies(struct cat_item *i) {
  static const char *const given[] = {
      "data",          "addr",          "ctrl",           "pick-data-dep",
      "pick-addr-dep", "pick-ctrl-dep", "pick-basic-dep", NULL};
  int kept = 0;
  for (int b = 0; b < i->bindings.length; b++) {
    bool drop = false;
    for (int g = 0; given[g] && i->bindings.data[b].name; g++)
      drop = drop || !strcmp(given[g], i->bindings.data[b].name);
    if (!drop)
      i->bindings.data[kept++] = i->bindings.data[b];
  }
  i->bindings.length = kept;
}

static void read_let(struct cat_reader *r, cat_items *out) {
  struct scan *s = &r->scan;
  struct cat_item i = item(r, ITEM_LET, s->place);
  cat_read_bindings(r, &i.bindings.data, &i.bindings.length, &i.recursive);
  if (r->model->computes_deps)
    keep_dependencies(&i);
  if (i.bindings.length)
    list_push(r->arena, out, i);
  if (i.recursive && scan_accept(s, "when"))
    read_check(r, out);
  scan_accept(s, "in");
}

/* Items that are allowed everywhere; false if there is none here. */
static bool read_plain_item(struct cat_reader *r, cat_items *out, enum nesting nesting) {
  struct scan *s = &r->scan;
  if (scan_is(s, "let"))
    read_let(r, out);
  else if (scan_is(s, "show") || scan_is(s, "unshow"))
    read_show(r);
  else if (scan_is(s, "require"))
    read_require(r, out);
  else if (scan_is(s, "if"))
    read_if(r, out, nesting);
  else if (scan_is(s, "match"))
    read_match_items(r, out);
  else if (scan_is(s, "call"))
    read_call(r, out);
  else if (scan_is(s, "forall"))
    read_forall(r, out);
  else if (scan_is(s, "procedure"))
    read_procedure(r, out);
  else if (scan_is(s, "flag") || scan_is(s, "undefined_unless") || scan_is(s, "assert") ||
           scan_is(s, "~") || scan_is(s, "acyclic") || scan_is(s, "irreflexive") ||
           scan_is(s, "empty"))
    read_check(r, out);
  else if (scan_accept(s, "debug"))
    cat_read_expr(r);
  else
    return false;
  return true;
}

/* Items that choose something or bring in a file: once, not in a procedure. */
static bool read_outer_item(struct cat_reader *r, cat_items *out, enum nesting nesting) {
  struct scan *s = &r->scan;
  if (scan_is(s, "include"))
    cat_read_include(r, out);
  else if (scan_is(s, "some"))
    read_some(r, out);
  else if (scan_is(s, "with") && nesting != NEST_EXECUTION)
    read_with(r, out);
  else if (scan_is(s, "enum"))
    read_enum(r, out);
  else if (scan_is(s, "instructions") || scan_is(s, "default"))
    read_instructions(r);
  else if (scan_is(s, "execution") && nesting == NEST_NONE)
    read_execution(r, out);
  else
    return false;
  return true;
}

static void read_items(struct cat_reader *r, cat_items *out, enum nesting nesting) {
  struct scan *s = &r->scan;
  for (;;) {
    if (s->kind == TOK_END ||
        (nesting != NEST_NONE && (scan_is(s, "end") || scan_is(s, "else") || scan_is(s, "||"))))
      return;
    if (!read_plain_item(r, out, nesting) &&
        (nesting == NEST_PROCEDURE || !read_outer_item(r, out, nesting)))
      scan_unexpected(s, nesting == NEST_PROCEDURE
                             ? "let, call, forall, acyclic, irreflexive, empty, flag or 'end'"
                             : "let, include, show, acyclic, irreflexive, empty, flag, some, "
                               "require or execution");
  }
}

/* A string, or bare words on the first line; then catdep, if the model computes dependencies. */
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

void cat_read_file(struct cat_reader *r, const char *file, const char *text, size_t length,
                   cat_items *out) {
  struct scan outer = r->scan;
  scan_init(&r->scan, file, text, length, SCAN_ML_COMMENTS | SCAN_C_COMMENTS | SCAN_CAT_NAMES,
            outer.diag);
  memcpy(r->scan.fail, outer.fail, sizeof outer.fail);
  r->model->hash = hash_bytes(r->model->hash, text, length);
  scan_advance(&r->scan);
  read_title(r);
  if (scan_accept(&r->scan, "catdep"))
    r->model->computes_deps = true;
  read_items(r, out, NEST_NONE);
  struct scan inner = r->scan;
  r->scan = outer;
  memcpy(r->scan.fail, inner.fail, sizeof inner.fail);
}

/* The library comes first, but whether it is needed is known last. */
static void read_stdlib(struct cat_reader *r, cat_items *items) {
  cat_items all = {0};
  bool catdep = r->model->computes_deps;
  r->model->computes_deps = false; /* the dependencies in there are not the model's own */
  cat_read_library(r, "stdlib.cat", &all);
  r->model->computes_deps = catdep;
  for (int i = 0; i < items->length; i++)
    list_push(r->arena, &all, items->data[i]);
  *items = all;
}

static struct model *parse(struct model *m, const char *file, const char *text, size_t length,
                           struct model_paths paths, struct diag *d) {
  struct cat_reader *r = arena_alloc(&m->arena, sizeof *r);
  r->model = m;
  r->arena = &m->arena;
  r->paths = paths;
  r->scan.diag = d;
  r->scan.place.file = m->file = file;
  cat_items *items = arena_alloc(&m->arena, sizeof *items);
  if (setjmp(r->scan.fail)) {
    model_destroy(m);
    return NULL;
  }
  cat_read_annotations(r, file, items);
  cat_read_file(r, file, text, length, items);
  if (r->needs_stdlib)
    read_stdlib(r, items);
  m->items = items->data;
  m->item_count = items->length;
  if (!m->title)
    m->title = "";
  return m;
}

static struct model *model_new(void) {
  struct model *m = calloc(1, sizeof *m);
  if (!m)
    check_exhausted();
  return m;
}

struct model *model_load_from(const char *path, struct model_paths paths, struct diag *d) {
  struct model *m = model_new();
  size_t length;
  char *text = scan_read_file(path, &m->arena, &length, d);
  if (!text) {
    model_destroy(m);
    return NULL;
  }
  return parse(m, arena_text(&m->arena, path, strlen(path)), text, length, paths, d);
}

struct model *model_load(const char *path, const char *directory, struct diag *d) {
  return model_load_from(path, (struct model_paths){.shipped = directory}, d);
}

struct model *model_parse(const char *file, const char *text, const char *directory,
                          struct diag *d) {
  struct model *m = model_new();
  return parse(m, arena_text(&m->arena, file, strlen(file)), text, strlen(text),
               (struct model_paths){.shipped = directory}, d);
}

void model_destroy(struct model *m) {
  if (!m)
    return;
  arena_release(&m->arena);
  free(m);
}
