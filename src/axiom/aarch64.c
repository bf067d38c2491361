#include "axiom/aarch64.h"
#include "axiom/litmus_internal.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- operands ----------------------------------------------------------------------------- */

/* 32-bit values are kept with their sign, so that comparisons need no width. */
struct asm_value aarch64_get_register(struct asm_machine *m, int reg, int bits) {
  if (reg == AARCH64_ZR)
    return asm_const(m, 0);
  return asm_sign_extend(m, m->at->regs[reg], bits);
}

/* To the right, by less than its size. */
static struct asm_value rotated(struct asm_machine *m, struct asm_value v, int bits, int amount) {
  amount %= bits;
  if (!amount)
    return v;
  struct asm_value low = asm_shift_right(m, v, asm_const(m, amount));
  return asm_op(m, EXPR_OR, low, asm_op(m, EXPR_SHL, v, asm_const(m, bits - amount)));
}

struct asm_value aarch64_change(struct asm_machine *m, struct asm_value v, int bits,
                                enum operand_change change, int amount) {
  struct asm_value by = asm_const(m, amount);
  switch (change) {
  case CHANGE_LSR:
    return asm_shift_right(m, asm_zero_extend(m, v, bits), by);
  case CHANGE_ASR:
    return asm_op(m, EXPR_SHR, v, by);
  case CHANGE_ROR:
    return rotated(m, asm_zero_extend(m, v, bits), bits, amount);
  case CHANGE_SXTB:
  case CHANGE_SXTH:
  case CHANGE_SXTW:
    v = asm_sign_extend(m, v, change == CHANGE_SXTB ? 8 : change == CHANGE_SXTH ? 16 : 32);
    break;
  case CHANGE_UXTB:
  case CHANGE_UXTH:
  case CHANGE_UXTW:
    v = asm_zero_extend(m, v, change == CHANGE_UXTB ? 8 : change == CHANGE_UXTH ? 16 : 32);
    break;
  default:
    break;
  }
  return asm_op(m, EXPR_SHL, v, by);
}

struct asm_value aarch64_get(struct asm_machine *m, const struct operand *o) {
  if (o->kind == OPERAND_REGISTER)
    return aarch64_change(m, aarch64_get_register(m, o->reg, o->bits), o->bits, o->change,
                          o->amount);
  if (o->kind == OPERAND_IMMEDIATE)
    return asm_const(m, (int64_t)((uint64_t)o->value << o->amount));
  scan_fail(m->scan, o->place, "'%s', expected a register or #number", m->now->text);
}

void aarch64_set(struct asm_machine *m, const struct operand *o, struct asm_value v) {
  if (o->reg != AARCH64_ZR)
    m->at->regs[o->reg] = asm_zero_extend(m, v, o->bits);
}

const struct operand *aarch64_register_operand(struct asm_machine *m, int n) {
  if (n >= m->now->count || m->now->operands[n].kind != OPERAND_REGISTER)
    scan_fail(m->scan, m->now->place, "'%s': operand %d, expected a register", m->now->text, n + 1);
  return &m->now->operands[n];
}

/* ---- conditions --------------------------------------------------------------------------- */

static struct asm_value negated(struct asm_machine *m, struct asm_value v) {
  v.value = expr_make(m->p, EXPR_LNOT, v.value, -1, -1);
  return v;
}

/* Two values of opposite or equal sign: the sign of x ^ y. */
static struct asm_value signs_differ(struct asm_machine *m, struct asm_value x,
                                     struct asm_value y) {
  return asm_op(m, EXPR_LT, asm_op(m, EXPR_XOR, x, y), asm_const(m, 0));
}

/* N, Z, C and V of the last a - b (FLAGS_COMPARE), a + b (FLAGS_SUM) or result (FLAGS_LOGIC). */
static struct asm_value flag(struct asm_machine *m, char which) {
  struct asm_value a = m->at->flag[0], b = m->at->flag[1], zero = asm_const(m, 0), result = a;
  bool sum = m->at->flags == FLAGS_SUM, logic = m->at->flags == FLAGS_LOGIC;
  int bits = m->at->flag_bits;
  if (!logic)
    result = asm_sign_extend(m, asm_op(m, sum ? EXPR_ADD : EXPR_SUB, a, b), bits);
  switch (which) {
  case 'N':
    return asm_op(m, EXPR_LT, result, zero);
  case 'Z':
    return asm_op(m, EXPR_EQ, result, zero);
  case 'C':
    if (logic)
      return zero;
    if (sum)
      return asm_op(m, EXPR_ULT, asm_zero_extend(m, result, bits), asm_zero_extend(m, a, bits));
    return negated(m, asm_op(m, EXPR_ULT, a, b));
  default:
    if (logic)
      return zero;
    return asm_op(m, EXPR_LAND, signs_differ(m, a, result),
                  sum ? signs_differ(m, b, result) : signs_differ(m, a, b));
  }
}

/* What a condition says about the flags; after a comparison most are one operator. */
static bool flag_test(struct asm_machine *m, const char *cc, struct asm_value *test) {
  static const struct {
    const char *name;
    enum expr_kind compared; /* a OP b after a comparison, EXPR_KINDS if there is none */
    char flag;               /* else a flag, or a combination: see below */
    bool negate;
  } table[] = {{"eq", EXPR_EQ, 'Z', 0},    {"ne", EXPR_EQ, 'Z', 1},    {"cs", EXPR_ULT, 'c', 1},
               {"hs", EXPR_ULT, 'c', 1},   {"cc", EXPR_ULT, 'c', 0},   {"lo", EXPR_ULT, 'c', 0},
               {"mi", EXPR_KINDS, 'N', 0}, {"pl", EXPR_KINDS, 'N', 1}, {"vs", EXPR_KINDS, 'V', 0},
               {"vc", EXPR_KINDS, 'V', 1}, {"hi", EXPR_ULE, 'h', 1},   {"ls", EXPR_ULE, 'h', 0},
               {"lt", EXPR_LT, 'S', 0},    {"ge", EXPR_LT, 'S', 1},    {"le", EXPR_LE, 'L', 0},
               {"gt", EXPR_LE, 'L', 1}};
  unsigned i = 0, n = sizeof table / sizeof *table;
  while (i < n && strcasecmp(table[i].name, cc))
    i++;
  if (i == n)
    return false;
  if (m->at->flags == FLAGS_NONE)
    asm_fail(m, "looks at flags that no instruction has set");
  if (m->at->flags == FLAGS_COMPARE && table[i].compared != EXPR_KINDS) {
    *test = asm_op(m, table[i].compared, m->at->flag[0], m->at->flag[1]);
  } else if (table[i].flag == 'c') { /* carry clear */
    *test = negated(m, flag(m, 'C'));
  } else if (table[i].flag == 'h') { /* lower or same */
    *test = asm_op(m, EXPR_LOR, negated(m, flag(m, 'C')), flag(m, 'Z'));
  } else if (table[i].flag == 'S' || table[i].flag == 'L') {
    *test = asm_op(m, EXPR_NE, flag(m, 'N'), flag(m, 'V'));
    if (table[i].flag == 'L')
      *test = asm_op(m, EXPR_LOR, *test, flag(m, 'Z'));
  } else {
    *test = flag(m, table[i].flag);
  }
  if (table[i].negate)
    *test = negated(m, *test);
  return true;
}

static struct asm_value condition_operand(struct asm_machine *m, int n) {
  struct asm_value test;
  if (n >= m->now->count || m->now->operands[n].kind != OPERAND_NAME ||
      !flag_test(m, m->now->operands[n].name, &test))
    asm_fail(m, "has no condition that is supported, such as EQ");
  return test;
}

/* ---- branches ----------------------------------------------------------------------------- */

static void label_operand(struct asm_machine *m, int n, struct asm_branch *b) {
  asm_need_operands(m, n + 1);
  if (m->now->operands[n].kind != OPERAND_NAME)
    scan_fail(m->scan, m->now->operands[n].place, "'%s', expected a label", m->now->text);
  b->label = m->now->operands[n].name;
  b->place = m->now->operands[n].place;
}

static bool branch(struct asm_machine *m, struct asm_branch *b) {
  const char *name = m->now->mnemonic;
  b->test = asm_const(m, 1);
  if (!strcmp(name, "ret"))
    return true;
  if (!strcmp(name, "b")) {
    label_operand(m, 0, b);
    return true;
  }
  bool zero = !strcmp(name, "cbz"), bit = !strcmp(name, "tbz") || !strcmp(name, "tbnz");
  if (zero || !strcmp(name, "cbnz") || bit) {
    label_operand(m, bit ? 2 : 1, b);
    struct asm_value v = aarch64_get(m, aarch64_register_operand(m, 0));
    if (bit) {
      v = asm_op(m, EXPR_SHR, v, aarch64_get(m, &m->now->operands[1]));
      v = asm_op(m, EXPR_AND, v, asm_const(m, 1));
    }
    b->test = asm_op(m, zero || name[2] == 'z' ? EXPR_EQ : EXPR_NE, v, asm_const(m, 0));
    return true;
  }
  const char *cc = name[0] != 'b' ? NULL : name[1] == '.' ? name + 2 : name + 1;
  if (!cc || !flag_test(m, cc, &b->test))
    return false;
  label_operand(m, 0, b);
  return true;
}

/* ---- arithmetic --------------------------------------------------------------------------- */

enum action {
  DO_BINARY,  /* Rd, Rn, operand */
  DO_SHIFT,   /* likewise; the count is taken modulo the size */
  DO_UNARY,   /* Rd, operand */
  DO_EXTEND,  /* Rd, Rn */
  DO_COMPARE, /* Rn, operand */
  DO_MOVK,
  DO_MULTIPLY_ADD,  /* Rd, Rn, Rm, Ra */
  DO_MULTIPLY_LONG, /* Xd, Wn, Wm [, Xa] */
  DO_BITFIELD,      /* Rd, Rn, #rotation or #first, #last or #width */
  DO_INSERT,        /* Rd, Rn, #first, #width: of what Rd has the rest stays (detail), or nothing */
  DO_EXTRACT,       /* Rd, Rn, [Rm,] operand: so many bits from the right of both */
  DO_REVERSE,       /* Rd, Rn: bytes of each so many, or bits */
  DO_ABSOLUTE,      /* Rd, Rn */
  DO_SELECT,        /* Rd, Rn, Rm, condition */
  DO_CHANGE,        /* Rd, Rn, condition */
  DO_SET,           /* Rd, condition */
  DO_BARRIER,
  DO_ISB,
  DO_CLREX,
  DO_NOP
};

enum { INVERT = 1, FLAGS = 2, LSR = 4 }; /* of the second operand; sets flags; shifts zeros in */
enum {
  SIGNED = 1,
  WIDTH = 2
}; /* a bit-field: with its sign; the last operand is its width (bfxil: from there) */
enum { SELECT_SAME, SELECT_INCREMENT, SELECT_INVERT, SELECT_NEGATE };

static const struct mnemonic {
  const char *name;
  enum action action;
  int detail;
  unsigned how;
} mnemonics[] = {
    {"add", DO_BINARY, EXPR_ADD, 0},
    {"adds", DO_BINARY, EXPR_ADD, FLAGS},
    {"sub", DO_BINARY, EXPR_SUB, 0},
    {"subs", DO_BINARY, EXPR_SUB, FLAGS},
    {"and", DO_BINARY, EXPR_AND, 0},
    {"ands", DO_BINARY, EXPR_AND, FLAGS},
    {"orr", DO_BINARY, EXPR_OR, 0},
    {"eor", DO_BINARY, EXPR_XOR, 0},
    {"bic", DO_BINARY, EXPR_AND, INVERT},
    {"bics", DO_BINARY, EXPR_AND, INVERT | FLAGS},
    {"orn", DO_BINARY, EXPR_OR, INVERT},
    {"eon", DO_BINARY, EXPR_XOR, INVERT},
    {"mul", DO_BINARY, EXPR_MUL, 0},
    {"lsl", DO_SHIFT, EXPR_SHL, 0},
    {"asr", DO_SHIFT, EXPR_SHR, 0},
    {"lsr", DO_SHIFT, EXPR_SHR, LSR},
    {"lslv", DO_SHIFT, EXPR_SHL, 0},
    {"asrv", DO_SHIFT, EXPR_SHR, 0},
    {"lsrv", DO_SHIFT, EXPR_SHR, LSR},
    {"ror", DO_EXTRACT, 0, 0},
    {"rorv", DO_EXTRACT, 0, 0},
    {"extr", DO_EXTRACT, 1, 0},
    {"mov", DO_UNARY, EXPR_ADD, 0},
    {"movz", DO_UNARY, EXPR_ADD, 0},
    {"movn", DO_UNARY, EXPR_NOT, 0},
    {"mvn", DO_UNARY, EXPR_NOT, 0},
    {"neg", DO_UNARY, EXPR_NEG, 0},
    {"movk", DO_MOVK, 0, 0},
    {"sxtb", DO_EXTEND, CHANGE_SXTB, 0},
    {"sxth", DO_EXTEND, CHANGE_SXTH, 0},
    {"sxtw", DO_EXTEND, CHANGE_SXTW, 0},
    {"uxtb", DO_EXTEND, CHANGE_UXTB, 0},
    {"uxth", DO_EXTEND, CHANGE_UXTH, 0},
    {"uxtw", DO_EXTEND, CHANGE_UXTW, 0},
    {"cmp", DO_COMPARE, EXPR_SUB, 0},
    {"cmn", DO_COMPARE, EXPR_ADD, 0},
    {"tst", DO_COMPARE, EXPR_AND, 0},
    {"madd", DO_MULTIPLY_ADD, EXPR_ADD, 0},
    {"msub", DO_MULTIPLY_ADD, EXPR_SUB, 0},
    {"mneg", DO_MULTIPLY_ADD, EXPR_SUB, 0},
    {"smull", DO_MULTIPLY_LONG, 0, SIGNED},
    {"umull", DO_MULTIPLY_LONG, 0, 0},
    {"smaddl", DO_MULTIPLY_LONG, EXPR_ADD, SIGNED},
    {"umaddl", DO_MULTIPLY_LONG, EXPR_ADD, 0},
    {"smsubl", DO_MULTIPLY_LONG, EXPR_SUB, SIGNED},
    {"umsubl", DO_MULTIPLY_LONG, EXPR_SUB, 0},
    {"smnegl", DO_MULTIPLY_LONG, EXPR_SUB, SIGNED},
    {"umnegl", DO_MULTIPLY_LONG, EXPR_SUB, 0},
    {"ubfm", DO_BITFIELD, 0, 0},
    {"sbfm", DO_BITFIELD, 0, SIGNED},
    {"ubfx", DO_BITFIELD, 0, WIDTH},
    {"sbfx", DO_BITFIELD, 0, SIGNED | WIDTH},
    {"ubfiz", DO_INSERT, 0, 0},
    {"sbfiz", DO_INSERT, 0, SIGNED},
    {"bfi", DO_INSERT, 1, 0},
    {"bfxil", DO_INSERT, 1, WIDTH},
    {"rev16", DO_REVERSE, 2, 0},
    {"rev32", DO_REVERSE, 4, 0},
    {"rev", DO_REVERSE, 8, 0},
    {"rev64", DO_REVERSE, 8, 0},
    {"rbit", DO_REVERSE, 64, WIDTH},
    {"abs", DO_ABSOLUTE, 0, 0},
    {"csel", DO_SELECT, SELECT_SAME, 0},
    {"csinc", DO_SELECT, SELECT_INCREMENT, 0},
    {"csinv", DO_SELECT, SELECT_INVERT, 0},
    {"csneg", DO_SELECT, SELECT_NEGATE, 0},
    {"cinc", DO_CHANGE, SELECT_INCREMENT, 0},
    {"cinv", DO_CHANGE, SELECT_INVERT, 0},
    {"cneg", DO_CHANGE, SELECT_NEGATE, 0},
    {"cset", DO_SET, 1, 0},
    {"csetm", DO_SET, -1, 0},
    {"dmb", DO_BARRIER, 0, 0},
    {"dsb", DO_BARRIER, 0, 0},
    {"isb", DO_ISB, 0, 0},
    {"clrex", DO_CLREX, 0, 0},
    {"nop", DO_NOP, 0, 0},
    {"hint", DO_NOP, 0, 0},
    {"yield", DO_NOP, 0, 0},
};

static void set_flags_of(struct asm_machine *m, enum expr_kind op, struct asm_value a,
                         struct asm_value b, int bits) {
  m->at->flag_bits = bits;
  if (op == EXPR_SUB || op == EXPR_ADD) {
    asm_set_flags(m, op == EXPR_SUB ? FLAGS_COMPARE : FLAGS_SUM, a, b);
    return;
  }
  struct asm_value result = asm_sign_extend(m, asm_op(m, op, a, b), bits);
  asm_set_flags(m, FLAGS_LOGIC, result, asm_const(m, 0));
}

static struct asm_value second_operand(struct asm_machine *m, const struct mnemonic *k, int n,
                                       int bits) {
  struct asm_value v = aarch64_get(m, &m->now->operands[n]);
  if (k->how & INVERT)
    v.value = expr_make(m->p, EXPR_NOT, v.value, -1, -1);
  return asm_sign_extend(m, v, bits);
}

static void do_binary(struct asm_machine *m, const struct mnemonic *k) {
  asm_need_operands(m, 3);
  const struct operand *to = aarch64_register_operand(m, 0);
  int bits = to->bits;
  struct asm_value a = aarch64_get(m, aarch64_register_operand(m, 1));
  struct asm_value b = second_operand(m, k, 2, bits);
  if (k->how & FLAGS)
    set_flags_of(m, (enum expr_kind)k->detail, a, b, bits);
  if (k->action == DO_SHIFT) {
    b = asm_op(m, EXPR_AND, b, asm_const(m, bits - 1));
    a = k->how & LSR ? asm_shift_right(m, asm_zero_extend(m, a, bits), b)
                     : asm_op(m, (enum expr_kind)k->detail, a, b);
  } else {
    a = asm_op(m, (enum expr_kind)k->detail, a, b);
  }
  aarch64_set(m, to, a);
}

static void do_unary(struct asm_machine *m, const struct mnemonic *k) {
  asm_need_operands(m, 2);
  const struct operand *to = aarch64_register_operand(m, 0);
  struct asm_value v = aarch64_get(m, &m->now->operands[1]);
  aarch64_set(m, to, k->detail == EXPR_ADD ? v : asm_op(m, (enum expr_kind)k->detail, v, v));
}

static void do_movk(struct asm_machine *m) {
  asm_need_operands(m, 2);
  const struct operand *to = aarch64_register_operand(m, 0), *o = &m->now->operands[1];
  int64_t mask = (int64_t)((uint64_t)0xffff << o->amount);
  struct asm_value rest =
      asm_op(m, EXPR_AND, aarch64_get_register(m, to->reg, 64), asm_const(m, ~mask));
  aarch64_set(m, to, asm_op(m, EXPR_OR, rest, aarch64_get(m, o)));
}

static struct asm_value selected(struct asm_machine *m, int how, struct asm_value v) {
  if (how == SELECT_SAME)
    return v;
  if (how == SELECT_INCREMENT)
    return asm_op(m, EXPR_ADD, v, asm_const(m, 1));
  return asm_op(m, how == SELECT_INVERT ? EXPR_NOT : EXPR_NEG, v, v);
}

static void do_select(struct asm_machine *m, int how) {
  asm_need_operands(m, 4);
  const struct operand *to = aarch64_register_operand(m, 0);
  struct asm_value yes = aarch64_get(m, aarch64_register_operand(m, 1));
  struct asm_value no = aarch64_get(m, aarch64_register_operand(m, 2));
  struct asm_value test = condition_operand(m, 3);
  aarch64_set(m, to, asm_pick(m, test, yes, selected(m, how, no)));
}

static void do_change(struct asm_machine *m, int how) {
  asm_need_operands(m, 3);
  const struct operand *to = aarch64_register_operand(m, 0);
  struct asm_value v = aarch64_get(m, aarch64_register_operand(m, 1));
  aarch64_set(m, to, asm_pick(m, condition_operand(m, 2), selected(m, how, v), v));
}

/* The count is taken modulo the size; to the left in two steps, which may be all bits together. */
static void do_extract(struct asm_machine *m, int two) {
  asm_need_operands(m, 3 + two);
  const struct operand *to = aarch64_register_operand(m, 0);
  int bits = to->bits;
  struct asm_value high = aarch64_get(m, aarch64_register_operand(m, 1));
  struct asm_value low = aarch64_get(m, aarch64_register_operand(m, 1 + two));
  struct asm_value by =
      asm_op(m, EXPR_AND, aarch64_get(m, &m->now->operands[2 + two]), asm_const(m, bits - 1));
  struct asm_value rest = asm_op(m, EXPR_SUB, asm_const(m, bits - 1), by);
  high = asm_op(m, EXPR_SHL, asm_op(m, EXPR_SHL, high, rest), asm_const(m, 1));
  low = asm_shift_right(m, asm_zero_extend(m, low, bits), by);
  aarch64_set(m, to, asm_op(m, EXPR_OR, high, low));
}

static struct asm_value bits_from(struct asm_machine *m, struct asm_value v, int first, int width) {
  v = asm_shift_right(m, v, asm_const(m, first));
  return width == 64 ? v : asm_op(m, EXPR_AND, v, asm_const(m, ((int64_t)1 << width) - 1));
}

/* With the sign of its highest bit: 0...01x..x - 0...010...0 */
static struct asm_value with_sign(struct asm_machine *m, struct asm_value v, int width) {
  struct asm_value sign = asm_const(m, (int64_t)1 << (width - 1));
  return asm_op(m, EXPR_SUB, asm_op(m, EXPR_XOR, v, sign), sign);
}

static void do_insert(struct asm_machine *m, const struct mnemonic *k) {
  asm_need_operands(m, 4);
  const struct operand *to = aarch64_register_operand(m, 0), *o = m->now->operands;
  int64_t first = o[2].value, width = o[3].value;
  if (o[2].kind != OPERAND_IMMEDIATE || o[3].kind != OPERAND_IMMEDIATE || first < 0 || width < 1 ||
      first >= to->bits || width > to->bits - first)
    asm_fail(m, "has no bit-field that fits its size");
  bool from_there = k->how & WIDTH;
  struct asm_value v = aarch64_get(m, aarch64_register_operand(m, 1));
  v = bits_from(m, asm_zero_extend(m, v, to->bits), from_there ? (int)first : 0, (int)width);
  if ((k->how & SIGNED) && width < 64)
    v = with_sign(m, v, (int)width);
  int at = from_there ? 0 : (int)first;
  v = asm_op(m, EXPR_SHL, v, asm_const(m, at));
  if (k->detail) {
    uint64_t mask = (width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1) << at;
    struct asm_value rest = aarch64_get(m, to);
    v = asm_op(m, EXPR_OR, v, asm_op(m, EXPR_AND, rest, asm_const(m, (int64_t)~mask)));
  }
  aarch64_set(m, to, v);
}

static void do_bitfield(struct asm_machine *m, unsigned how) {
  asm_need_operands(m, 4);
  const struct operand *to = aarch64_register_operand(m, 0), *o = m->now->operands;
  int64_t first = o[2].value, last = how & WIDTH ? first + o[3].value - 1 : o[3].value;
  if (o[2].kind != OPERAND_IMMEDIATE || o[3].kind != OPERAND_IMMEDIATE || first < 0 || last < 0 ||
      first >= to->bits || last >= to->bits || ((how & WIDTH) && last < first))
    asm_fail(m, "has no bit-field that fits its size");
  int to_left = last < first ? to->bits - (int)first : 0;
  int width = to_left ? (int)last + 1 : (int)(last - first) + 1;
  struct asm_value v = asm_zero_extend(m, aarch64_get(m, aarch64_register_operand(m, 1)), to->bits);
  v = bits_from(m, v, to_left ? 0 : (int)first, width);
  if ((how & SIGNED) && width < 64)
    v = with_sign(m, v, width);
  aarch64_set(m, to, asm_op(m, EXPR_SHL, v, asm_const(m, to_left)));
}

static void do_reverse(struct asm_machine *m, int group, bool is_bits) {
  asm_need_operands(m, 2);
  const struct operand *to = aarch64_register_operand(m, 0);
  struct asm_value v = asm_zero_extend(m, aarch64_get(m, aarch64_register_operand(m, 1)), to->bits);
  struct asm_value all = asm_const(m, 0);
  int unit = is_bits ? 1 : 8, size = to->bits / unit;
  group = group > size ? size : group;
  for (int from = 0; from < size; from++) {
    int at = from / group * group + (group - 1 - from % group);
    struct asm_value one = bits_from(m, v, from * unit, unit);
    all = asm_op(m, EXPR_OR, all, asm_op(m, EXPR_SHL, one, asm_const(m, at * unit)));
  }
  aarch64_set(m, to, all);
}

static void do_multiply(struct asm_machine *m, const struct mnemonic *k) {
  bool is_long = k->action == DO_MULTIPLY_LONG, bare = !k->detail || strstr(k->name, "neg");
  asm_need_operands(m, bare ? 3 : 4);
  struct asm_value a = aarch64_get(m, aarch64_register_operand(m, 1));
  struct asm_value b = aarch64_get(m, aarch64_register_operand(m, 2));
  if (is_long && !(k->how & SIGNED)) {
    a = asm_zero_extend(m, a, 32);
    b = asm_zero_extend(m, b, 32);
  }
  struct asm_value product = asm_op(m, EXPR_MUL, a, b);
  struct asm_value to = bare ? asm_const(m, 0) : aarch64_get(m, aarch64_register_operand(m, 3));
  aarch64_set(m, aarch64_register_operand(m, 0),
              k->detail ? asm_op(m, (enum expr_kind)k->detail, to, product) : product);
}

/* DMB ISHLD is in the sets DMB and DMB.ISHLD. */
static void do_barrier(struct asm_machine *m) {
  asm_need_operands(m, 1);
  const struct operand *o = &m->now->operands[0];
  char name[16] = {0};
  if (o->kind == OPERAND_NAME && strlen(o->name) < 8) {
    strcpy(name, m->now->mnemonic);
    strcat(strcat(name, "."), o->name);
    for (char *c = name; *c; c++)
      *c = (char)toupper((unsigned char)*c);
  }
  enum tag tag = tag_find(name);
  if (tag == TAG_COUNT)
    scan_fail(m->scan, o->place, "'%s', expected a barrier such as SY, LD, ST, ISH, ISHLD",
              m->now->text);
  struct tags tags = tags_of(tag);
  tags_add(&tags, m->now->mnemonic[1] == 'm' ? TAG_DMB : TAG_DSB);
  asm_fence(m, FLAVOUR_NONE, tags);
}

static void do_absolute(struct asm_machine *m) {
  asm_need_operands(m, 2);
  struct asm_value v = aarch64_get(m, aarch64_register_operand(m, 1));
  struct asm_value below = asm_op(m, EXPR_LT, v, asm_const(m, 0));
  v = asm_pick(m, below, asm_op(m, EXPR_NEG, v, v), v);
  aarch64_set(m, aarch64_register_operand(m, 0), v);
}

static void execute_known(struct asm_machine *m, const struct mnemonic *k) {
  const struct operand *o = m->now->operands;
  switch (k->action) {
  case DO_BINARY:
  case DO_SHIFT:
    do_binary(m, k);
    break;
  case DO_UNARY:
    do_unary(m, k);
    break;
  case DO_EXTEND:
    asm_need_operands(m, 2);
    aarch64_set(m, aarch64_register_operand(m, 0),
                aarch64_change(m, aarch64_get(m, aarch64_register_operand(m, 1)), 64,
                               (enum operand_change)k->detail, 0));
    break;
  case DO_COMPARE: {
    asm_need_operands(m, 2);
    int bits = aarch64_register_operand(m, 0)->bits;
    set_flags_of(m, (enum expr_kind)k->detail, aarch64_get(m, &o[0]), second_operand(m, k, 1, bits),
                 bits);
    break;
  }
  case DO_MOVK:
    do_movk(m);
    break;
  case DO_MULTIPLY_ADD:
  case DO_MULTIPLY_LONG:
    do_multiply(m, k);
    break;
  case DO_BITFIELD:
    do_bitfield(m, k->how);
    break;
  case DO_INSERT:
    do_insert(m, k);
    break;
  case DO_EXTRACT:
    do_extract(m, k->detail);
    break;
  case DO_CHANGE:
    do_change(m, k->detail);
    break;
  case DO_REVERSE:
    do_reverse(m, k->detail, k->how & WIDTH);
    break;
  case DO_ABSOLUTE:
    do_absolute(m);
    break;
  case DO_SELECT:
    do_select(m, k->detail);
    break;
  case DO_SET:
    asm_need_operands(m, 2);
    aarch64_set(m, aarch64_register_operand(m, 0),
                asm_pick(m, condition_operand(m, 1), asm_const(m, k->detail), asm_const(m, 0)));
    break;
  case DO_BARRIER:
    do_barrier(m);
    break;
  case DO_ISB:
    asm_fence(m, FLAVOUR_NONE, tags_of(TAG_ISB));
    break;
  case DO_CLREX:
    m->at->link = LINK_NONE;
    m->at->link_at = asm_const(m, 0);
    break;
  case DO_NOP:
    break;
  }
}

static void execute(struct asm_machine *m) {
  for (unsigned i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
    if (!strcmp(mnemonics[i].name, m->now->mnemonic)) {
      execute_known(m, &mnemonics[i]);
      return;
    }
  if (!aarch64_execute_memory(m))
    scan_fail(m->scan, m->now->place, "instruction '%s' is not supported", m->now->mnemonic);
}

const struct asm_arch aarch64 = {"aarch64",
                                 SCAN_ML_COMMENTS | SCAN_C_COMMENTS | SCAN_DOTS,
                                 AARCH64_REGISTER_COUNT,
                                 64,
                                 aarch64_find_register,
                                 aarch64_read_instruction,
                                 branch,
                                 execute};
