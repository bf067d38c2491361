#include "cprog/c_expr.h"
#include "base/check.h"
#include <string.h>

uint64_t c_mask(int bits) {
  return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

bool c_is(const struct program *p, int e, int64_t value) {
  int64_t v;
  return expr_is_const(p, e, &v) && v == value;
}

static bool is_truth(const struct program *p, int e) {
  const struct expr *x = &p->exprs.data[e];
  enum expr_kind k = x->kind;
  if (k == EXPR_CONST)
    return x->value == 0 || x->value == 1;
  if (k == EXPR_INPUT)
    return p->inputs.data[x->value].bits == 1;
  if (k == EXPR_ITE) { /* of && and ||, where branches meet */
    const struct expr *yes = &p->exprs.data[x->arg[1]], *no = &p->exprs.data[x->arg[2]];
    return yes->kind != EXPR_ITE && no->kind != EXPR_ITE && is_truth(p, x->arg[1]) &&
           is_truth(p, x->arg[2]);
  }
  return (k >= EXPR_EQ && k <= EXPR_ULE) || k == EXPR_LAND || k == EXPR_LOR || k == EXPR_LNOT;
}

/* Is it known to fit into so many bits? */
static bool fits(const struct program *p, int e, int bits, int depth) {
  const struct expr *x = &p->exprs.data[e];
  int64_t v;
  if (bits >= 64 || is_truth(p, e))
    return true;
  switch (x->kind) {
  case EXPR_CONST:
    return !((uint64_t)x->value & ~c_mask(bits));
  case EXPR_INPUT:
    return p->inputs.data[x->value].bits <= bits;
  case EXPR_READ:
    return p->stmts.data[x->value].bits <= bits;
  case EXPR_AND:
    for (int i = 0; i < 2; i++)
      if (expr_is_const(p, x->arg[i], &v) && !((uint64_t)v & ~c_mask(bits)))
        return true;
    return depth < 4 &&
           (fits(p, x->arg[0], bits, depth + 1) || fits(p, x->arg[1], bits, depth + 1));
  case EXPR_OR:
  case EXPR_XOR:
    return depth < 4 && fits(p, x->arg[0], bits, depth + 1) && fits(p, x->arg[1], bits, depth + 1);
  case EXPR_ITE:
    return depth < 4 && fits(p, x->arg[1], bits, depth + 1) && fits(p, x->arg[2], bits, depth + 1);
  case EXPR_UMOD:
  case EXPR_UDIV:
  case EXPR_USHR:
    return depth < 4 && fits(p, x->arg[0], bits, depth + 1);
  default:
    return false;
  }
}

static int cut(struct program *p, int e, int bits) {
  if (fits(p, e, bits, 0))
    return e;
  return expr_make(p, EXPR_AND, e, expr_const(p, (int64_t)c_mask(bits)), -1);
}

static int sign_extended(struct program *p, int e, int bits) {
  switch (bits) {
  case 64:
    return e;
  case 32:
    return expr_make(p, EXPR_WRAP32, e, -1, -1);
  case 16:
    return expr_make(p, EXPR_WRAP16, e, -1, -1);
  case 8:
    return expr_make(p, EXPR_WRAP8, e, -1, -1);
  default: {
    int shift = expr_const(p, 64 - bits);
    return expr_make(p, EXPR_SHR, expr_make(p, EXPR_SHL, e, shift, -1), shift, -1);
  }
  }
}

int c_not(struct program *p, int a) {
  const struct expr *x = &p->exprs.data[a];
  if (x->kind == EXPR_LNOT && is_truth(p, x->arg[0]))
    return x->arg[0];
  return expr_make(p, EXPR_LNOT, a, -1, -1);
}

int c_and(struct program *p, int a, int b) {
  if (c_is(p, a, 0) || c_is(p, b, 0))
    return expr_const(p, 0);
  if (c_is(p, a, 1) || a == b)
    return b;
  return c_is(p, b, 1) ? a : expr_make(p, EXPR_LAND, a, b, -1);
}

int c_or(struct program *p, int a, int b) {
  return c_not(p, c_and(p, c_not(p, a), c_not(p, b)));
}

int c_equal(struct program *p, int a, int b) {
  if (a == b)
    return expr_const(p, 1);
  for (int i = 0; i < 2; i++) {
    int value = i ? a : b, other = i ? b : a;
    if (is_truth(p, other) && !expr_is_const(p, other, NULL)) {
      if (c_is(p, value, 0))
        return c_not(p, other);
      if (c_is(p, value, 1))
        return other;
    }
  }
  /* x & mask where x is a constant plus something: left as it is */
  return a < b ? expr_make(p, EXPR_EQ, a, b, -1) : expr_make(p, EXPR_EQ, b, a, -1);
}

int c_merge(struct program *p, int condition, int yes, int no) {
  if (yes == no || c_is(p, condition, 1))
    return yes;
  return c_is(p, condition, 0) ? no : expr_make(p, EXPR_ITE, condition, yes, no);
}

int c_choose(struct program *p, int condition, int yes, int no) {
  if (yes == no || c_is(p, condition, 1))
    return yes;
  if (c_is(p, condition, 0))
    return no;
  if (c_is(p, yes, 1) && c_is(p, no, 0))
    return condition;
  if (c_is(p, yes, 0) && c_is(p, no, 1))
    return c_not(p, condition);
  return expr_make(p, EXPR_ITE, condition, yes, no);
}

static int truth_operation(struct program *p, enum cir_op op, int a, int b) {
  switch (op) {
  case CIR_AND:
  case CIR_MUL:
    return c_and(p, a, b);
  case CIR_OR:
    return c_or(p, a, b);
  case CIR_ADD:
  case CIR_SUB:
  case CIR_XOR:
    return c_choose(p, a, c_not(p, b), b);
  default:
    return -1;
  }
}

static int shift(struct program *p, enum cir_op op, int bits, int a, int b) {
  if (op == CIR_ASHR)
    return cut(p, expr_make(p, EXPR_SHR, sign_extended(p, a, bits), b, -1), bits);
  return cut(p, expr_make(p, op == CIR_SHL ? EXPR_SHL : EXPR_USHR, a, b, -1), bits);
}

/* (x + c) + d = x + (c + d): addresses stay short. */
static int sum(struct program *p, int bits, int a, int b) {
  const struct expr *x = &p->exprs.data[a];
  int64_t c, d;
  if (c_is(p, b, 0))
    return a;
  if (c_is(p, a, 0))
    return b;
  if (bits == 64 && x->kind == EXPR_ADD && expr_is_const(p, b, &d) &&
      expr_is_const(p, x->arg[1], &c))
    return sum(p, bits, x->arg[0], expr_const(p, (int64_t)((uint64_t)c + (uint64_t)d)));
  if (expr_is_const(p, a, NULL))
    return cut(p, expr_make(p, EXPR_ADD, b, a, -1), bits);
  return cut(p, expr_make(p, EXPR_ADD, a, b, -1), bits);
}

int c_binary(struct program *p, enum cir_op op, int bits, int a, int b) {
  int simple = bits == 1 ? truth_operation(p, op, a, b) : -1;
  if (simple >= 0)
    return simple;
  switch (op) {
  case CIR_ADD:
    return sum(p, bits, a, b);
  case CIR_SUB:
    return c_is(p, b, 0) ? a : cut(p, expr_make(p, EXPR_SUB, a, b, -1), bits);
  case CIR_MUL:
    return c_is(p, b, 1) ? a : cut(p, expr_make(p, EXPR_MUL, a, b, -1), bits);
  case CIR_UDIV:
    return expr_make(p, EXPR_UDIV, a, b, -1);
  case CIR_UREM:
    return expr_make(p, EXPR_UMOD, a, b, -1);
  case CIR_SDIV:
  case CIR_SREM:
    return cut(p,
               expr_make(p, op == CIR_SDIV ? EXPR_DIV : EXPR_MOD, sign_extended(p, a, bits),
                         sign_extended(p, b, bits), -1),
               bits);
  case CIR_SHL:
  case CIR_LSHR:
  case CIR_ASHR:
    return shift(p, op, bits, a, b);
  case CIR_AND:
    return expr_make(p, EXPR_AND, a, b, -1);
  case CIR_OR:
    return c_is(p, b, 0) ? a : c_is(p, a, 0) ? b : expr_make(p, EXPR_OR, a, b, -1);
  case CIR_XOR:
    return c_is(p, b, 0) ? a : expr_make(p, EXPR_XOR, a, b, -1);
  case CIR_EQ:
    return c_equal(p, a, b);
  case CIR_NE:
    return c_not(p, c_equal(p, a, b));
  case CIR_ULT:
    return a == b ? expr_const(p, 0) : expr_make(p, EXPR_ULT, a, b, -1);
  case CIR_ULE:
    return c_not(p, c_binary(p, CIR_ULT, bits, b, a));
  case CIR_SLT:
    return a == b ? expr_const(p, 0)
                  : expr_make(p, EXPR_LT, sign_extended(p, a, bits), sign_extended(p, b, bits), -1);
  case CIR_SLE:
    return c_not(p, c_binary(p, CIR_SLT, bits, b, a));
  default:
    CHECK(false, "no arithmetic: %d", (int)op);
  }
}

int c_convert(struct program *p, enum cir_op op, int to, int from, int a) {
  if (op == CIR_SEXT && to > from)
    return cut(p, sign_extended(p, a, from), to);
  return to < from ? cut(p, a, to) : a;
}

int c_rmw(struct program *p, enum cir_rmw op, int bits, int old, int operand) {
  switch (op) {
  case RMW_XCHG:
    return operand;
  case RMW_ADD:
    return c_binary(p, CIR_ADD, bits, old, operand);
  case RMW_SUB:
    return c_binary(p, CIR_SUB, bits, old, operand);
  case RMW_AND:
    return c_binary(p, CIR_AND, bits, old, operand);
  case RMW_NAND:
    return cut(p, expr_make(p, EXPR_NOT, c_binary(p, CIR_AND, bits, old, operand), -1, -1), bits);
  case RMW_OR:
    return c_binary(p, CIR_OR, bits, old, operand);
  case RMW_XOR:
    return c_binary(p, CIR_XOR, bits, old, operand);
  case RMW_MAX:
    return c_choose(p, c_binary(p, CIR_SLT, bits, old, operand), operand, old);
  case RMW_MIN:
    return c_choose(p, c_binary(p, CIR_SLT, bits, operand, old), operand, old);
  case RMW_UMAX:
    return c_choose(p, c_binary(p, CIR_ULT, bits, old, operand), operand, old);
  case RMW_UMIN:
    return c_choose(p, c_binary(p, CIR_ULT, bits, operand, old), operand, old);
  default:
    CHECK(false, "no atomic operation: %d", (int)op);
  }
}

/* ---- guards ------------------------------------------------------------------------------- */

static bool opposite(const struct program *p, int a, int b) {
  const struct expr *x = &p->exprs.data[a], *y = &p->exprs.data[b];
  return (x->kind == EXPR_LNOT && x->arg[0] == b) || (y->kind == EXPR_LNOT && y->arg[0] == a);
}

static void split(struct program *p, int guard, int *prefix, int *last) {
  const struct expr *x = &p->exprs.data[guard];
  bool is_and = x->kind == EXPR_LAND;
  *prefix = is_and ? x->arg[0] : expr_const(p, 1);
  *last = is_and ? p->exprs.data[guard].arg[1] : guard;
}

/* g && c or g && !c is g; -1 if two guards are no such pair. */
static int merge(struct program *p, int a, int b) {
  int pa, la, pb, lb;
  if (a == b)
    return a;
  if (c_is(p, a, 1) || c_is(p, b, 1))
    return expr_const(p, 1);
  split(p, a, &pa, &la);
  split(p, b, &pb, &lb);
  if (pa == pb && opposite(p, la, lb))
    return pa;
  if (pa == b || pb == a)
    return pa == b ? b : a;
  return -1;
}

typedef LIST(int) guard_list;

/* What was joined before is taken apart again: its parts may fit the others'. */
static void add_ways(struct program *p, int guard, guard_list *list) {
  const struct expr *x = &p->exprs.data[guard];
  if (x->kind == EXPR_LOR) {
    add_ways(p, x->arg[0], list);
    add_ways(p, p->exprs.data[guard].arg[1], list);
  } else if (!c_is(p, guard, 0)) {
    list_push(p->arena, list, guard);
  }
}

int c_any(struct program *p, const int *guards, int count) {
  guard_list list = {0};
  for (int i = 0; i < count; i++)
    add_ways(p, guards[i], &list);
  int *g = list.data, n = list.length;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        int one = merge(p, g[i], g[j]);
        if (one < 0)
          continue;
        g[i] = one;
        g[j--] = g[--n];
        changed = true;
      }
  }
  if (!n)
    return expr_const(p, 0);
  int all = g[0];
  for (int i = 1; i < n; i++)
    all = expr_make(p, EXPR_LOR, all, g[i], -1);
  return all;
}
