/* Formulas: rules in first-order logic, and the conditions of if. */
#include "axiom/cat_parse.h"

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
  struct cat_node *n = cat_node(r, CAT_PAIR_IN, s->place, NULL, NULL);
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
  if (scan_accept(s, "in") || scan_accept(s, "subset"))
    return cat_node(r, CAT_SUBSET, where, left, cat_read_expr(r));
  if (scan_accept(s, "="))
    return cat_node(r, CAT_EQUAL, where, left, cat_read_expr(r));
  if (scan_accept(s, "!="))
    return cat_node(r, CAT_NOT, where, cat_node(r, CAT_EQUAL, where, left, cat_read_expr(r)), NULL);
  scan_unexpected(s, "'in', '=' or '!='");
}

static struct cat_node *read_quantifier(struct cat_reader *r, enum cat_kind kind) {
  struct scan *s = &r->scan;
  struct cat_node *n = cat_node(r, kind, s->place, NULL, NULL);
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
    struct cat_node *n = cat_node(r, CAT_NOT, where, read_formula_atom(r), NULL);
    scan_leave(s);
    return n;
  }
  if (scan_accept(s, "forall"))
    return read_quantifier(r, CAT_FORALL);
  if (scan_accept(s, "exists"))
    return read_quantifier(r, CAT_EXISTS);
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
    if (scan_accept(s, tests[i].text))
      return cat_node(r, tests[i].kind, where, cat_read_expr(r), NULL);
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
    n = cat_node(r, CAT_AND, where, n, read_formula_atom(r));
  }
  return n;
}

static struct cat_node *read_or(struct cat_reader *r) {
  struct cat_node *n = read_and(r);
  while (scan_is(&r->scan, "||")) {
    struct place where = r->scan.place;
    scan_advance(&r->scan);
    n = cat_node(r, CAT_OR, where, n, read_and(r));
  }
  return n;
}

static struct cat_node *read_implies(struct cat_reader *r) {
  struct cat_node *n = read_or(r);
  struct place where = r->scan.place;
  if (scan_accept(&r->scan, "=>"))
    return cat_node(r, CAT_IMPLIES, where, n, cat_read_formula(r));
  if (scan_accept(&r->scan, "<=>"))
    return cat_node(r, CAT_IFF, where, n, read_or(r));
  return n;
}

struct cat_node *cat_read_formula(struct cat_reader *r) {
  scan_enter(&r->scan);
  struct cat_node *n = read_implies(r);
  scan_leave(&r->scan);
  return n;
}
