/* Power instructions: operands, and what an instruction does to the symbolic machine. */
#include "axiom/litmus_internal.h"
#include <string.h>
#include <strings.h>

/* The general registers, then the fields of the condition register.  A field holds its four bits. */
enum { CR0 = 32, CR_FIELDS = 8, REGISTER_COUNT = CR0 + CR_FIELDS };
enum { CR_EQ = 2, CR_GT = 4, CR_LT = 8 };

static bool is_field(int reg) {
  return reg >= CR0 && reg < REGISTER_COUNT;
}

static int find_register(const char *text, size_t length, struct operand *part) {
  static const struct {
    const char *prefix;
    int first, count;
  } kinds[] = {{"r", 0, 32}, {"cr", CR0, CR_FIELDS}};
  part->bits = 64;
  part->high = false;
  for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    size_t n = strlen(kinds[k].prefix);
    if (length <= n || length > n + 2 || strncasecmp(text, kinds[k].prefix, n) != 0)
      continue;
    int number = 0;
    for (size_t i = n; i < length && number >= 0; i++)
      number = text[i] < '0' || text[i] > '9' ? -1 : number * 10 + (text[i] - '0');
    if (number >= 0 && number < kinds[k].count)
      return kinds[k].first + number;
  }
  return -1;
}

/* ---- operands ----------------------------------------------------------------------------- */

static void read_operand(struct litmus_reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  if ((scan_is(s, "-") || scan_is(s, "+")) && s->next < s->end && strchr(" \t", *s->next))
    scan_advance(s); /* "bne- label": which way is likely */
  o->reg = litmus_register(r, o);
  if (o->reg >= 0) {
    o->kind = OPERAND_REGISTER;
    return;
  }
  if (s->kind == TOK_NAME) {
    o->kind = OPERAND_NAME;
    o->name = scan_name(s, r->p->arena, "an operand");
    return;
  }
  o->kind = OPERAND_IMMEDIATE;
  o->value = scan_number(s, "an operand: a register, a number, 0(register) or a label");
  if (!scan_accept(s, "("))
    return;
  struct operand part;
  o->kind = OPERAND_MEMORY;
  o->base = litmus_register(r, &part);
  if (o->base < 0 || is_field(o->base))
    scan_unexpected(s, "a base register");
  scan_expect(s, ")", "')'");
}

static void read_instruction(struct litmus_reader *r, struct asm_code *code) {
  litmus_read_instruction(r, code, read_operand);
}

static const struct operand *operand_at(struct asm_machine *m, int n) {
  if (n >= m->now->count)
    scan_fail(m->scan, m->now->place, "'%s' has %d operands, expected more", m->now->text,
              m->now->count);
  return &m->now->operands[n];
}

static int64_t number_at(struct asm_machine *m, int n, int64_t max) {
  const struct operand *o = operand_at(m, n);
  if (o->kind != OPERAND_IMMEDIATE || o->value < 0 || o->value > max)
    scan_fail(m->scan, o->place, "'%s', expected a number from 0 to %d", m->now->text, (int)max);
  return o->value;
}

static struct asm_value get(struct asm_machine *m, int n) {
  const struct operand *o = operand_at(m, n);
  if (o->kind == OPERAND_IMMEDIATE)
    return asm_const(m, o->value);
  if (o->kind != OPERAND_REGISTER || is_field(o->reg))
    scan_fail(m->scan, o->place, "'%s': operand %d, expected a register or a number", m->now->text,
              n + 1);
  return m->at->regs[o->reg];
}

static void set(struct asm_machine *m, int n, struct asm_value v) {
  const struct operand *o = operand_at(m, n);
  if (o->kind != OPERAND_REGISTER || is_field(o->reg))
    scan_fail(m->scan, o->place, "'%s', expected a register", m->now->text);
  m->at->regs[o->reg] = v;
}

/* As the first operand of a sum r0 is the number 0, but not in front of a parenthesis: tests use it
 * there as a register like any other. */
static struct asm_value get_or_zero(struct asm_machine *m, int n) {
  const struct operand *o = operand_at(m, n);
  return o->kind == OPERAND_REGISTER && !o->reg ? asm_const(m, 0) : get(m, n);
}

/* ---- the condition register --------------------------------------------------------------- */

static struct asm_value compared(struct asm_machine *m, bool is_unsigned, struct asm_value a,
                                 struct asm_value b) {
  struct program *p = m->p;
  struct asm_value less = asm_op(m, is_unsigned ? EXPR_ULT : EXPR_LT, a, b);
  int same = expr_make(p, EXPR_EQ, a.value, b.value, -1);
  int rest = expr_make(p, EXPR_ITE, same, expr_const(p, CR_EQ), expr_const(p, CR_GT));
  less.value = expr_make(p, EXPR_ITE, less.value, expr_const(p, CR_LT), rest);
  return less;
}

/* The field that an instruction names first, or the first one. */
static int field_at(struct asm_machine *m, int *n) {
  if (m->now->count && m->now->operands[0].kind == OPERAND_REGISTER &&
      is_field(m->now->operands[0].reg))
    return m->now->operands[(*n)++].reg;
  return CR0;
}

static bool execute_compare(struct asm_machine *m) {
  static const struct {
    const char *name;
    bool word, is_unsigned;
  } table[] = {{"cmpw", 1, 0},  {"cmpwi", 1, 0},  {"cmpd", 0, 0},  {"cmpdi", 0, 0},
               {"cmplw", 1, 1}, {"cmplwi", 1, 1}, {"cmpld", 0, 1}, {"cmpldi", 0, 1}};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, m->now->mnemonic))
      continue;
    int n = 0, field = field_at(m, &n);
    asm_need_operands(m, n + 2);
    struct asm_value side[2] = {get(m, n), get(m, n + 1)};
    for (int k = 0; k < 2 && table[i].word; k++)
      side[k] =
          table[i].is_unsigned ? asm_zero_extend(m, side[k], 32) : asm_sign_extend(m, side[k], 32);
    m->at->regs[field] = compared(m, table[i].is_unsigned, side[0], side[1]);
    return true;
  }
  return false;
}

static bool branch(struct asm_machine *m, struct asm_branch *b) {
  static const struct {
    const char *name;
    int bit; /* 0: always */
    bool negate;
  } table[] = {{"b", 0, 0},       {"beq", CR_EQ, 0}, {"bne", CR_EQ, 1}, {"blt", CR_LT, 0},
               {"bge", CR_LT, 1}, {"bgt", CR_GT, 0}, {"ble", CR_GT, 1}};
  unsigned i = 0, count = sizeof table / sizeof *table;
  b->test = asm_const(m, 1);
  if (!strcmp(m->now->mnemonic, "blr"))
    return true;
  while (i < count && strcmp(table[i].name, m->now->mnemonic))
    i++;
  if (i == count)
    return false;
  int n = 0;
  if (table[i].bit) {
    int field = field_at(m, &n);
    b->test = asm_op(m, EXPR_AND, m->at->regs[field], asm_const(m, table[i].bit));
    if (table[i].negate)
      b->test.value = expr_make(m->p, EXPR_LNOT, b->test.value, -1, -1);
  }
  asm_need_operands(m, n + 1);
  if (m->now->operands[n].kind != OPERAND_NAME)
    scan_fail(m->scan, m->now->operands[n].place, "'%s', expected a label", m->now->text);
  b->label = m->now->operands[n].name;
  b->place = m->now->operands[n].place;
  return true;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* "0(r2)", or two registers from operand n on. */
static struct asm_value address(struct asm_machine *m, int n, bool indexed) {
  if (indexed)
    return asm_op(m, EXPR_ADD, get_or_zero(m, n), get(m, n + 1));
  const struct operand *o = operand_at(m, n);
  if (o->kind != OPERAND_MEMORY)
    scan_fail(m->scan, o->place, "'%s': operand %d, expected an address such as 0(r6)",
              m->now->text, n + 1);
  return asm_op(m, EXPR_ADD, m->at->regs[o->base], asm_const(m, o->value));
}

/* "lwz", and behind that u (the address goes to the base register) and x (indexed). */
static bool execute_access(struct asm_machine *m) {
  static const struct {
    const char *name;
    int bits;
    bool store, with_sign;
  } table[] = {{"lbz", 8, 0, 0},  {"lhz", 16, 0, 0}, {"lha", 16, 0, 1}, {"lwz", 32, 0, 0},
               {"lwa", 32, 0, 1}, {"ld", 64, 0, 1},  {"stb", 8, 1, 0},  {"sth", 16, 1, 0},
               {"stw", 32, 1, 0}, {"std", 64, 1, 0}};
  const char *name = m->now->mnemonic;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    size_t n = strlen(table[i].name);
    const char *rest = name + n;
    if (strncmp(table[i].name, name, n) != 0 || (*rest && !strstr("ux", rest)))
      continue;
    bool indexed = strchr(rest, 'x'), update = *rest == 'u';
    asm_need_operands(m, indexed ? 3 : 2);
    struct asm_access a = {.address = address(m, 1, indexed), .bits = table[i].bits};
    if (table[i].store) {
      asm_store(m, &a, get(m, 0), -1);
    } else {
      struct asm_value v = asm_load(m, &a, NULL);
      set(m, 0, table[i].with_sign ? v : asm_zero_extend(m, v, a.bits));
    }
    const struct operand *base = &m->now->operands[1];
    int reg = indexed ? base->reg : base->base;
    bool same = !table[i].store && m->now->operands[0].reg == reg;
    if (update && (reg <= 0 || same))
      asm_fail(m, "has no register for the address");
    if (update)
      m->at->regs[reg] = a.address;
    return true;
  }
  return false;
}

static int reserved_bits(char letter) {
  return letter == 'b' ? 8 : letter == 'h' ? 16 : letter == 'w' ? 32 : letter == 'd' ? 64 : 0;
}

static struct asm_access reserved_access(struct asm_machine *m, int bits) {
  asm_need_operands(m, 3);
  struct asm_access a = {.address = address(m, 1, true), .bits = bits};
  tags_add(&a.tags, TAG_X);
  tags_add(&a.tags, TAG_EX);
  return a;
}

static void do_load_reserved(struct asm_machine *m, int bits) {
  struct asm_access a = reserved_access(m, bits);
  int read;
  struct asm_value v = asm_load(m, &a, &read);
  set(m, 0, asm_zero_extend(m, v, bits));
  m->at->link = read;
  m->at->link_at = a.address;
}

/* Whether it was done depends on the registers that it looks at, not on the store itself. */
static void do_store_conditional(struct asm_machine *m, int bits) {
  struct asm_access a = reserved_access(m, bits);
  struct program *p = m->p;
  struct asm_value v = get(m, 0), status = asm_op(m, EXPR_ADD, v, a.address);
  int read = m->at->link, done = asm_reservation(m, a.address), path = m->at->path;
  status.from = depend_union(p, status.from, m->at->link_at.from);
  status.value = expr_const(p, 0);
  if (read >= 0) {
    m->at->path = expr_make(p, EXPR_LAND, path, done, -1);
    asm_store(m, &a, v, read);
    m->at->path = path;
    status.value = expr_make(p, EXPR_ITE, done, expr_const(p, CR_EQ), expr_const(p, 0));
  }
  m->at->regs[CR0] = status;
  m->at->link = LINK_NONE;
  m->at->link_at = asm_const(m, 0);
}

static bool execute_reserved(struct asm_machine *m) {
  const char *name = m->now->mnemonic;
  if (name[0] == 'l' && reserved_bits(name[1]) && !strcmp(name + 2, "arx"))
    do_load_reserved(m, reserved_bits(name[1]));
  else if (!strncmp(name, "st", 2) && reserved_bits(name[2]) && !strcmp(name + 3, "cx."))
    do_store_conditional(m, reserved_bits(name[2]));
  else
    return false;
  return true;
}

static bool execute_fence(struct asm_machine *m) {
  static const struct {
    const char *name;
    enum tag tag;
  } table[] = {{"sync", TAG_SYNC},
               {"hwsync", TAG_SYNC},
               {"lwsync", TAG_LWSYNC},
               {"eieio", TAG_EIEIO},
               {"isync", TAG_ISYNC}};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, m->now->mnemonic)) {
      asm_need_operands(m, 0);
      asm_fence(m, FLAVOUR_NONE, tags_of(table[i].tag));
      return true;
    }
  return false;
}

/* ---- arithmetic --------------------------------------------------------------------------- */

enum action {
  DO_BINARY,
  DO_INVERTED, /* the result is inverted */
  DO_WITHOUT,  /* the second side is inverted */
  DO_FROM,     /* the sides change places */
  DO_SUM,      /* the first side may be the number 0 */
  DO_LEFT,     /* shifts of 32 bits, or of 64 by a number */
  DO_RIGHT,
  DO_ARITHMETIC_RIGHT,
  DO_UNARY,
  DO_EXTEND, /* the sign of so many bits */
  DO_CLEAR   /* to the left */
};

static const struct mnemonic {
  const char *name;
  enum action action;
  enum expr_kind op;
  int bits;    /* extensions, shifts; 32: of words */
  int shifted; /* the second side, to the left */
} mnemonics[] = {
    {"add", DO_BINARY, EXPR_ADD, 64, 0},
    {"addi", DO_SUM, EXPR_ADD, 64, 0},
    {"addis", DO_SUM, EXPR_ADD, 64, 16},
    {"subf", DO_FROM, EXPR_SUB, 64, 0},
    {"sub", DO_BINARY, EXPR_SUB, 64, 0},
    {"subi", DO_SUM, EXPR_SUB, 64, 0},
    {"mullw", DO_BINARY, EXPR_MUL, 32, 0},
    {"mulld", DO_BINARY, EXPR_MUL, 64, 0},
    {"mulli", DO_BINARY, EXPR_MUL, 64, 0},
    {"and", DO_BINARY, EXPR_AND, 64, 0},
    {"andi", DO_BINARY, EXPR_AND, 64, 0},
    {"andis", DO_BINARY, EXPR_AND, 64, 16},
    {"or", DO_BINARY, EXPR_OR, 64, 0},
    {"ori", DO_BINARY, EXPR_OR, 64, 0},
    {"oris", DO_BINARY, EXPR_OR, 64, 16},
    {"xor", DO_BINARY, EXPR_XOR, 64, 0},
    {"xori", DO_BINARY, EXPR_XOR, 64, 0},
    {"xoris", DO_BINARY, EXPR_XOR, 64, 16},
    {"nand", DO_INVERTED, EXPR_AND, 64, 0},
    {"nor", DO_INVERTED, EXPR_OR, 64, 0},
    {"eqv", DO_INVERTED, EXPR_XOR, 64, 0},
    {"andc", DO_WITHOUT, EXPR_AND, 64, 0},
    {"orc", DO_WITHOUT, EXPR_OR, 64, 0},
    {"slw", DO_LEFT, EXPR_SHL, 32, 0},
    {"slwi", DO_LEFT, EXPR_SHL, 32, 0},
    {"sldi", DO_LEFT, EXPR_SHL, 64, 0},
    {"srw", DO_RIGHT, EXPR_SHR, 32, 0},
    {"srwi", DO_RIGHT, EXPR_SHR, 32, 0},
    {"srdi", DO_RIGHT, EXPR_SHR, 64, 0},
    {"sraw", DO_ARITHMETIC_RIGHT, EXPR_SHR, 32, 0},
    {"srawi", DO_ARITHMETIC_RIGHT, EXPR_SHR, 32, 0},
    {"sradi", DO_ARITHMETIC_RIGHT, EXPR_SHR, 64, 0},
    {"neg", DO_UNARY, EXPR_NEG, 64, 0},
    {"not", DO_UNARY, EXPR_NOT, 64, 0},
    {"mr", DO_EXTEND, 0, 64, 0},
    {"extsb", DO_EXTEND, 0, 8, 0},
    {"extsh", DO_EXTEND, 0, 16, 0},
    {"extsw", DO_EXTEND, 0, 32, 0},
    {"clrldi", DO_CLEAR, 0, 64, 0},
    {"clrlwi", DO_CLEAR, 0, 32, 0},
};

static struct asm_value binary(struct asm_machine *m, const struct mnemonic *k) {
  asm_need_operands(m, 3);
  struct asm_value a = k->action == DO_SUM ? get_or_zero(m, 1) : get(m, 1), b = get(m, 2);
  if (k->shifted)
    b = asm_op(m, EXPR_SHL, b, asm_const(m, k->shifted));
  if (k->shifted && k->action == DO_SUM)
    b = asm_sign_extend(m, b, 32);
  if (k->bits == 32) {
    a = asm_sign_extend(m, a, 32);
    b = asm_sign_extend(m, b, 32);
  }
  if (k->action == DO_WITHOUT)
    b = asm_op(m, EXPR_XOR, b, asm_const(m, -1));
  struct asm_value v = k->action == DO_FROM ? asm_op(m, k->op, b, a) : asm_op(m, k->op, a, b);
  return k->action == DO_INVERTED ? asm_op(m, EXPR_XOR, v, asm_const(m, -1)) : v;
}

/* A word may be shifted by up to 63, which leaves nothing of it. */
static struct asm_value shifted(struct asm_machine *m, const struct mnemonic *k) {
  asm_need_operands(m, 3);
  struct asm_value a = get(m, 1), by = asm_op(m, EXPR_AND, get(m, 2), asm_const(m, 63));
  if (k->action == DO_ARITHMETIC_RIGHT)
    return asm_op(m, EXPR_SHR, asm_sign_extend(m, a, k->bits), by);
  a = asm_zero_extend(m, a, k->bits);
  if (k->action == DO_RIGHT)
    return asm_shift_right(m, a, by);
  return asm_zero_extend(m, asm_op(m, EXPR_SHL, a, by), k->bits);
}

static struct asm_value result_of(struct asm_machine *m, const struct mnemonic *k) {
  switch (k->action) {
  case DO_LEFT:
  case DO_RIGHT:
  case DO_ARITHMETIC_RIGHT:
    return shifted(m, k);
  case DO_UNARY:
    asm_need_operands(m, 2);
    return asm_op(m, k->op, get(m, 1), get(m, 1));
  case DO_EXTEND:
    asm_need_operands(m, 2);
    return asm_sign_extend(m, get(m, 1), k->bits);
  case DO_CLEAR:
    asm_need_operands(m, 3);
    return asm_zero_extend(m, get(m, 1), k->bits - (int)number_at(m, 2, k->bits - 1));
  default:
    return binary(m, k);
  }
}

/* Bits begin to end of a word, 0 is the highest; they may go round. */
static uint32_t word_mask(int64_t begin, int64_t end) {
  uint32_t from = UINT32_MAX >> begin, to = UINT32_MAX << (31 - end);
  return begin <= end ? from & to : from | to;
}

static bool execute_rotate(struct asm_machine *m) {
  bool insert = !strcmp(m->now->mnemonic, "rlwimi");
  if (!insert && strcmp(m->now->mnemonic, "rlwinm"))
    return false;
  asm_need_operands(m, 5);
  int64_t by = number_at(m, 2, 31);
  uint32_t mask = word_mask(number_at(m, 3, 31), number_at(m, 4, 31));
  struct asm_value a = asm_zero_extend(m, get(m, 1), 32);
  a = asm_op(m, EXPR_OR, asm_op(m, EXPR_SHL, a, asm_const(m, by)),
             asm_shift_right(m, a, asm_const(m, 32 - by)));
  a = asm_op(m, EXPR_AND, a, asm_const(m, mask));
  if (insert)
    a = asm_op(m, EXPR_OR, a, asm_op(m, EXPR_AND, get(m, 0), asm_const(m, ~(int64_t)mask)));
  set(m, 0, a);
  return true;
}

static bool execute_constant(struct asm_machine *m) {
  const char *name = m->now->mnemonic;
  if (!strcmp(name, "nop"))
    return true;
  bool high = !strcmp(name, "lis");
  if (!high && strcmp(name, "li"))
    return false;
  asm_need_operands(m, 2);
  struct asm_value v = get(m, 1), shifted = asm_op(m, EXPR_SHL, v, asm_const(m, 16));
  set(m, 0, high ? asm_sign_extend(m, shifted, 32) : v);
  return true;
}

/* A dot behind the name: the result is compared with 0. */
static bool execute_arithmetic(struct asm_machine *m) {
  const char *name = m->now->mnemonic;
  size_t n = strlen(name);
  bool record = n && name[n - 1] == '.';
  for (unsigned i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++) {
    const struct mnemonic *k = &mnemonics[i];
    if (strlen(k->name) != n - record || strncmp(k->name, name, n - record) != 0)
      continue;
    struct asm_value v = result_of(m, k);
    set(m, 0, v);
    if (record)
      m->at->regs[CR0] = compared(m, false, v, asm_const(m, 0));
    return true;
  }
  return false;
}

static void execute(struct asm_machine *m) {
  if (execute_access(m) || execute_reserved(m) || execute_fence(m) || execute_compare(m) ||
      execute_constant(m) || execute_rotate(m) || execute_arithmetic(m))
    return;
  scan_fail(m->scan, m->now->place, "instruction '%s' is not supported", m->now->mnemonic);
}

const struct asm_arch power = {"power",        SCAN_ML_COMMENTS | SCAN_C_COMMENTS | SCAN_DOTS,
                               REGISTER_COUNT, 64,
                               find_register,  read_instruction,
                               branch,         execute};
