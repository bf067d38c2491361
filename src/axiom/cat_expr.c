#include "axiom/cat_parse.h"
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {"let",          "rec",
                                       "and",          "in",
                                       "as",           "acyclic",
                                       "irreflexive",  "empty",
                                       "show",         "unshow",
                                       "include",      "with",
                                       "flag",         "if",
                                       "then",         "else",
                                       "end",          "some",
                                       "require",      "execution",
                                       "forall",       "exists",
                                       "on",           "try",
                                       "fun",          "procedure",
                                       "call",         "not",
                                       "one",          "lone",
                                       "enum",         "from",
                                       "match",        "undefined_unless",
                                       "instructions", "union",
                                       "assert",       NULL};

bool cat_is_keyword(const struct scan *s) {
  for (int i = 0; keywords[i]; i++)
    if (scan_is(s, keywords[i]))
      return true;
  return false;
}

static struct cat_node *node(struct cat_reader *r, enum cat_kind kind, struct place where,
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

static struct cat_node *read_union(struct cat_reader *r);

static bool starts_expression(const struct scan *s) {
  if (s->kind == TOK_NAME)
    return !cat_is_keyword(s) || scan_is(s, "try") || scan_is(s, "fun") || scan_is(s, "union") ||
           scan_is(s, "if") || scan_is(s, "let");
  return (s->kind == TOK_NUMBER && s->number == 0) || scan_is(s, "(") || scan_is(s, "[") ||
         scan_is(s, "{") || scan_is(s, "~");
}

static struct cat_node *read_field(struct cat_reader *r, struct place where,
                                   struct cat_node *index) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, CAT_FIELD, where, index, NULL);
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
  struct cat_node *n = node(r, CAT_INDEX, base->place, base, NULL);
  n->low = read_index(r);
  scan_expect(s, "]", "']'");
  if (strcmp(base->text, "E"))
    return n;
  if (scan_accept(s, "."))
    return read_field(r, base->place, n);
  r->model->many_executions = true;
  return n; /* an execution as an argument */
}

static struct cat_node *read_name(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, CAT_NAME, s->place, NULL, NULL);
  bool touching = s->next < s->end && *s->next == '[';
  n->text = scan_name(s, r->arena, "a name");
  if (!strcmp(n->text, "_"))
    n->kind = CAT_ANY;
  if (!strcmp(n->text, "Start") || !strcmp(n->text, "End"))
    r->model->uses_start_end = true;
  static const char *const with_co[] = {"co", "coe", "coi", "fr", "fre", "fri", "ca", NULL};
  for (int i = 0; with_co[i]; i++)
    r->model->uses_co = r->model->uses_co || !strcmp(n->text, with_co[i]);
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
  struct cat_node *n = node(r, CAT_LET_IN, s->place, NULL, NULL);
  cat_read_bindings(r, &n->bindings.data, &n->bindings.length, &n->recursive);
  scan_expect(s, "in", "'in'");
  n->arg[0] = cat_read_expr(r);
  return n;
}

static struct cat_node *read_fun(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, CAT_FUN, s->place, NULL, NULL);
  struct cat_binding b = {.name = "fun", .place = s->place};
  scan_advance(s);
  bool tuple = b.takes_tuple = scan_accept(s, "(");
  do
    list_push(r->arena, &b.params, scan_name(s, r->arena, "a parameter"));
  while (tuple && scan_accept(s, ","));
  if (tuple)
    scan_expect(s, ")", "')'");
  scan_expect(s, "->", "'->'");
  b.body = cat_read_expr(r);
  list_push(r->arena, &n->bindings, b);
  return n;
}

static struct cat_node *read_conditional(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, CAT_IF, s->place, NULL, NULL);
  scan_advance(s);
  if (s->kind != TOK_STRING)
    scan_unexpected(s, "a variant name in quotes");
  scan_advance(s);
  scan_accept(s, "then");
  n->arg[0] = cat_read_expr(r);
  scan_expect(s, "else", "'else'");
  n->arg[1] = cat_read_expr(r);
  return n;
}

static struct cat_node *read_big_union(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, CAT_BIG_UNION, s->place, NULL, NULL);
  scan_advance(s);
  n->text = scan_name(s, r->arena, "a variable");
  scan_expect(s, "in", "'in'");
  n->domain = cat_read_domain(r, &n->low, &n->high, &n->set);
  scan_expect(s, ":", "':'");
  n->arg[0] = cat_read_expr(r);
  return n;
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
  if (scan_is(s, "union"))
    return read_big_union(r);
  if (scan_accept(s, "try")) {
    struct cat_node *n = node(r, CAT_TRY, where, cat_read_expr(r), NULL);
    scan_expect(s, "with", "'with'");
    n->arg[1] = read_union(r);
    return n;
  }
  if (s->kind == TOK_NAME && !cat_is_keyword(s))
    return read_name(r);
  if (s->kind == TOK_NUMBER && s->number == 0) {
    scan_advance(s);
    return node(r, CAT_EMPTY, where, NULL, NULL);
  }
  if (scan_accept(s, "{")) {
    scan_expect(s, "}", "'}'");
    return node(r, CAT_EMPTY, where, NULL, NULL);
  }
  if (scan_accept(s, "(")) {
    struct cat_node *n = cat_read_expr(r);
    scan_expect(s, ")", "')'");
    return n;
  }
  if (scan_accept(s, "[")) {
    struct cat_node *n = node(r, CAT_IDENTITY, where, cat_read_expr(r), NULL);
    scan_expect(s, "]", "']'");
    return n;
  }
  scan_unexpected(s, "a set or a relation");
}

/* f(x, y) or f x */
static struct cat_node *read_application(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = read_primary(r);
  while (n->kind == CAT_NAME && (scan_is(s, "(") || (s->kind == TOK_NAME && !cat_is_keyword(s)))) {
    struct cat_node *call = node(r, CAT_CALL, n->place, n, NULL);
    if (scan_accept(s, "(")) {
      do
        list_push(r->arena, &call->args, cat_read_expr(r));
      while (scan_accept(s, ","));
      scan_expect(s, ")", "',' or ')'");
    } else {
      list_push(r->arena, &call->args, read_name(r));
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
  bool closure = !starts_expression(s) || scan_is(s, "let") || scan_is(s, "if");
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
    else if (scan_is(s, "^-1"))
      kind = CAT_INVERSE;
    else if (scan_is(s, "?"))
      kind = CAT_OPT;
    else
      return n;
    n = node(r, kind, s->place, n, NULL);
    scan_advance(s);
  }
}

static struct cat_node *read_prefix(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  scan_enter(s);
  struct cat_node *n =
      scan_accept(s, "~") ? node(r, CAT_COMPLEMENT, where, read_prefix(r), NULL) : read_postfix(r);
  scan_leave(s);
  return n;
}

/* Binary operators, loosest first; all associate to the left, which is as good as to the right. */
static const struct {
  const char *text;
  enum cat_kind kind;
} levels[] = {
    {"|", CAT_UNION}, {";", CAT_SEQ}, {"\\", CAT_DIFF}, {"&", CAT_INTER}, {"*", CAT_PRODUCT}};

static struct cat_node *read_level(struct cat_reader *r, unsigned level) {
  if (level == sizeof levels / sizeof *levels)
    return read_prefix(r);
  struct cat_node *n = read_level(r, level + 1);
  while (scan_is(&r->scan, levels[level].text)) {
    struct place where = r->scan.place;
    scan_advance(&r->scan);
    n = node(r, levels[level].kind, where, n, read_level(r, level + 1));
  }
  return n;
}

static struct cat_node *read_union(struct cat_reader *r) {
  return read_level(r, 0);
}

struct cat_node *cat_read_expr(struct cat_reader *r) {
  scan_enter(&r->scan);
  struct cat_node *n = read_union(r);
  scan_leave(&r->scan);
  return n;
}

void cat_read_bindings(struct cat_reader *r, struct cat_binding **out, int *count,
                       bool *recursive) {
  struct scan *s = &r->scan;
  LIST(struct cat_binding) list = {0};
  scan_expect(s, "let", "'let'");
  *recursive = scan_accept(s, "rec");
  do {
    struct cat_binding b = {.place = s->place};
    if (cat_is_keyword(s))
      scan_unexpected(s, "a name to define");
    b.name = scan_name(s, r->arena, "a name to define");
    if (scan_accept(s, "(")) {
      b.takes_tuple = true;
      if (!scan_is(s, ")"))
        do
          list_push(r->arena, &b.params, scan_name(s, r->arena, "a parameter"));
        while (scan_accept(s, ","));
      scan_expect(s, ")", "',' or ')'");
    } else if (s->kind == TOK_NAME && !cat_is_keyword(s)) {
      list_push(r->arena, &b.params, scan_name(s, r->arena, "a parameter"));
    }
    scan_expect(s, "=", "'='");
    b.body = cat_read_expr(r);
    list_push(r->arena, &list, b);
  } while (scan_accept(s, "and"));
  *out = list.data;
  *count = list.length;
}

/* ---- formulas ----------------------------------------------------------------------------- */

static struct cat_node *read_implies(struct cat_reader *r);

/* At '(': does it open a formula (1), a pair (2) or an expression (0)?  Looks ahead to its ')'. */
static int what_opens(struct cat_reader *r) {
  static const char *const formula[] = {"=>",          "<=>",    "&&",  "||",   "!",  "not",
                                        "forall",      "exists", "in",  "=",    "!=", "acyclic",
                                        "irreflexive", "empty",  "one", "lone", NULL};
  struct scan look = r->scan;
  int depth = 0, answer = 0;
  do {
    if (look.kind == TOK_END)
      return 0;
    if (scan_is(&look, "(") || scan_is(&look, "["))
      depth++;
    else if (scan_is(&look, ")") || scan_is(&look, "]"))
      depth--;
    else if (scan_is(&look, ",") && depth == 1)
      answer = answer ? answer : 2;
    for (int i = 0; formula[i]; i++)
      if (scan_is(&look, formula[i]))
        answer = 1;
    scan_advance(&look);
  } while (depth > 0);
  return answer;
}

static struct cat_node *read_pair(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, CAT_PAIR_IN, s->place, NULL, NULL);
  scan_expect(s, "(", "'('");
  list_push(r->arena, &n->args, cat_read_expr(r));
  scan_expect(s, ",", "','");
  list_push(r->arena, &n->args, cat_read_expr(r));
  scan_expect(s, ")", "')'");
  scan_expect(s, "in", "'in'");
  n->arg[0] = cat_read_expr(r);
  return n;
}

static struct cat_node *read_comparison(struct cat_reader *r) {
  struct scan *s = &r->scan;
  struct cat_node *left = cat_read_expr(r);
  struct place where = s->place;
  if (scan_accept(s, "in"))
    return node(r, CAT_SUBSET, where, left, cat_read_expr(r));
  if (scan_accept(s, "="))
    return node(r, CAT_EQUAL, where, left, cat_read_expr(r));
  if (scan_accept(s, "!="))
    return node(r, CAT_NOT, where, node(r, CAT_EQUAL, where, left, cat_read_expr(r)), NULL);
  scan_unexpected(s, "'in', '=' or '!='");
}

static struct cat_node *read_quantifier(struct cat_reader *r, enum cat_kind kind) {
  struct scan *s = &r->scan;
  struct cat_node *n = node(r, kind, s->place, NULL, NULL);
  n->text = scan_name(s, r->arena, "a variable");
  scan_expect(s, "in", "'in'");
  n->domain = cat_read_domain(r, &n->low, &n->high, &n->set);
  scan_enter(s);
  if (scan_accept(s, ","))
    n->arg[0] = read_quantifier(r, kind);
  else {
    scan_expect(s, ":", "',' or ':'");
    n->arg[0] = cat_read_formula(r);
  }
  scan_leave(s);
  return n;
}

static struct cat_node *read_formula_atom(struct cat_reader *r) {
  static const struct {
    const char *text;
    enum cat_kind kind;
  } tests[] = {{"acyclic", CAT_ACYCLIC},
               {"irreflexive", CAT_IRREFLEXIVE},
               {"empty", CAT_IS_EMPTY},
               {"one", CAT_ONE},
               {"lone", CAT_LONE}};
  struct scan *s = &r->scan;
  struct place where = s->place;
  if (scan_accept(s, "not") || scan_accept(s, "!")) {
    scan_enter(s);
    struct cat_node *n = node(r, CAT_NOT, where, read_formula_atom(r), NULL);
    scan_leave(s);
    return n;
  }
  if (scan_accept(s, "forall"))
    return read_quantifier(r, CAT_FORALL);
  if (scan_accept(s, "exists"))
    return read_quantifier(r, CAT_EXISTS);
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
    if (scan_accept(s, tests[i].text))
      return node(r, tests[i].kind, where, cat_read_expr(r), NULL);
  int opens = scan_is(s, "(") ? what_opens(r) : 0;
  if (opens == 2)
    return read_pair(r);
  if (opens == 1) {
    scan_advance(s);
    struct cat_node *n = cat_read_formula(r);
    scan_expect(s, ")", "')'");
    return n;
  }
  return read_comparison(r);
}

static struct cat_node *read_and(struct cat_reader *r) {
  struct cat_node *n = read_formula_atom(r);
  while (scan_is(&r->scan, "&&")) {
    struct place where = r->scan.place;
    scan_advance(&r->scan);
    n = node(r, CAT_AND, where, n, read_formula_atom(r));
  }
  return n;
}

static struct cat_node *read_or(struct cat_reader *r) {
  struct cat_node *n = read_and(r);
  while (scan_is(&r->scan, "||")) {
    struct place where = r->scan.place;
    scan_advance(&r->scan);
    n = node(r, CAT_OR, where, n, read_and(r));
  }
  return n;
}

static struct cat_node *read_implies(struct cat_reader *r) {
  struct cat_node *n = read_or(r);
  struct place where = r->scan.place;
  if (scan_accept(&r->scan, "=>"))
    return node(r, CAT_IMPLIES, where, n, cat_read_formula(r));
  if (scan_accept(&r->scan, "<=>"))
    return node(r, CAT_IFF, where, n, read_or(r));
  return n;
}

struct cat_node *cat_read_formula(struct cat_reader *r) {
  scan_enter(&r->scan);
  struct cat_node *n = read_implies(r);
  scan_leave(&r->scan);
  return n;
}
