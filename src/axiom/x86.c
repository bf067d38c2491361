#include "axiom/x86.h"
#include "axiom/litmus_internal.h"
#include <string.h>
#include <strings.h>

static int find_register(const char *text, size_t length, struct operand *part) {
  static const char *const names[][4] = {
#define X(name, q, l, w, b) {q, l, w, b},
      X86_REGISTERS(X)
#undef X
  };
  static const int widths[] = {64, 32, 16, 8};
  static const char high[] = "abcd"; /* ah to dh; AX, BX, CX, DX are numbered in this order */
  if (length && text[0] == '%')
    text++, length--;
  part->high = false;
  for (unsigned r = 0; r < sizeof names / sizeof *names; r++)
    for (int w = 0; w < 4; w++)
      if (strlen(names[r][w]) == length && !strncasecmp(names[r][w], text, length)) {
        part->bits = widths[w];
        return (int)r;
      }
  const char *letter = length == 2 ? strchr(high, text[0] | 0x20) : NULL;
  if (letter && *letter && (text[1] | 0x20) == 'h') {
    part->bits = 8;
    part->high = true;
    return (int)(letter - high);
  }
  return -1;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* Values of fewer than 64 bits are kept with their sign, so that comparisons need no width. */
static struct asm_value get_register(struct asm_machine *m, int reg, int bits) {
  return asm_sign_extend(m, m->at->regs[reg], bits);
}

/* 32-bit writes clear the upper half, narrower ones keep the rest of the register. */
static void set_register(struct asm_machine *m, int reg, int bits, bool high, struct asm_value v) {
  if (bits >= 32) {
    m->at->regs[reg] = asm_zero_extend(m, v, bits);
    return;
  }
  int shift = high ? 8 : 0;
  int64_t mask = (((int64_t)1 << bits) - 1) << shift;
  struct asm_value rest = asm_op(m, EXPR_AND, m->at->regs[reg], asm_const(m, ~mask));
  v = asm_op(m, EXPR_SHL, asm_zero_extend(m, v, bits), asm_const(m, shift));
  m->at->regs[reg] = asm_op(m, EXPR_OR, rest, v);
}

static struct asm_value constant_of(struct asm_machine *m, const struct operand *o) {
  return asm_const(m, o->value + (o->symbol >= 0 ? program_address(m->p, o->symbol) : 0));
}

static struct asm_value address(struct asm_machine *m, const struct operand *o) {
  struct asm_value a = constant_of(m, o);
  if (o->base >= 0)
    a = asm_op(m, EXPR_ADD, a, m->at->regs[o->base]);
  if (o->index >= 0) {
    struct asm_value scale = asm_const(m, o->scale);
    a = asm_op(m, EXPR_ADD, a, asm_op(m, EXPR_MUL, m->at->regs[o->index], scale));
  }
  return a;
}

static struct asm_value load(struct asm_machine *m, const struct operand *o, int bits, bool atomic,
                             int *read) {
  struct asm_access a = {.address = address(m, o), .bits = bits, .atomic = atomic};
  return asm_load(m, &a, read);
}

static void store(struct asm_machine *m, const struct operand *o, int bits, struct asm_value v,
                  int read, bool atomic) {
  struct asm_access a = {.address = address(m, o), .bits = bits, .atomic = atomic};
  asm_store(m, &a, v, read);
}

static struct asm_value get(struct asm_machine *m, const struct operand *o, int bits) {
  switch (o->kind) {
  case OPERAND_REGISTER:
    if (o->high)
      return asm_sign_extend(m, asm_op(m, EXPR_SHR, m->at->regs[o->reg], asm_const(m, 8)), 8);
    return get_register(m, o->reg, o->bits);
  case OPERAND_MEMORY:
    return load(m, o, bits, false, NULL);
  default:
    return asm_sign_extend(m, constant_of(m, o), bits);
  }
}

static void put(struct asm_machine *m, const struct operand *o, struct asm_value v, int bits) {
  if (o->kind == OPERAND_REGISTER)
    set_register(m, o->reg, o->bits, o->high, v);
  else if (o->kind == OPERAND_MEMORY)
    store(m, o, bits, v, -1, false);
  else
    scan_fail(m->scan, o->place,
              "'%s': the destination is a constant, expected a register or memory", m->now->text);
}

/* ---- conditions of jumps ------------------------------------------------------------------ */

/* What a condition code such as "ne" says about the flags; false if it is none. */
static bool flag_test(struct asm_machine *m, const char *cc, struct asm_value *test) {
  static const struct {
    const char *name;
    enum expr_kind op;
    bool negate, needs_compare;
  } table[] = {{"e", EXPR_EQ, 0, 0},    {"z", EXPR_EQ, 0, 0},   {"ne", EXPR_EQ, 1, 0},
               {"nz", EXPR_EQ, 1, 0},   {"l", EXPR_LT, 0, 1},   {"nge", EXPR_LT, 0, 1},
               {"ge", EXPR_LT, 1, 1},   {"nl", EXPR_LT, 1, 1},  {"le", EXPR_LE, 0, 1},
               {"ng", EXPR_LE, 0, 1},   {"g", EXPR_LE, 1, 1},   {"nle", EXPR_LE, 1, 1},
               {"b", EXPR_ULT, 0, 1},   {"c", EXPR_ULT, 0, 1},  {"nae", EXPR_ULT, 0, 1},
               {"ae", EXPR_ULT, 1, 1},  {"nc", EXPR_ULT, 1, 1}, {"nb", EXPR_ULT, 1, 1},
               {"be", EXPR_ULE, 0, 1},  {"na", EXPR_ULE, 0, 1}, {"a", EXPR_ULE, 1, 1},
               {"nbe", EXPR_ULE, 1, 1}, {"s", EXPR_LT, 0, 0},   {"ns", EXPR_LT, 1, 0}};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, cc))
      continue;
    bool carry = table[i].op == EXPR_ULT;
    if (m->at->flags == FLAGS_NONE || (m->at->flags == FLAGS_CARRY && !carry))
      asm_fail(m, "looks at flags that no instruction has set");
    if (m->at->flags == FLAGS_RESULT && table[i].needs_compare)
      asm_fail(m, "needs carry or overflow, known only after cmp, test or sub");
    struct asm_value a = m->at->flag[0], b = m->at->flag[1];
    if (cc[0] == 's' || !strcmp(cc, "ns")) {
      a = asm_op(m, EXPR_SUB, a, b);
      b = asm_const(m, 0);
    }
    *test = asm_op(m, table[i].op, a, b);
    if (table[i].negate)
      test->value = expr_make(m->p, EXPR_LNOT, test->value, -1, -1);
    return true;
  }
  return false;
}

static bool branch(struct asm_machine *m, struct asm_branch *b) {
  const char *name = m->now->mnemonic;
  b->test = asm_const(m, 1);
  if (!strcmp(name, "ret"))
    return true;
  if (strcmp(name, "jmp") && (name[0] != 'j' || !flag_test(m, name + 1, &b->test)))
    return false;
  asm_need_operands(m, 1);
  if (m->now->operands[0].kind != OPERAND_NAME)
    scan_fail(m->scan, m->now->operands[0].place, "'%s', expected a label", m->now->text);
  b->label = m->now->operands[0].name;
  b->place = m->now->operands[0].place;
  return true;
}

/* ---- instructions ------------------------------------------------------------------------- */

/* The suffix decides, else the destination, else the other operands. */
static int operand_bits(const struct asm_machine *m, int suffix_bits) {
  if (suffix_bits)
    return suffix_bits;
  for (int i = m->now->count - 1; i >= 0; i--)
    if (m->now->operands[i].kind <= OPERAND_MEMORY && m->now->operands[i].bits)
      return m->now->operands[i].bits;
  return m->arch->default_bits;
}

enum action {
  DO_MOV,
  DO_EXTEND,
  DO_LEA,
  DO_XCHG,
  DO_BINARY,
  DO_SHIFT,
  DO_UNARY,
  DO_BIT,
  DO_CMP,
  DO_TEST,
  DO_CMPXCHG,
  DO_CMPXCHG_PAIR,
  DO_XADD,
  DO_FENCE,
  DO_FLUSH,
  DO_NOP,
  DO_MOVNTI
};

enum { BIT_TEST, BIT_SET, BIT_RESET, BIT_COMPLEMENT, SHIFT_LOGICAL_RIGHT = -1 };
enum { SIGNED = 64 }; /* DO_EXTEND: added to the bits of the source */

struct mnemonic {
  const char *name;
  enum action action;
  int detail;
  bool exact_flags; /* DO_BINARY: the flags are those of a comparison with 0 */
};

static const struct mnemonic mnemonics[] = {
    {"mov", DO_MOV, 0, 0},
    {"movabs", DO_MOV, 0, 0},
    {"movzx", DO_EXTEND, 0, 0},
    {"movzb", DO_EXTEND, 8, 0},
    {"movzw", DO_EXTEND, 16, 0},
    {"movsx", DO_EXTEND, SIGNED, 0},
    {"movsb", DO_EXTEND, 8 + SIGNED, 0},
    {"movsw", DO_EXTEND, 16 + SIGNED, 0},
    {"movsl", DO_EXTEND, 32 + SIGNED, 0},
    {"lea", DO_LEA, 0, 0},
    {"xchg", DO_XCHG, 0, 0},
    {"add", DO_BINARY, EXPR_ADD, 0},
    {"sub", DO_BINARY, EXPR_SUB, 0},
    {"imul", DO_BINARY, EXPR_MUL, 0},
    {"and", DO_BINARY, EXPR_AND, 1},
    {"or", DO_BINARY, EXPR_OR, 1},
    {"xor", DO_BINARY, EXPR_XOR, 1},
    {"shl", DO_SHIFT, EXPR_SHL, 0},
    {"sal", DO_SHIFT, EXPR_SHL, 0},
    {"sar", DO_SHIFT, EXPR_SHR, 0},
    {"shr", DO_SHIFT, SHIFT_LOGICAL_RIGHT, 0},
    {"inc", DO_UNARY, EXPR_ADD, 0},
    {"dec", DO_UNARY, EXPR_SUB, 0},
    {"neg", DO_UNARY, EXPR_NEG, 0},
    {"not", DO_UNARY, EXPR_NOT, 0},
    {"bt", DO_BIT, BIT_TEST, 0},
    {"bts", DO_BIT, BIT_SET, 0},
    {"btr", DO_BIT, BIT_RESET, 0},
    {"btc", DO_BIT, BIT_COMPLEMENT, 0},
    {"cmp", DO_CMP, 0, 0},
    {"test", DO_TEST, 0, 0},
    {"cmpxchg", DO_CMPXCHG, 0, 0},
    {"cmpxchg8b", DO_CMPXCHG_PAIR, 32, 0},
    {"cmpxchg16b", DO_CMPXCHG_PAIR, 64, 0},
    {"xadd", DO_XADD, 0, 0},
    {"mfence", DO_FENCE, FLAVOUR_MFENCE, 0},
    {"sfence", DO_FENCE, FLAVOUR_SFENCE, 0},
    {"lfence", DO_FENCE, FLAVOUR_LFENCE, 0},
    {"clflush", DO_FLUSH, FLAVOUR_CLFLUSH, 0},
    {"clflushopt", DO_FLUSH, FLAVOUR_CLFLUSHOPT, 0},
    {"clwb", DO_FLUSH, FLAVOUR_CLWB, 0},
    {"nop", DO_NOP, 0, 0},
    {"endbr64", DO_NOP, 0, 0},
    {"pause", DO_NOP, 0, 0},
    {"movnti", DO_MOVNTI, 0, 0},
};

static const struct mnemonic *find_mnemonic(const char *name, size_t length) {
  for (unsigned i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
    if (strlen(mnemonics[i].name) == length && !memcmp(mnemonics[i].name, name, length))
      return &mnemonics[i];
  return NULL;
}

static const struct mnemonic *decode(const char *name, int *bits) {
  size_t n = strlen(name);
  *bits = 0;
  const struct mnemonic *k = find_mnemonic(name, n);
  static const char suffixes[] = "bwlq";
  const char *suffix = n > 1 ? strchr(suffixes, name[n - 1]) : NULL;
  if (k || !suffix || !*suffix)
    return k;
  k = find_mnemonic(name, n - 1);
  if (k && (k->action == DO_FENCE || k->action == DO_FLUSH))
    return NULL;
  *bits = 8 << (suffix - suffixes);
  return k;
}

static bool lockable(const struct mnemonic *k) {
  return k->action == DO_BINARY || k->action == DO_UNARY || k->action == DO_CMPXCHG ||
         k->action == DO_CMPXCHG_PAIR || k->action == DO_XADD || k->action == DO_XCHG ||
         (k->action == DO_BIT && k->detail != BIT_TEST);
}

static struct asm_value shifted(struct asm_machine *m, const struct mnemonic *k,
                                struct asm_value old, struct asm_value by, int bits) {
  by = asm_op(m, EXPR_AND, by, asm_const(m, bits == 64 ? 63 : 31));
  if (k->detail != SHIFT_LOGICAL_RIGHT)
    return asm_op(m, (enum expr_kind)k->detail, old, by);
  return asm_shift_right(m, asm_zero_extend(m, old, bits), by);
}

static struct asm_value arithmetic(struct asm_machine *m, const struct mnemonic *k,
                                   struct asm_value old, struct asm_value other, int bits) {
  struct asm_value v = k->action == DO_SHIFT ? shifted(m, k, old, other, bits)
                                             : asm_op(m, (enum expr_kind)k->detail, old, other);
  return asm_sign_extend(m, v, bits);
}

/* op source, destination (or op destination): reads and writes the destination. */
static void do_arithmetic(struct asm_machine *m, const struct mnemonic *k, int bits) {
  const struct instruction *i = m->now;
  bool unary = k->action == DO_UNARY || (k->action == DO_SHIFT && i->count == 1);
  asm_need_operands(m, unary ? 1 : 2);
  const struct operand *to = &i->operands[i->count - 1];
  bool memory = to->kind == OPERAND_MEMORY;
  struct asm_value other = unary ? asm_const(m, 1) : get(m, &i->operands[0], bits);
  int read = -1;
  struct asm_value old = memory ? load(m, to, bits, i->lock, &read) : get(m, to, bits);
  struct asm_value v = arithmetic(m, k, old, other, bits);
  if (memory)
    store(m, to, bits, v, i->lock ? read : -1, i->lock);
  else
    put(m, to, v, bits);
  if (k->detail == EXPR_SUB && !unary)
    asm_set_flags(m, FLAGS_COMPARE, old, other);
  else if (k->detail != EXPR_NOT)
    asm_set_flags(m, k->exact_flags ? FLAGS_COMPARE : FLAGS_RESULT, v, asm_const(m, 0));
}

/* bt, bts, btr, btc: the carry is the old bit. */
static void do_bit(struct asm_machine *m, const struct mnemonic *k, int bits) {
  asm_need_operands(m, 2);
  const struct instruction *i = m->now;
  const struct operand *to = &i->operands[1];
  bool memory = to->kind == OPERAND_MEMORY;
  if (memory && i->operands[0].kind == OPERAND_REGISTER)
    asm_fail(m, "addresses memory by a bit number in a register, which is not supported");
  struct asm_value n = get(m, &i->operands[0], bits);
  n = asm_op(m, EXPR_AND, n, asm_const(m, bits - 1));
  int read = -1;
  struct asm_value old = memory ? load(m, to, bits, i->lock, &read) : get(m, to, bits);
  struct asm_value bit = asm_op(m, EXPR_AND, asm_op(m, EXPR_SHR, old, n), asm_const(m, 1));
  struct asm_value mask = asm_op(m, EXPR_SHL, asm_const(m, 1), n), v = old;
  if (k->detail == BIT_SET)
    v = asm_op(m, EXPR_OR, old, mask);
  else if (k->detail == BIT_COMPLEMENT)
    v = asm_op(m, EXPR_XOR, old, mask);
  else if (k->detail == BIT_RESET)
    v = asm_op(m, EXPR_AND, old, asm_op(m, EXPR_XOR, mask, asm_const(m, -1)));
  v = asm_sign_extend(m, v, bits);
  if (memory && k->detail != BIT_TEST)
    store(m, to, bits, v, i->lock ? read : -1, i->lock);
  else if (k->detail != BIT_TEST)
    put(m, to, v, bits);
  /* below: 1 - bit < 1 */
  asm_set_flags(m, FLAGS_CARRY, asm_op(m, EXPR_SUB, asm_const(m, 1), bit), asm_const(m, 1));
}

static const struct operand *memory_side(struct asm_machine *m, const struct operand **reg) {
  const struct operand *a = &m->now->operands[0], *b = &m->now->operands[1];
  *reg = a->kind == OPERAND_REGISTER ? a : b;
  const struct operand *other = *reg == a ? b : a;
  if ((*reg)->kind != OPERAND_REGISTER ||
      (other->kind != OPERAND_MEMORY && other->kind != OPERAND_REGISTER))
    scan_fail(m->scan, m->now->place, "'%s', expected a register and memory", m->now->text);
  return other;
}

static void do_exchange(struct asm_machine *m, bool add, int bits) {
  asm_need_operands(m, 2);
  const struct operand *reg, *mem = memory_side(m, &reg);
  struct asm_value mine = get(m, reg, bits);
  bool atomic = !add || m->now->lock; /* xchg with memory is always locked */
  if (mem->kind == OPERAND_REGISTER) {
    struct asm_value theirs = get(m, mem, bits);
    put(m, mem, add ? asm_op(m, EXPR_ADD, mine, theirs) : mine, bits);
    put(m, reg, theirs, bits);
    return;
  }
  int read;
  struct asm_value old = load(m, mem, bits, atomic, &read);
  struct asm_value v = add ? asm_sign_extend(m, asm_op(m, EXPR_ADD, old, mine), bits) : mine;
  store(m, mem, bits, v, atomic ? read : -1, atomic);
  put(m, reg, old, bits);
  if (add)
    asm_set_flags(m, FLAGS_RESULT, v, asm_const(m, 0));
}

/* Runs `store` on the path on which the comparison came out equal. */
static void store_if(struct asm_machine *m, struct asm_value equal, const struct operand *to,
                     int bits, struct asm_value v, int read) {
  int path = m->at->path;
  m->at->path = expr_make(m->p, EXPR_LAND, path, equal.value, -1);
  store(m, to, bits, v, m->now->lock ? read : -1, m->now->lock);
  m->at->path = path;
}

/* cmpxchg source, destination: if the accumulator equals the destination, store the source there,
 * else load it.  A failed one has no write, but its read is still a locked access. */
static void do_cmpxchg(struct asm_machine *m, int bits) {
  asm_need_operands(m, 2);
  const struct operand *from = &m->now->operands[0], *to = &m->now->operands[1];
  if (from->kind != OPERAND_REGISTER || to->kind != OPERAND_MEMORY)
    scan_fail(m->scan, m->now->place, "'%s', expected cmpxchg of a register and memory",
              m->now->text);
  struct asm_value expected = get_register(m, X86_AX, bits), desired = get(m, from, bits);
  int read;
  struct asm_value old = load(m, to, bits, m->now->lock, &read);
  struct asm_value equal = asm_op(m, EXPR_EQ, expected, old);
  store_if(m, equal, to, bits, desired, read);
  struct asm_value loaded = m->at->regs[X86_AX];
  set_register(m, X86_AX, bits, false, old);
  m->at->regs[X86_AX] = asm_pick(m, equal, loaded, m->at->regs[X86_AX]);
  asm_set_flags(m, FLAGS_COMPARE, expected, old);
}

/* cmpxchg8b and cmpxchg16b: two neighbouring cells, dx:ax and cx:bx. */
static void do_cmpxchg_pair(struct asm_machine *m, int bits) {
  asm_need_operands(m, 1);
  struct operand low = m->now->operands[0], high = low;
  if (low.kind != OPERAND_MEMORY)
    scan_fail(m->scan, low.place, "'%s', expected a memory operand", m->now->text);
  high.value += bits / 8;
  int first = m->p->stmts.length, read[2];
  struct asm_value old[2] = {load(m, &low, bits, m->now->lock, &read[0]),
                             load(m, &high, bits, m->now->lock, &read[1])};
  struct asm_value same[2] = {asm_op(m, EXPR_EQ, get_register(m, X86_AX, bits), old[0]),
                              asm_op(m, EXPR_EQ, get_register(m, X86_DX, bits), old[1])};
  struct asm_value equal = asm_op(m, EXPR_LAND, same[0], same[1]);
  int writes = m->p->stmts.length;
  store_if(m, equal, &low, bits, get_register(m, X86_BX, bits), read[0]);
  store_if(m, equal, &high, bits, get_register(m, X86_CX, bits), read[1]);
  for (int s = first; s < m->p->stmts.length; s++) /* one access each */
    m->p->stmts.data[s].access = 1 + (s < writes ? first : writes);
  for (int half = 0; half < 2; half++) {
    int reg = half ? X86_DX : X86_AX;
    struct asm_value kept = m->at->regs[reg];
    set_register(m, reg, bits, false, old[half]);
    m->at->regs[reg] = asm_pick(m, equal, kept, m->at->regs[reg]);
  }
  asm_set_flags(m, FLAGS_RESULT, equal, asm_const(m, 1));
}

static void do_flush(struct asm_machine *m, const struct operand *o, enum stmt_flavour flavour) {
  if (o->kind != OPERAND_MEMORY)
    scan_fail(m->scan, o->place, "'%s', expected a memory operand", m->now->text);
  struct asm_value a = address(m, o);
  asm_emit(m, (struct stmt){.kind = STMT_FLUSH,
                            .flavour = flavour,
                            .address = a.value,
                            .address_from = a.from,
                            .value = -1,
                            .partner = -1});
}

static void do_compare(struct asm_machine *m, enum action action, int bits) {
  asm_need_operands(m, 2);
  struct asm_value a = get(m, &m->now->operands[1], bits), b = get(m, &m->now->operands[0], bits);
  if (action == DO_CMP)
    asm_set_flags(m, FLAGS_COMPARE, a, b);
  else
    asm_set_flags(m, FLAGS_COMPARE, asm_op(m, EXPR_AND, a, b), asm_const(m, 0));
}

/* setcc and cmovcc; false if it is neither. */
static bool do_conditional(struct asm_machine *m) {
  const struct instruction *i = m->now;
  bool set = !strncmp(i->mnemonic, "set", 3), move = !strncmp(i->mnemonic, "cmov", 4);
  struct asm_value test;
  if (!set && !move)
    return false;
  const char *code = i->mnemonic + (set ? 3 : 4);
  if (!flag_test(m, code, &test)) { /* with a suffix, as in cmovgel */
    size_t n = strlen(code);
    if (n < 2 || !strchr("wlq", code[n - 1]) ||
        !flag_test(m, arena_text(m->p->arena, code, n - 1), &test))
      return false;
  }
  asm_need_operands(m, set ? 1 : 2);
  if (set) {
    put(m, &i->operands[0], test, 8);
    return true;
  }
  int bits = operand_bits(m, 0);
  struct asm_value from = get(m, &i->operands[0], bits), old = get(m, &i->operands[1], bits);
  put(m, &i->operands[1], asm_pick(m, test, from, old), bits);
  return true;
}

static void do_move(struct asm_machine *m, int bits) {
  asm_need_operands(m, 2);
  const struct operand *from = &m->now->operands[0], *to = &m->now->operands[1];
  if (from->kind == OPERAND_MEMORY && to->kind == OPERAND_MEMORY)
    scan_fail(m->scan, m->now->place, "'%s' moves memory to memory, expected one register",
              m->now->text);
  put(m, to, get(m, from, bits), bits);
}

static void do_extend(struct asm_machine *m, int detail, int bits) {
  asm_need_operands(m, 2);
  const struct operand *from = &m->now->operands[0];
  int source = detail % SIGNED ? detail % SIGNED : from->bits ? from->bits : 8;
  struct asm_value v = get(m, from, source);
  put(m, &m->now->operands[1], detail & SIGNED ? v : asm_zero_extend(m, v, source), bits);
}

/* Names that are not labels of a jump are locations written without brackets. */
static void resolve_names(struct asm_machine *m, struct instruction *i) {
  for (int n = 0; n < i->count; n++) {
    struct operand *o = &i->operands[n];
    if (o->kind != OPERAND_NAME)
      continue;
    o->symbol = program_find_location(m->p, o->name);
    if (o->symbol < 0)
      scan_fail(m->scan, o->place, "'%s' is neither a register nor a declared location", o->name);
    o->kind = OPERAND_MEMORY;
  }
}

static void execute_known(struct asm_machine *m, const struct mnemonic *k, int bits) {
  const struct operand *o = m->now->operands;
  switch (k->action) {
  case DO_MOV:
    do_move(m, bits);
    break;
  case DO_EXTEND:
    do_extend(m, k->detail, bits);
    break;
  case DO_LEA:
    asm_need_operands(m, 2);
    put(m, &o[1], address(m, &o[0]), bits);
    break;
  case DO_XCHG:
  case DO_XADD:
    do_exchange(m, k->action == DO_XADD, bits);
    break;
  case DO_BINARY:
  case DO_SHIFT:
  case DO_UNARY:
    do_arithmetic(m, k, bits);
    break;
  case DO_BIT:
    do_bit(m, k, bits);
    break;
  case DO_CMP:
  case DO_TEST:
    do_compare(m, k->action, bits);
    break;
  case DO_CMPXCHG:
    do_cmpxchg(m, bits);
    break;
  case DO_CMPXCHG_PAIR:
    do_cmpxchg_pair(m, k->detail);
    break;
  case DO_FENCE:
    asm_need_operands(m, 0);
    asm_fence(m, (enum stmt_flavour)k->detail, (struct tags){{0}});
    break;
  case DO_FLUSH:
    asm_need_operands(m, 1);
    do_flush(m, &o[0], (enum stmt_flavour)k->detail);
    break;
  case DO_MOVNTI: /* a store whose line is written back at the next fence */
    do_move(m, bits);
    do_flush(m, &o[1], FLAVOUR_CLFLUSHOPT);
    break;
  case DO_NOP:
    break;
  }
}

static void execute(struct asm_machine *m) {
  struct instruction now = *m->now;
  resolve_names(m, &now);
  m->now = &now;
  int suffix;
  const struct mnemonic *k = decode(now.mnemonic, &suffix);
  if (!k) {
    if (!do_conditional(m))
      scan_fail(m->scan, now.place, "instruction '%s' is not supported", now.mnemonic);
    return;
  }
  if (now.lock &&
      (!lockable(k) || now.operands[now.count ? now.count - 1 : 0].kind == OPERAND_IMMEDIATE))
    asm_fail(m, "cannot be locked");
  execute_known(m, k, operand_bits(m, suffix));
}

const struct asm_arch x86_intel = {"x86tso",
                                   SCAN_ML_COMMENTS | SCAN_DOLLAR,
                                   X86_REGISTER_COUNT,
                                   32,
                                   find_register,
                                   x86_read_intel,
                                   branch,
                                   execute};

const struct asm_arch x86_att = {"x86tso",
                                 SCAN_ML_COMMENTS | SCAN_DOLLAR,
                                 X86_REGISTER_COUNT,
                                 64,
                                 find_register,
                                 x86_read_att,
                                 branch,
                                 execute};
