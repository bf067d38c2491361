#include "axiom/cat_parse.h"
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {
    "let",    "rec",    "and",    "when",  "in",          "as",      "acyclic",
    "empty",  "show",   "unshow", "with",  "irreflexive", "include", "flag",
    "if",     "then",   "else",   "end",   "some",        "require", "execution",
    "forall", "exists", "on",     "try",   "fun",         "call",    "procedure",
    "not",    "one",    "lone",   "enum",  "from",        "match",   "undefined_unless",
    "union",  "begin",  "do",     "debug", "default",     "variant", "instructions",
    "assert", "catdep", "subset", NULL};

bool cat_is_keyword(const struct scan *s) {
  for (int i = 0; keywords[i]; i++)
    if (scan_is(s, keywords[i]))
      return true;
  return false;
}

struct cat_node *cat_node(struct cat_reader *r, enum cat_kind kind, struct place where,
                          struct cat_node *a, struct cat_node *b) {
  struct cat_node *n = arena_alloc(r->arena, sizeof *n);
  n->kind = kind;
  n->place = where;
  n->arg[0] = a;
  n->arg[1] = b;
  n->serial = r->model->serials++;
  return n;
}

/* ---- indices and domains ------------------------------------------------------------------ */

/* A name may have swallowed "-1": the scanner takes '-' as part of names. */
static struct cat_index read_index(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_index i = {NULL, 0};
  if (s->kind == TOK_NUMBER) {
    i.offset = (int)scan_number(s, "an index");
    return i;
  }
  struct place where = s->place;
  char *name = scan_name(s, r->arena, "an index: a number, a variable or k"),
       *dash = strchr(name, '-');
  if (dash) {
    char *end;
    long n = strtol(dash + 1, &end, 10);
    if (*end || n > 1000)
      scan_fail(s, where, "'%s' is not an index, expected a variable or variable-number", name);
    *dash = 0;
    i.offset = -(int)n;
  } else if (scan_accept(s, "+")) {
    i.offset = (int)scan_number(s, "a number");
  }
  i.base = name;
  return i;
}

static bool next_is_range(const struct cat_reader *r) {
  const char *p = r->scan.next;
  while (p < r->scan.end && *p == ' ')
    p++;
  return p + 1 < r->scan.end && p[0] == '.' && p[1] == '.';
}

enum cat_domain cat_read_domain(struct cat_reader *r, struct cat_index *low, struct cat_index *high,
                                struct cat_node **set) {
  struct scan *s = &r->scan;
  if (scan_accept(s, "threads"))
    return DOMAIN_THREADS;
  if (scan_accept(s, "locations"))
    return DOMAIN_LOCATIONS;
  if (scan_accept(s, "lines"))
    return DOMAIN_LINES;
  if ((s->kind == TOK_NUMBER || s->kind == TOK_NAME) && next_is_range(r)) {
    *low = read_index(r);
    scan_expect(s, "..", "'..'");
    *high = read_index(r);
    return DOMAIN_RANGE;
  }
  *set = cat_read_expr(r);
  return DOMAIN_ACTIONS;
}

/* ---- expressions -------------------------------------------------------------------------- */

bool cat_starts_argument(const struct scan *s) {
  if (s->kind == TOK_NAME)
    return !cat_is_keyword(s) || scan_is(s, "begin");
  return (s->kind == TOK_NUMBER && s->number == 0) || scan_is(s, "(") || scan_is(s, "[") ||
         scan_is(s, "{") || scan_is(s, "'");
}

/* What can follow '*' as an operator; let and if need parentheses there. */
static bool starts_operand(const struct scan *s) {
  return cat_starts_argument(s) || scan_is(s, "~") || scan_is(s, "try") || scan_is(s, "fun") ||
         scan_is(s, "union");
}

const char *cat_read_param(struct cat_reader *r) {
  if (scan_accept(&r->scan, "_"))
    return "";
  if (cat_is_keyword(&r->scan))
    scan_unexpected(&r->scan, "a parameter");
  return scan_name(&r->scan, r->arena, "a parameter");
}

char *cat_read_tag(struct cat_reader *r) {
  scan_expect(&r->scan, "'", "a tag, as in 'acquire");
  return scan_name(&r->scan, r->arena, "the name of a tag");
}

static struct cat_node *read_field(struct cat_reader *r, struct place where,
                                   struct cat_node *index) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_FIELD, where, index, NULL);
  if (index) {
    n->low = index->low;
    r->model->many_executions = true;
  }
  n->text = scan_name(s, r->arena, "a name after '.'");
  return n;
}

/* After the name of a family or of E, with the scanner on '['. */
static struct cat_node *read_subscript(struct cat_reader *r, struct cat_node *base) {
  struct scan *s = &r->scan;
  scan_advance(s);
  struct cat_node *n = cat_node(r, CAT_INDEX, base->place, base, NULL);
  n->low = read_index(r);
  scan_expect(s, "]", "']'");
  if (strcmp(base->text, "E"))
    return n;
  if (scan_accept(s, "."))
    return read_field(r, base->place, n);
  r->model->many_executions = true;
  return n; /* an execution as an argument */
}

/* What models/stdlib.cat defines; it is read only if a model uses some of it. */
static bool in_stdlib(const char *name) {
  static const char *const names[] = {"map",           "imply",          "nodetour",
                                      "ctrlcfence",    "pick-addr-dep",  "pick-data-dep",
                                      "pick-ctrl-dep", "pick-basic-dep", NULL};
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

static struct cat_node *read_name(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_NAME, s->place, NULL, NULL);
  bool touching = s->next < s->end && *s->next == '[';
  n->text = scan_name(s, r->arena, "a name");
  if (!strcmp(n->text, "_"))
    n->kind = CAT_ANY;
  if (!strcmp(n->text, "Start") || !strcmp(n->text, "End"))
    r->model->uses_start_end = true;
  static const char *const with_co[] = {"co",  "coe", "coi", "fr", "fre",
                                        "fri", "ca",  "co0", "FW", NULL};
  for (int i = 0; with_co[i]; i++)
    r->model->uses_co = r->model->uses_co || !strcmp(n->text, with_co[i]);
  r->needs_stdlib = r->needs_stdlib || in_stdlib(n->text);
  if (!strncmp(n->text, "E.", 2) && n->text[2]) {
    n->kind = CAT_FIELD;
    n->text += 2;
    return n;
  }
  if (!strcmp(n->text, "E") && scan_accept(s, "."))
    return read_field(r, n->place, NULL);
  if (touching && scan_is(s, "["))
    return read_subscript(r, n);
  return n;
}

static struct cat_node *read_let_in(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_LET_IN, s->place, NULL, NULL);
  cat_read_bindings(r, &n->bindings.data, &n->bindings.length, &n->recursive);
  scan_expect(s, "in", "'in'");
  n->arg[0] = cat_read_expr(r);
  return n;
}

static struct cat_node *read_fun(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_FUN, s->place, NULL, NULL);
  struct cat_binding b = {.name = "fun", .place = s->place};
  scan_advance(s);
  bool tuple = b.takes_tuple = scan_accept(s, "(");
  do
    if (!tuple || !scan_is(s, ")"))
      list_push(r->arena, &b.params, cat_read_param(r));
  while (tuple && scan_accept(s, ","));
  if (tuple)
    scan_expect(s, ")", "',' or ')'");
  scan_expect(s, "->", "'->'");
  b.body = cat_read_expr(r);
  list_push(r->arena, &n->bindings, b);
  return n;
}

/* Are we on a condition over variants, and not on a formula?  (not "a" && ...) */
static bool on_variant(const struct cat_reader *r) {
  struct scan look = r->scan;
  while (scan_is(&look, "(") || scan_is(&look, "not"))
    scan_advance(&look);
  return look.kind == TOK_STRING || scan_is(&look, "variant");
}

static bool read_variant_atom(struct cat_reader *r) {
  struct scan *s = &r->scan;
  bool answer = false;
  scan_enter(s);
  if (scan_accept(s, "not")) {
    answer = !read_variant_atom(r);
  } else if (scan_accept(s, "(")) {
    answer = cat_read_variant(r);
    scan_expect(s, ")", "')'");
  } else {
    scan_accept(s, "variant");
    if (s->kind != TOK_STRING)
      scan_unexpected(s, "a variant name in quotes");
    scan_advance(s);
  }
  scan_leave(s);
  return answer;
}

bool cat_read_variant(struct cat_reader *r) {
  bool any = false;
  do {
    bool all = read_variant_atom(r);
    while (scan_accept(&r->scan, "&&"))
      all = read_variant_atom(r) && all;
    any = any || all;
  } while (scan_accept(&r->scan, "||"));
  return any;
}

/* Conditions over variants are decided here: only the branch that counts is in the tree. */
static struct cat_node *read_conditional(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_IF, s->place, NULL, NULL);
  scan_advance(s);
  bool variant = on_variant(r), taken = variant && cat_read_variant(r);
  n->set = variant ? NULL : cat_read_formula(r);
  scan_accept(s, "then");
  n->arg[0] = cat_read_expr(r);
  scan_expect(s, "else", "'else'");
  n->arg[1] = cat_read_expr(r);
  return variant ? n->arg[taken ? 0 : 1] : n;
}

/* {} -> E || x ++ y -> F, in either order */
static void read_set_clause(struct cat_reader *r, struct cat_node *n) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  bool empty = scan_accept(s, "{");
  if (empty) {
    scan_expect(s, "}", "'}'");
  } else {
    const char *first = cat_read_param(r);
    scan_expect(s, "++", "'++' between a member and the rest");
    const char *rest = cat_read_param(r);
    list_push(r->arena, &n->bindings.data[0].params, first);
    list_push(r->arena, &n->bindings.data[0].params, rest);
  }
  if (n->args.data[empty ? 0 : 1])
    scan_fail(s, where, "a second clause for %s set", empty ? "the empty" : "a non-empty");
  scan_expect(s, "->", "'->'");
  n->args.data[empty ? 0 : 1] = cat_read_expr(r);
}

static void read_tag_clause(struct cat_reader *r, struct cat_node *n) {
  struct scan *s = &r->scan;
  struct cat_binding b = {.place = s->place};
  if (!scan_accept(s, "_"))
    b.name = cat_read_tag(r);
  scan_expect(s, "->", "'->'");
  list_push(r->arena, &n->bindings, b);
  list_push(r->arena, &n->args, cat_read_expr(r));
}

static bool on_tag_clause(const struct cat_reader *r) {
  struct scan look = r->scan;
  if (!scan_accept(&look, "_"))
    return scan_is(&look, "'");
  return scan_is(&look, "->");
}

static struct cat_node *read_match(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_MATCH_SET, s->place, NULL, NULL);
  scan_advance(s);
  n->arg[0] = cat_read_expr(r);
  scan_expect(s, "with", "'with'");
  scan_accept(s, "||");
  if (on_tag_clause(r)) {
    n->kind = CAT_MATCH_TAG;
    do
      read_tag_clause(r, n);
    while (scan_accept(s, "||"));
  } else {
    struct cat_binding names = {.place = s->place};
    list_push(r->arena, &n->bindings, names);
    list_push(r->arena, &n->args, NULL);
    list_push(r->arena, &n->args, NULL);
    do
      read_set_clause(r, n);
    while (scan_accept(s, "||"));
    if (!n->args.data[0] || !n->args.data[1])
      scan_fail(s, n->place, "a match on a set needs the clauses {} -> ... and x ++ y -> ...");
  }
  scan_expect(s, "end", "'||' or 'end'");
  return n;
}

static struct cat_node *read_big_union(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_BIG_UNION, s->place, NULL, NULL);
  scan_advance(s);
  n->text = scan_name(s, r->arena, "a variable");
  scan_expect(s, "in", "'in'");
  n->domain = cat_read_domain(r, &n->low, &n->high, &n->set);
  scan_expect(s, ":", "':'");
  n->arg[0] = cat_read_expr(r);
  return n;
}

/* (E), (E, F, ...) or () */
static struct cat_node *read_parenthesis(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  scan_advance(s);
  struct cat_node *tuple = cat_node(r, CAT_TUPLE, where, NULL, NULL);
  if (scan_accept(s, ")"))
    return tuple;
  struct cat_node *n = cat_read_expr(r);
  if (scan_is(s, ",")) {
    list_push(r->arena, &tuple->args, n);
    while (scan_accept(s, ","))
      list_push(r->arena, &tuple->args, cat_read_expr(r));
    n = tuple;
  }
  scan_expect(s, ")", "')'");
  return n;
}

static struct cat_node *read_literal(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, CAT_LITERAL, s->place, NULL, NULL);
  scan_advance(s);
  if (!scan_is(s, "}"))
    do
      list_push(r->arena, &n->args, cat_read_expr(r));
    while (scan_accept(s, ","));
  scan_expect(s, "}", "',' or '}'");
  if (!n->args.length)
    n->kind = CAT_EMPTY;
  return n;
}

struct cat_node *cat_read_simple(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  if (s->kind == TOK_NAME && !cat_is_keyword(s))
    return read_name(r);
  if (s->kind == TOK_NUMBER && s->number == 0) {
    scan_advance(s);
    return cat_node(r, CAT_EMPTY, where, NULL, NULL);
  }
  if (scan_is(s, "{"))
    return read_literal(r);
  if (scan_is(s, "("))
    return read_parenthesis(r);
  if (scan_is(s, "'")) {
    struct cat_node *n = cat_node(r, CAT_TAG, where, NULL, NULL);
    n->text = cat_read_tag(r);
    return n;
  }
  if (scan_accept(s, "[")) {
    struct cat_node *n = cat_node(r, CAT_IDENTITY, where, cat_read_expr(r), NULL);
    scan_expect(s, "]", "']'");
    return n;
  }
  if (scan_accept(s, "begin")) {
    struct cat_node *n = cat_read_expr(r);
    scan_expect(s, "end", "'end'");
    return n;
  }
  scan_unexpected(s, "a set or a relation");
}

static struct cat_node *read_primary(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  if (scan_is(s, "let"))
    return read_let_in(r);
  if (scan_is(s, "fun"))
    return read_fun(r);
  if (scan_is(s, "if"))
    return read_conditional(r);
  if (scan_is(s, "match"))
    return read_match(r);
  if (scan_is(s, "union"))
    return read_big_union(r);
  if (scan_accept(s, "try")) {
    struct cat_node *n = cat_node(r, CAT_TRY, where, cat_read_expr(r), NULL);
    scan_expect(s, "with", "'with'");
    n->arg[1] = cat_read_expr(r);
    return n;
  }
  return cat_read_simple(r);
}

/* f(x, y), f x or f x y */
static struct cat_node *read_application(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = read_primary(r);
  while ((n->kind == CAT_NAME || n->kind == CAT_CALL) && cat_starts_argument(s)) {
    struct cat_node *call = cat_node(r, CAT_CALL, n->place, n, NULL), *a = cat_read_simple(r);
    if (a->kind == CAT_TUPLE) {
      call->args.data = a->args.data;
      call->args.length = a->args.length;
    } else {
      list_push(r->arena, &call->args, a);
    }
    n = call;
  }
  return n;
}

/* '*' is a closure unless something follows that it could multiply with. */
static bool star_is_closure(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct scan saved = *s;
  scan_advance(s);
  bool closure = !starts_operand(s);
  scan_restore(s, &saved);
  return closure;
}

static struct cat_node *read_postfix(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = read_application(r);
  for (;;) {
    enum cat_kind kind;
    if (scan_is(s, "^+") || scan_is(s, "+"))
      kind = CAT_PLUS;
    else if (scan_is(s, "^*") || (scan_is(s, "*") && star_is_closure(r)))
      kind = CAT_STAR;
    else if (scan_is(s, "^-1") || scan_is(s, "^"))
      kind = CAT_INVERSE;
    else if (scan_is(s, "?"))
      kind = CAT_OPT;
    else
      return n;
    n = cat_node(r, kind, s->place, n, NULL);
    if (scan_accept(s, "^")) { /* blanks around -1 */
      scan_expect(s, "-", "-1");
      if (s->kind != TOK_NUMBER || s->number != 1)
        scan_unexpected(s, "1");
    }
    scan_advance(s);
  }
}

static struct cat_node *read_prefix(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  scan_enter(s);
  struct cat_node *n = scan_accept(s, "~")
                           ? cat_node(r, CAT_COMPLEMENT, where, read_prefix(r), NULL)
                           : read_postfix(r);
  scan_leave(s);
  return n;
}

/* Binary operators, loosest first.  ++ associates to the right; for the others, where it matters,
 * to the left. */
static const struct {
  const char *text;
  enum cat_kind kind;
} levels[] = {{"|", CAT_UNION}, {"++", CAT_ADD},  {";", CAT_SEQ},
              {"\\", CAT_DIFF}, {"&", CAT_INTER}, {"*", CAT_PRODUCT}};

static struct cat_node *read_level(struct cat_reader *r, unsigned level) {
  if (level == sizeof levels / sizeof *levels)
    return read_prefix(r);
  struct cat_node *n = read_level(r, level + 1);
  while (scan_is(&r->scan, levels[level].text)) {
    struct place where = r->scan.place;
    bool right = levels[level].kind == CAT_ADD;
    scan_advance(&r->scan);
    scan_enter(&r->scan);
    n = cat_node(r, levels[level].kind, where, n, read_level(r, right ? level : level + 1));
    scan_leave(&r->scan);
  }
  return n;
}

struct cat_node *cat_read_expr(struct cat_reader *r) {
  scan_enter(&r->scan);
  struct cat_node *n = read_level(r, 0);
  scan_leave(&r->scan);
  return n;
}

/* The left side of a definition: x, f x, f(x, y), (x, y) or x, y. */
static struct cat_binding read_defined(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_binding b = {.place = s->place, .in_library = r->in_library};
  if (scan_accept(s, "(")) {
    do
      list_push(r->arena, &b.pattern, cat_read_param(r));
    while (scan_accept(s, ","));
    scan_expect(s, ")", "',' or ')'");
    if (b.pattern.length == 1) {
      b.name = b.pattern.data[0];
      b.pattern.length = 0;
    }
    return b;
  }
  if (cat_is_keyword(s))
    scan_unexpected(s, "a name to define");
  b.name = scan_name(s, r->arena, "a name to define");
  if (scan_is(s, ",")) {
    list_push(r->arena, &b.pattern, strcmp(b.name, "_") ? b.name : "");
    b.name = NULL;
    while (scan_accept(s, ","))
      list_push(r->arena, &b.pattern, cat_read_param(r));
  } else if (scan_accept(s, "(")) {
    b.takes_tuple = true;
    if (!scan_is(s, ")"))
      do
        list_push(r->arena, &b.params, cat_read_param(r));
      while (scan_accept(s, ","));
    scan_expect(s, ")", "',' or ')'");
  } else if (s->kind == TOK_NAME && !cat_is_keyword(s)) {
    list_push(r->arena, &b.params, cat_read_param(r));
  }
  return b;
}

void cat_read_bindings(struct cat_reader *r, struct cat_binding **out, int *count,
                       bool *recursive) {
  struct scan *s = &r->scan;
  LIST(struct cat_binding) list = {0};
  scan_expect(s, "let", "'let'");
  *recursive = scan_accept(s, "rec");
  do {
    struct cat_binding b = read_defined(r);
    if (*recursive && !b.name)
      scan_fail(s, b.place, "a recursive definition needs one name, not a tuple of names");
    scan_expect(s, "=", "'='");
    b.body = cat_read_expr(r);
    list_push(r->arena, &list, b);
  } while (scan_accept(s, "and"));
  *out = list.data;
  *count = list.length;
}
