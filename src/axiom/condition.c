#include "axiom/condition.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int read_or(struct condition_reader *r);

static int read_unary(struct condition_reader *r, bool right) {
  struct scan *s = r->scan;
  struct program *p = r->program;
  if (scan_is(s, "-") || s->kind == TOK_NUMBER) {
    bool minus = scan_accept(s, "-");
    if (s->kind != TOK_NUMBER) {
      scan_enter(s);
      int e = expr_make(p, EXPR_NEG, read_unary(r, right), -1, -1);
      scan_leave(s);
      return e;
    }
    if (!minus) { /* a number may also begin "0:rax" */
      const char *after = s->next;
      while (after < s->end && *after == ' ')
        after++;
      if (after < s->end && *after == ':')
        return r->operand(r, right);
    }
    int64_t n = scan_number(s, "a number");
    return expr_const(p, minus ? (int64_t)(0 - (uint64_t)n) : n);
  }
  return r->operand(r, right);
}

static int read_product(struct condition_reader *r, bool right) {
  int e = read_unary(r, right);
  for (;;) {
    enum expr_kind op;
    if (scan_accept(r->scan, "*"))
      op = EXPR_MUL;
    else if (scan_accept(r->scan, "%"))
      op = EXPR_MOD;
    else
      return e;
    e = expr_make(r->program, op, e, read_unary(r, right), -1);
  }
}

static int read_sum(struct condition_reader *r, bool right) {
  int e = read_product(r, right);
  for (;;) {
    enum expr_kind op;
    if (scan_accept(r->scan, "+"))
      op = EXPR_ADD;
    else if (scan_accept(r->scan, "-"))
      op = EXPR_SUB;
    else
      return e;
    e = expr_make(r->program, op, e, read_product(r, right), -1);
  }
}

/* Whether a constant could be a value of that many bits, with or without a sign. */
static bool fits(const struct program *p, int e, int bits) {
  int64_t v, half = (int64_t)1 << (bits - 1);
  return !expr_is_const(p, e, &v) || (v >= -half && v < 2 * half);
}

/* A value of fewer than 64 bits may be written with or without its sign. */
static void cut_to_size(struct program *p, int *left, int *right, int bits) {
  enum expr_kind wrap = bits == 32 ? EXPR_WRAP32 : bits == 16 ? EXPR_WRAP16 : EXPR_WRAP8;
  if (!bits || bits >= 64 || !fits(p, *left, bits) || !fits(p, *right, bits))
    return;
  *left = expr_make(p, wrap, *left, -1, -1);
  *right = expr_make(p, wrap, *right, -1, -1);
}

static int read_comparison(struct condition_reader *r) {
  static const struct {
    const char *text;
    enum expr_kind op;
    bool swap;
  } ops[] = {{"==", EXPR_EQ, false}, {"=", EXPR_EQ, false},  {"!=", EXPR_NE, false},
             {"<>", EXPR_NE, false}, {"<=", EXPR_LE, false}, {">=", EXPR_LE, true},
             {"<", EXPR_LT, false},  {">", EXPR_LT, true}};
  struct program *p = r->program;
  r->bits = 0;
  r->whole = false;
  int left = read_sum(r, false), bits = r->bits;
  if (r->whole)
    return left;
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
    if (scan_accept(r->scan, ops[i].text)) {
      r->bits = 0;
      int right = read_sum(r, true);
      cut_to_size(p, &left, &right, bits ? bits : r->bits);
      return ops[i].swap ? expr_make(p, ops[i].op, right, left, -1)
                         : expr_make(p, ops[i].op, left, right, -1);
    }
  scan_unexpected(r->scan, "a comparison such as '='");
}

static int read_atom(struct condition_reader *r) {
  struct scan *s = r->scan;
  scan_enter(s);
  int e;
  if (scan_accept(s, "(")) {
    e = read_or(r);
    scan_expect(s, ")", "')'");
  } else if (scan_accept(s, "not") || scan_accept(s, "~") || scan_accept(s, "!")) {
    e = expr_make(r->program, EXPR_LNOT, read_atom(r), -1, -1);
  } else if (scan_accept(s, "true")) {
    e = expr_const(r->program, 1);
  } else if (scan_accept(s, "false")) {
    e = expr_const(r->program, 0);
  } else {
    e = read_comparison(r);
  }
  scan_leave(s);
  return e;
}

static bool accept_and(struct scan *s) {
  return scan_accept(s, "/\\") || scan_accept(s, "&&") || scan_accept(s, "and");
}

static int read_and(struct condition_reader *r) {
  int e = read_atom(r);
  while (accept_and(r->scan))
    e = expr_make(r->program, EXPR_LAND, e, read_atom(r), -1);
  return e;
}

static int read_or(struct condition_reader *r) {
  struct scan *s = r->scan;
  int e = read_and(r);
  while (scan_accept(s, "\\/") || scan_accept(s, "||") || scan_accept(s, "or"))
    e = expr_make(r->program, EXPR_LOR, e, read_and(r), -1);
  if (scan_accept(s, "=>")) {
    scan_enter(s);
    int no = expr_make(r->program, EXPR_LNOT, e, -1, -1);
    e = expr_make(r->program, EXPR_LOR, no, read_or(r), -1);
    scan_leave(s);
  }
  return e;
}

int condition_read_formula(struct condition_reader *r) {
  return read_or(r);
}

static const char *squeeze(struct arena *a, const char *start, const char *end) {
  char *out = arena_alloc(a, (size_t)(end - start) + 1), *q = out;
  for (const char *c = start; c < end; c++)
    if (!isspace((unsigned char)*c))
      *q++ = *c;
    else if (q > out && q[-1] != ' ')
      *q++ = ' ';
  while (q > out && q[-1] == ' ')
    q--;
  *q = 0;
  return out;
}

static void add_part(struct condition_reader *r, int e, struct place where, const char *start) {
  struct clause_part part = {e, where, squeeze(r->program->arena, start, r->scan->start)};
  list_push(r->program->arena, &r->program->parts, part);
}

/* Top-level conjuncts become separate parts, so that a core can name the ones it needs.  They are
 * read twice: once as a list of conjuncts as long as nothing but /\ and parentheses is seen, and
 * if that does not work out, as one formula. */
static bool read_parts(struct condition_reader *r) {
  struct scan *s = r->scan;
  bool paren = scan_accept(s, "(");
  do {
    if (scan_is(s, "(")) {
      scan_enter(s);
      bool ok = read_parts(r);
      scan_leave(s);
      if (!ok)
        return false;
    } else {
      struct place where = s->place;
      const char *start = s->start;
      add_part(r, read_atom(r), where, start);
    }
  } while (accept_and(s));
  if (paren && !scan_is(s, ")"))
    return false;
  if (paren)
    scan_advance(s);
  return true;
}

bool condition_read(struct condition_reader *r) {
  struct scan *s = r->scan;
  struct program *p = r->program;
  if (scan_accept(s, "forall"))
    p->quantifier = QUANT_FORALL;
  else if (scan_accept(s, "~") || scan_accept(s, "not")) {
    scan_expect(s, "exists", "'exists' after '~'");
    p->quantifier = QUANT_NOT_EXISTS;
  } else if (scan_accept(s, "exists") || scan_accept(s, "final"))
    p->quantifier = QUANT_EXISTS;
  else
    return false;
  struct scan saved = *s;
  p->condition = condition_read_formula(r);
  p->condition_text = squeeze(p->arena, saved.start, s->start);
  struct scan after = *s;
  scan_restore(s, &saved);
  bool split = p->quantifier != QUANT_FORALL && read_parts(r) && s->start == after.start;
  if (!split) {
    scan_restore(s, &after);
    p->parts.length = 0;
    struct clause_part whole = {p->condition, saved.place, p->condition_text};
    list_push(p->arena, &p->parts, whole);
  }
  return true;
}

void condition_observe(struct program *p, const char *name, int expr, int bits) {
  for (int i = 0; i < p->observed.length; i++)
    if (p->observed.data[i].expr == expr && !strcmp(p->observed.data[i].name, name))
      return;
  struct observed o = {name, expr, bits};
  list_push(p->arena, &p->observed, o);
}

static int observed_rank(const char *name) {
  return !strncmp(name, "nvm:", 4) ? 2 : name[0] == '[' ? 1 : 0;
}

static int compare_observed(const void *a, const void *b) {
  const struct observed *x = a, *y = b;
  int rx = observed_rank(x->name), ry = observed_rank(y->name);
  if (rx != ry)
    return rx - ry;
  if (rx == 0 && atoi(x->name) != atoi(y->name))
    return atoi(x->name) - atoi(y->name);
  return strcmp(x->name, y->name);
}

void condition_sort_observed(struct program *p) {
  if (p->observed.length > 1)
    qsort(p->observed.data, (size_t)p->observed.length, sizeof *p->observed.data, compare_observed);
}
