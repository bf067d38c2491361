#include "cprog/c_low.h"

enum { DEPTH_MAX = 12 };

static struct low cut_to(int bits, uint64_t value) {
  bits = bits < 0 ? 0 : bits > 64 ? 64 : bits;
  return (struct low){bits, bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value};
}

static struct low common(struct low a, struct low b) {
  int bits = a.bits < b.bits ? a.bits : b.bits;
  uint64_t differ = a.value ^ b.value;
  int same = differ ? __builtin_ctzll(differ) : 64;
  return cut_to(bits < same ? bits : same, a.value);
}

static struct low of_values(struct values v) {
  struct low all = {64, (uint64_t)v.data[0]};
  for (int i = 1; i < v.count; i++)
    all = common(all, (struct low){64, (uint64_t)v.data[i]});
  return all;
}

/* Bits that are the same whatever the other operand is: 0 behind AND (zero), 1 behind OR. */
static struct low masked(struct low a, struct low b, bool is_and) {
  uint64_t value = is_and ? a.value & b.value : a.value | b.value;
  int bits = 0;
  for (; bits < 64; bits++) {
    uint64_t x = a.value >> bits & 1, y = b.value >> bits & 1;
    bool knows_a = bits < a.bits, knows_b = bits < b.bits;
    if (!(knows_a && knows_b) && !(knows_a && x != is_and) && !(knows_b && y != is_and))
      break;
  }
  return cut_to(bits, value);
}

static struct low product(struct low a, struct low b) {
  int zeros_a = a.value ? __builtin_ctzll(a.value) : a.bits,
      zeros_b = b.value ? __builtin_ctzll(b.value) : b.bits;
  int by_a = a.bits + zeros_b, by_b = b.bits + zeros_a;
  return cut_to(by_a < by_b ? by_a : by_b, a.value * b.value);
}

static struct low shifted(struct low a, struct low by, bool left) {
  if (by.bits < 64 || by.value > 63)
    return (struct low){0, 0};
  int s = (int)by.value;
  return left ? cut_to(a.bits + s, a.value << s) : cut_to(a.bits - s, a.value >> s);
}

static struct low wrapped(struct low a, int bits) {
  return cut_to(a.bits < bits ? a.bits : bits, a.value);
}

static struct low find(const struct program *p, const struct values *domain, int e, int depth) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_CONST)
    return (struct low){64, (uint64_t)x->value};
  if (domain[e].count > 0)
    return of_values(domain[e]);
  int arity = expr_arity(x->kind);
  struct low a[3] = {{0, 0}, {0, 0}, {0, 0}};
  for (int i = 0; depth < DEPTH_MAX && i < arity; i++)
    a[i] = find(p, domain, x->arg[i], depth + 1 + (x->kind == EXPR_ITE) * 3);
  int bits = a[0].bits < a[1].bits ? a[0].bits : a[1].bits;
  switch (x->kind) {
  case EXPR_ADD:
    return cut_to(bits, a[0].value + a[1].value);
  case EXPR_SUB:
    return cut_to(bits, a[0].value - a[1].value);
  case EXPR_MUL:
    return product(a[0], a[1]);
  case EXPR_AND:
  case EXPR_OR:
    return masked(a[0], a[1], x->kind == EXPR_AND);
  case EXPR_SHL:
  case EXPR_SHR:
  case EXPR_USHR:
    return shifted(a[0], a[1], x->kind == EXPR_SHL);
  case EXPR_WRAP32:
    return wrapped(a[0], 32);
  case EXPR_WRAP16:
    return wrapped(a[0], 16);
  case EXPR_WRAP8:
    return wrapped(a[0], 8);
  case EXPR_ITE:
    return common(a[1], a[2]);
  default:
    return (struct low){0, 0};
  }
}

struct low c_low(const struct program *p, const struct values *domain, int e) {
  return find(p, domain, e, 0);
}

bool c_low_may_be(struct low a, int64_t value) {
  return !cut_to(a.bits, a.value ^ (uint64_t)value).value;
}

bool c_low_may_meet(struct low a, int a_bytes, struct low b, int b_bytes) {
  int bits = a.bits < b.bits ? a.bits : b.bits;
  uint64_t apart = cut_to(bits, b.value - a.value).value; /* b begins so many bytes after a */
  uint64_t back = cut_to(bits, a.value - b.value).value;
  return !bits || apart < (uint64_t)a_bytes || back < (uint64_t)b_bytes;
}
