/* Values of several parts: arithmetic on 128 bits, plain accesses that are cut into such of 1, 2, 4 and
 * 8 bytes, and sums with their overflow. */
#include "lift/lift_internal.h"
#include <stdlib.h>
#include <string.h>

struct writer {
  struct lift *l;
  LLVMValueRef i;
  int *extra;
  bool bad; /* an operand could not be written */
};

/* A value that has a line, a number, or an operand of the instruction. */
struct word {
  int value; /* -1 = it is none */
  uint64_t number;
  struct str text; /* of an operand, else empty */
};

struct pair {
  struct word low, high;
};

static struct word number(uint64_t n) {
  return (struct word){.value = -1, .number = n};
}

static struct word operand_part(struct writer *w, LLVMValueRef v, int part) {
  struct word x = {.value = -1};
  w->bad = !lift_operand_part(w->l, v, part, &x.text) || w->bad;
  return x;
}

static void put(struct writer *w, struct word x) {
  if (x.text.length)
    str_append(&w->l->out, str_text(&x.text));
  else if (x.value >= 0)
    str_format(&w->l->out, " %%%d", x.value);
  else
    str_format(&w->l->out, " #%llu", (unsigned long long)x.number);
}

static struct word op2(struct writer *w, enum cir_op op, unsigned bits, struct word a,
                       struct word b) {
  lift_begin(w->l, w->i, op);
  str_format(&w->l->out, " %%%d %u", *w->extra, bits);
  put(w, a);
  put(w, b);
  str_append_char(&w->l->out, '\n');
  return (struct word){.value = (*w->extra)++};
}

static struct word op64(struct writer *w, enum cir_op op, struct word a, struct word b) {
  return op2(w, op, 64, a, b);
}

/* To `dst`, or a new value if that is -1. */
static struct word convert_to(struct writer *w, int dst, enum cir_op op, unsigned to, unsigned from,
                              struct word a) {
  int value = dst >= 0 ? dst : (*w->extra)++;
  lift_begin(w->l, w->i, to == from ? CIR_ZEXT : op);
  str_format(&w->l->out, " %%%d %u %u", value, to, from);
  put(w, a);
  str_append_char(&w->l->out, '\n');
  return (struct word){.value = value};
}

static struct word extend(struct writer *w, enum cir_op op, unsigned from, struct word a) {
  return convert_to(w, -1, op, 64, from, a);
}

static struct word choose(struct writer *w, struct word condition, struct word yes,
                          struct word no) {
  lift_begin(w->l, w->i, CIR_SELECT);
  str_format(&w->l->out, " %%%d 64", *w->extra);
  put(w, condition);
  put(w, yes);
  put(w, no);
  str_append_char(&w->l->out, '\n');
  return (struct word){.value = (*w->extra)++};
}

static void result(struct writer *w, int part, unsigned bits, struct word x) {
  convert_to(w, lift_value_number(w->i) + part, CIR_ZEXT, bits, bits, x);
}

static void result_pair(struct writer *w, struct pair p) {
  result(w, 0, 64, p.low);
  result(w, 1, 64, p.high);
}

/* Forgets lines that lead nowhere. */
static bool finish(struct writer *w, size_t before) {
  if (w->bad)
    str_truncate(&w->l->out, before);
  return !w->bad;
}

static bool is_wide(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 128;
}

/* ---- arithmetic on 128 bits ------------------------------------------------------------------ */

static struct pair add(struct writer *w, struct pair a, struct pair b) {
  struct word low = op64(w, CIR_ADD, a.low, b.low);
  struct word carry = extend(w, CIR_ZEXT, 1, op64(w, CIR_ULT, low, a.low));
  struct word high = op64(w, CIR_ADD, a.high, b.high);
  return (struct pair){low, op64(w, CIR_ADD, high, carry)};
}

static struct pair subtract(struct writer *w, struct pair a, struct pair b) {
  struct word borrow = extend(w, CIR_ZEXT, 1, op64(w, CIR_ULT, a.low, b.low));
  struct word high = op64(w, CIR_SUB, a.high, b.high);
  return (struct pair){op64(w, CIR_SUB, a.low, b.low), op64(w, CIR_SUB, high, borrow)};
}

/* The upper half of a product of two words: four products of their halves. */
static struct word product_high(struct writer *w, struct word a, struct word b) {
  struct word half = number(UINT32_MAX), by = number(32);
  struct word a0 = op64(w, CIR_AND, a, half), a1 = op64(w, CIR_LSHR, a, by);
  struct word b0 = op64(w, CIR_AND, b, half), b1 = op64(w, CIR_LSHR, b, by);
  struct word p01 = op64(w, CIR_MUL, a0, b1), p10 = op64(w, CIR_MUL, a1, b0);
  struct word middle = op64(w, CIR_LSHR, op64(w, CIR_MUL, a0, b0), by);
  middle = op64(w, CIR_ADD, middle, op64(w, CIR_AND, p01, half));
  middle = op64(w, CIR_ADD, middle, op64(w, CIR_AND, p10, half));
  struct word high = op64(w, CIR_ADD, op64(w, CIR_MUL, a1, b1), op64(w, CIR_LSHR, p01, by));
  high = op64(w, CIR_ADD, high, op64(w, CIR_LSHR, p10, by));
  return op64(w, CIR_ADD, high, op64(w, CIR_LSHR, middle, by));
}

static struct pair multiply(struct writer *w, struct pair a, struct pair b) {
  struct word high =
      op64(w, CIR_ADD, op64(w, CIR_MUL, a.low, b.high), op64(w, CIR_MUL, a.high, b.low));
  return (struct pair){op64(w, CIR_MUL, a.low, b.low),
                       op64(w, CIR_ADD, high, product_high(w, a.low, b.low))};
}

/* By less than 64, then by 64 more if need be.  What crosses from one word to the other is shifted by
 * one more than by 63 less: a shift by 64 has no meaning. */
static struct pair shift(struct writer *w, enum cir_op op, struct pair a, struct word by) {
  struct word n = op64(w, CIR_AND, by, number(63)), rest = op64(w, CIR_XOR, n, number(63));
  struct word far = op64(w, CIR_NE, op64(w, CIR_AND, by, number(64)), number(0));
  if (op == CIR_SHL) {
    struct word low = op64(w, CIR_SHL, a.low, n);
    struct word cross = op64(w, CIR_LSHR, op64(w, CIR_LSHR, a.low, number(1)), rest);
    struct word high = op64(w, CIR_OR, op64(w, CIR_SHL, a.high, n), cross);
    return (struct pair){choose(w, far, number(0), low), choose(w, far, low, high)};
  }
  struct word high = op64(w, op, a.high, n);
  struct word cross = op64(w, CIR_SHL, op64(w, CIR_SHL, a.high, number(1)), rest);
  struct word low = op64(w, CIR_OR, op64(w, CIR_LSHR, a.low, n), cross);
  struct word fill = op == CIR_ASHR ? op64(w, CIR_ASHR, a.high, number(63)) : number(0);
  return (struct pair){choose(w, far, high, low), choose(w, far, fill, high)};
}

static void compare(struct writer *w, enum cir_op op, struct pair a, struct pair b) {
  struct word same = op64(w, CIR_EQ, a.high, b.high), x;
  if (op == CIR_EQ || op == CIR_NE) {
    x = op2(w, CIR_AND, 1, same, op64(w, CIR_EQ, a.low, b.low));
    if (op == CIR_NE)
      x = op2(w, CIR_XOR, 1, x, number(1));
  } else {
    bool is_signed = op == CIR_SLT || op == CIR_SLE, or_same = op == CIR_ULE || op == CIR_SLE;
    struct word less = op64(w, is_signed ? CIR_SLT : CIR_ULT, a.high, b.high);
    x = op2(w, CIR_AND, 1, same, op64(w, or_same ? CIR_ULE : CIR_ULT, a.low, b.low));
    x = op2(w, CIR_OR, 1, less, x);
  }
  result(w, 0, 1, x);
}

/* LLVM puts halves together with masks, which leave one half and nothing of the other: that is no use
 * of the other, which may not even be defined yet. */
static bool is_half_mask(struct pair m) {
  const char *low = str_text(&m.low.text), *high = str_text(&m.high.text);
  static const char all[] = " #18446744073709551615";
  return (!strcmp(low, " #0") && !strcmp(high, all)) || (!strcmp(low, all) && !strcmp(high, " #0"));
}

static struct word masked(struct word a, struct word mask) {
  return strcmp(str_text(&mask.text), " #0") ? a : number(0);
}

bool lift_wide_binary(struct lift *l, LLVMValueRef i, enum cir_op op, bool swapped, int *extra) {
  struct writer w = {l, i, NULL, !is_wide(LLVMTypeOf(LLVMGetOperand(i, 0)))};
  w.extra = extra;
  size_t before = l->out.length;
  if (w.bad || (op >= CIR_UDIV && op <= CIR_SREM))
    return false;
  LLVMValueRef left = LLVMGetOperand(i, swapped), right = LLVMGetOperand(i, !swapped);
  struct pair a = {operand_part(&w, left, 0), operand_part(&w, left, 1)};
  struct pair b = {operand_part(&w, right, 0), operand_part(&w, right, 1)};
  if (op >= CIR_EQ && op <= CIR_SLE)
    compare(&w, op, a, b);
  else if (op == CIR_ADD)
    result_pair(&w, add(&w, a, b));
  else if (op == CIR_SUB)
    result_pair(&w, subtract(&w, a, b));
  else if (op == CIR_MUL)
    result_pair(&w, multiply(&w, a, b));
  else if (op == CIR_SHL || op == CIR_LSHR || op == CIR_ASHR)
    result_pair(&w, shift(&w, op, a, b.low));
  else if (op == CIR_AND && is_half_mask(b))
    result_pair(&w, (struct pair){masked(a.low, b.low), masked(a.high, b.high)});
  else
    result_pair(&w, (struct pair){op64(&w, op, a.low, b.low), op64(&w, op, a.high, b.high)});
  str_free(&a.low.text);
  str_free(&a.high.text);
  str_free(&b.low.text);
  str_free(&b.high.text);
  return finish(&w, before);
}

bool lift_wide_cast(struct lift *l, LLVMValueRef i, enum cir_op op, int *extra) {
  LLVMValueRef v = LLVMGetOperand(i, 0);
  LLVMTypeRef to = LLVMTypeOf(i), from = LLVMTypeOf(v);
  int parts = lift_parts(l, to);
  struct writer w = {l, i, NULL, !parts || !lift_parts(l, from)};
  w.extra = extra;
  size_t before = l->out.length;
  if (w.bad || (parts == 1 && !is_wide(from)))
    return false;
  struct word low = operand_part(&w, v, 0);
  if (to == from) {
    for (int k = 0; k < parts; k++) {
      struct lift_part p;
      struct word x = operand_part(&w, v, k);
      lift_part(l, to, k, &p);
      result(&w, k, p.bits, x);
      str_free(&x.text);
    }
  } else if (is_wide(from) && parts == 1) {
    convert_to(&w, lift_value_number(i), CIR_TRUNC, lift_bits(l, to), 64, low);
  } else if (is_wide(to) && lift_bits(l, from)) {
    struct word wide = extend(&w, op, lift_bits(l, from), low);
    struct word sign = op == CIR_SEXT ? op64(&w, CIR_ASHR, wide, number(63)) : number(0);
    result_pair(&w, (struct pair){wide, sign});
  } else {
    w.bad = true;
  }
  str_free(&low.text);
  return finish(&w, before);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static int64_t piece_bytes(int64_t left) {
  return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* Up to its address; what a load gives is the next value. */
static void begin_access(struct writer *w, enum cir_op op, int64_t bytes, struct word base,
                         uint64_t offset) {
  struct word at = offset ? op64(w, CIR_ADD, base, number(offset)) : base;
  lift_begin(w->l, w->i, op);
  if (op == CIR_LOAD)
    str_format(&w->l->out, " %%%d", *w->extra);
  str_format(&w->l->out, " %d na %s", (int)bytes, LLVMGetVolatile(w->i) ? "v" : "-");
  put(w, at);
}

/* One part of what is loaded, in pieces. */
static void load_part(struct writer *w, int part, struct lift_part p, struct word base) {
  int64_t bytes = (p.bits + 7) / 8, piece;
  struct word value = number(0);
  for (int64_t at = 0; at < bytes; at += piece) {
    piece = piece_bytes(bytes - at);
    begin_access(w, CIR_LOAD, piece, base, p.offset + (uint64_t)at);
    str_append_char(&w->l->out, '\n');
    struct word x = extend(w, CIR_ZEXT, (unsigned)piece * 8, (struct word){.value = (*w->extra)++});
    x = at ? op64(w, CIR_SHL, x, number((uint64_t)at * 8)) : x;
    value = at ? op64(w, CIR_OR, value, x) : x;
  }
  convert_to(w, lift_value_number(w->i) + part, CIR_TRUNC, p.bits, 64, value);
}

static void store_part(struct writer *w, struct word value, struct lift_part p, struct word base) {
  int64_t bytes = (p.bits + 7) / 8, piece;
  struct word wide = extend(w, CIR_ZEXT, p.bits, value);
  for (int64_t at = 0; at < bytes; at += piece) {
    piece = piece_bytes(bytes - at);
    struct word x = at ? op64(w, CIR_LSHR, wide, number((uint64_t)at * 8)) : wide;
    x = convert_to(w, -1, CIR_TRUNC, (unsigned)piece * 8, 64, x);
    begin_access(w, CIR_STORE, piece, base, p.offset + (uint64_t)at);
    put(w, x);
    str_append_char(&w->l->out, '\n');
  }
}

bool lift_split_access(struct lift *l, LLVMValueRef i, int *extra) {
  bool is_store = LLVMGetInstructionOpcode(i) == LLVMStore;
  LLVMTypeRef t = is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
  struct writer w = {l, i, NULL, LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic};
  w.extra = extra;
  size_t before = l->out.length;
  int parts = lift_parts(l, t);
  if (!parts || w.bad)
    return false;
  struct word base = operand_part(&w, LLVMGetOperand(i, is_store), 0);
  for (int k = 0; k < parts; k++) {
    struct lift_part p;
    lift_part(l, t, k, &p);
    if (!is_store) {
      load_part(&w, k, p, base);
      continue;
    }
    struct word value = operand_part(&w, LLVMGetOperand(i, 0), k);
    store_part(&w, value, p, base);
    str_free(&value.text);
  }
  str_free(&base.text);
  return finish(&w, before);
}

/* ---- overflow -------------------------------------------------------------------------------- */

struct checked { /* a result, and a truth value: it is not the mathematical one */
  struct word value, over;
};

/* Of less than 64 bits: computed with 64, and looked at again. */
static struct checked narrow(struct writer *w, enum cir_op op, bool is_signed, unsigned bits,
                             struct word a, struct word b) {
  enum cir_op wide = is_signed ? CIR_SEXT : CIR_ZEXT;
  struct word exact = op64(w, op, extend(w, wide, bits, a), extend(w, wide, bits, b));
  struct word value = convert_to(w, -1, CIR_TRUNC, bits, 64, exact);
  return (struct checked){value, op64(w, CIR_NE, exact, extend(w, wide, bits, value))};
}

static struct word is_negative(struct writer *w, struct word a) {
  return op64(w, CIR_SLT, a, number(0));
}

static struct checked full(struct writer *w, enum cir_op op, bool is_signed, struct word a,
                           struct word b) {
  struct checked c = {.value = op64(w, op, a, b)};
  if (op == CIR_MUL) {
    struct word high = product_high(w, a, b), expected = number(0);
    if (is_signed) {
      high = op64(w, CIR_SUB, high, choose(w, is_negative(w, a), b, number(0)));
      high = op64(w, CIR_SUB, high, choose(w, is_negative(w, b), a, number(0)));
      expected = op64(w, CIR_ASHR, c.value, number(63));
    }
    c.over = op64(w, CIR_NE, high, expected);
  } else if (!is_signed) {
    c.over = op == CIR_ADD ? op64(w, CIR_ULT, c.value, a) : op64(w, CIR_ULT, a, b);
  } else { /* the sign of the result is that of neither operand, or of the second, subtracted one */
    struct word first = op64(w, CIR_XOR, a, c.value);
    struct word second = op == CIR_ADD ? op64(w, CIR_XOR, b, c.value) : op64(w, CIR_XOR, a, b);
    c.over = is_negative(w, op64(w, CIR_AND, first, second));
  }
  return c;
}

bool lift_overflow(struct lift *l, LLVMValueRef call, const char *name, int *extra) {
  static const struct {
    const char *name;
    enum cir_op op;
  } table[] = {{"add.with.overflow.", CIR_ADD},
               {"sub.with.overflow.", CIR_SUB},
               {"mul.with.overflow.", CIR_MUL}};
  const char *what = strncmp(name, "llvm.s", 6) && strncmp(name, "llvm.u", 6) ? "" : name + 6;
  for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
    unsigned bits;
    if (strncmp(what, table[k].name, strlen(table[k].name)) ||
        !(bits = lift_bits(l, LLVMTypeOf(LLVMGetOperand(call, 0)))))
      continue;
    struct writer w = {l, call, NULL, false};
    w.extra = extra;
    size_t before = l->out.length;
    struct word a = operand_part(&w, LLVMGetOperand(call, 0), 0);
    struct word b = operand_part(&w, LLVMGetOperand(call, 1), 0);
    /* a product of two numbers of more than 32 bits needs more than 64 */
    bool is_narrow = bits <= 32 || (bits < 64 && table[k].op != CIR_MUL);
    struct checked c = {0};
    if (is_narrow)
      c = narrow(&w, table[k].op, name[5] == 's', bits, a, b);
    else if (bits == 64)
      c = full(&w, table[k].op, name[5] == 's', a, b);
    else
      w.bad = true;
    result(&w, 0, bits, c.value);
    result(&w, 1, 1, c.over);
    str_free(&a.text);
    str_free(&b.text);
    return finish(&w, before);
  }
  return false;
}
