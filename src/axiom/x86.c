#include "axiom/x86_internal.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

int x86_register_named(const char *text, size_t length, int *bits) {
  static const char *const names[][4] = {
#define X(name, q, l, w, b) {q, l, w, b},
      X86_REGISTERS(X)
#undef X
  };
  static const int widths[] = {64, 32, 16, 8};
  if (length && text[0] == '%')
    text++, length--;
  for (unsigned r = 0; r < sizeof names / sizeof *names; r++)
    for (int w = 0; w < 4; w++)
      if (strlen(names[r][w]) == length && !strncasecmp(names[r][w], text, length)) {
        *bits = widths[w];
        return (int)r;
      }
  return -1;
}

/* ---- values ------------------------------------------------------------------------------- */

static int wrap(struct machine *m, int e, int bits) {
  switch (bits) {
  case 32:
    return expr_make(m->p, EXPR_WRAP32, e, -1, -1);
  case 16:
    return expr_make(m->p, EXPR_WRAP16, e, -1, -1);
  case 8:
    return expr_make(m->p, EXPR_WRAP8, e, -1, -1);
  default:
    return e;
  }
}

/* Addresses would not survive being cut to 32 bits by "movl (x),%eax" otherwise; they are small. */
static int get_register(struct machine *m, int reg, int bits) {
  return wrap(m, m->at->regs[reg], bits);
}

static void set_register(struct machine *m, int reg, int bits, int value) {
  struct program *p = m->p;
  if (bits < 32) {
    int64_t mask = (1 << bits) - 1;
    int high = expr_make(p, EXPR_AND, m->at->regs[reg], expr_const(p, ~mask), -1);
    value = expr_make(p, EXPR_OR, high, expr_make(p, EXPR_AND, value, expr_const(p, mask), -1), -1);
  } else {
    value = wrap(m, value, bits);
  }
  m->at->regs[reg] = value;
}

static int address(struct machine *m, const struct operand *o) {
  struct program *p = m->p;
  int e = expr_const(p, o->value + (o->symbol >= 0 ? program_address(p, o->symbol) : 0));
  if (o->base >= 0)
    e = expr_make(p, EXPR_ADD, e, m->at->regs[o->base], -1);
  if (o->index >= 0) {
    int scaled = expr_make(p, EXPR_MUL, m->at->regs[o->index], expr_const(p, o->scale), -1);
    e = expr_make(p, EXPR_ADD, e, scaled, -1);
  }
  return e;
}

static int emit(struct machine *m, struct stmt s) {
  s.thread = m->thread;
  s.guard = m->at->path;
  s.instruction = m->id;
  s.place = m->now->place;
  s.text = m->now->text;
  s.monitor = -1;
  list_push(m->p->arena, &m->p->stmts, s);
  return m->p->stmts.length - 1;
}

static int load(struct machine *m, const struct operand *o, bool atomic) {
  int s = emit(m, (struct stmt){.kind = STMT_READ,
                                .address = address(m, o),
                                .value = -1,
                                .partner = -1,
                                .atomic = atomic});
  return expr_leaf(m->p, EXPR_READ, s);
}

static void store(struct machine *m, const struct operand *o, int value, int read, bool atomic) {
  int w = emit(m, (struct stmt){.kind = STMT_WRITE,
                                .address = address(m, o),
                                .value = value,
                                .partner = read,
                                .atomic = atomic});
  if (read >= 0)
    m->p->stmts.data[read].partner = w;
}

static int read_stmt(const struct machine *m) {
  return m->p->stmts.length - 1;
}

static int get(struct machine *m, const struct operand *o, int bits) {
  switch (o->kind) {
  case OPERAND_REGISTER:
    return get_register(m, o->reg, o->bits);
  case OPERAND_MEMORY:
    return wrap(m, load(m, o, false), bits);
  default:
    return expr_const(m->p, o->value + (o->symbol >= 0 ? program_address(m->p, o->symbol) : 0));
  }
}

static void put(struct machine *m, const struct operand *o, int value, int bits) {
  if (o->kind == OPERAND_REGISTER)
    set_register(m, o->reg, o->bits, value);
  else if (o->kind == OPERAND_MEMORY)
    store(m, o, wrap(m, value, bits), -1, false);
  else
    scan_fail(m->scan, o->place,
              "'%s': the destination is a constant, expected a register or memory", m->now->text);
}

static void set_flags(struct machine *m, enum flags kind, int a, int b) {
  m->at->flags = kind;
  m->at->regs[X86_FLAG_A] = a;
  m->at->regs[X86_FLAG_B] = b;
}

/* ---- conditions of jumps ------------------------------------------------------------------ */

int x86_flag_test(struct machine *m, const char *cc) {
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
  struct program *p = m->p;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, cc))
      continue;
    if (m->at->flags == FLAGS_NONE)
      scan_fail(m->scan, m->now->place, "'%s' looks at flags that no instruction has set",
                m->now->text);
    if (m->at->flags == FLAGS_RESULT && table[i].needs_compare)
      scan_fail(m->scan, m->now->place,
                "'%s' needs carry or overflow, known only after cmp, test or sub", m->now->text);
    int a = m->at->regs[X86_FLAG_A], b = m->at->regs[X86_FLAG_B];
    if (cc[0] == 's' || !strcmp(cc, "ns")) {
      a = expr_make(p, EXPR_SUB, a, b, -1);
      b = expr_const(p, 0);
    }
    int e = expr_make(p, table[i].op, a, b, -1);
    return table[i].negate ? expr_make(p, EXPR_LNOT, e, -1, -1) : e;
  }
  return -1;
}

/* ---- instructions ------------------------------------------------------------------------- */

#define NEED(m, n) x86_need_operands(m, n)

void x86_need_operands(struct machine *m, int n) {
  if (m->now->count != n)
    scan_fail(m->scan, m->now->place, "'%s' has %d operands, expected %d", m->now->text,
              m->now->count, n);
}

static int operand_bits(const struct machine *m, int suffix_bits) {
  if (suffix_bits)
    return suffix_bits;
  for (int i = m->now->count - 1; i >= 0; i--)
    if (m->now->operands[i].kind == OPERAND_REGISTER)
      return m->now->operands[i].bits;
  return m->default_bits;
}

enum action {
  DO_MOV,
  DO_MOVZX,
  DO_LEA,
  DO_XCHG,
  DO_BINARY,
  DO_UNARY,
  DO_CMP,
  DO_TEST,
  DO_CMPXCHG,
  DO_XADD,
  DO_FENCE,
  DO_FLUSH,
  DO_NOP,
  DO_MOVNTI
};

struct mnemonic {
  const char *name;
  enum action action;
  int detail;
  bool exact_flags; /* DO_BINARY: the flags are those of a comparison with 0 */
};

static const struct mnemonic mnemonics[] = {
    {"mov", DO_MOV, 0, 0},
    {"movabs", DO_MOV, 0, 0},
    {"movzx", DO_MOVZX, 0, 0},
    {"movzb", DO_MOVZX, 8, 0},
    {"movzw", DO_MOVZX, 16, 0},
    {"lea", DO_LEA, 0, 0},
    {"xchg", DO_XCHG, 0, 0},
    {"add", DO_BINARY, EXPR_ADD, 0},
    {"sub", DO_BINARY, EXPR_SUB, 0},
    {"and", DO_BINARY, EXPR_AND, 1},
    {"or", DO_BINARY, EXPR_OR, 1},
    {"xor", DO_BINARY, EXPR_XOR, 1},
    {"shl", DO_BINARY, EXPR_SHL, 0},
    {"sal", DO_BINARY, EXPR_SHL, 0},
    {"sar", DO_BINARY, EXPR_SHR, 0},
    {"inc", DO_UNARY, EXPR_ADD, 0},
    {"dec", DO_UNARY, EXPR_SUB, 0},
    {"neg", DO_UNARY, EXPR_NEG, 0},
    {"not", DO_UNARY, EXPR_NOT, 0},
    {"cmp", DO_CMP, 0, 0},
    {"test", DO_TEST, 0, 0},
    {"cmpxchg", DO_CMPXCHG, 0, 0},
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

static bool only_lockable(enum action a) {
  return a == DO_BINARY || a == DO_UNARY || a == DO_CMPXCHG || a == DO_XADD || a == DO_XCHG;
}

static int unary_result(struct machine *m, int op, int value) {
  bool counts = op == EXPR_ADD || op == EXPR_SUB;
  return expr_make(m->p, (enum expr_kind)op, value, counts ? expr_const(m->p, 1) : -1, -1);
}

/* op source, destination (or op destination): reads and writes the destination. */
static void do_arithmetic(struct machine *m, const struct mnemonic *k, int bits) {
  const struct instruction *i = m->now;
  bool unary = k->action == DO_UNARY;
  if (unary)
    NEED(m, 1);
  else
    NEED(m, 2);
  const struct operand *to = &i->operands[i->count - 1];
  int other = unary ? -1 : get(m, &i->operands[0], bits);
  int old, read = -1;
  if (to->kind == OPERAND_MEMORY) {
    old = load(m, to, i->lock);
    read = read_stmt(m);
  } else {
    old = get(m, to, bits);
  }
  int value = unary ? unary_result(m, k->detail, wrap(m, old, bits))
                    : expr_make(m->p, (enum expr_kind)k->detail, wrap(m, old, bits), other, -1);
  value = wrap(m, value, bits);
  if (to->kind == OPERAND_MEMORY)
    store(m, to, value, i->lock ? read : -1, i->lock);
  else
    put(m, to, value, bits);
  if (k->detail == EXPR_SUB && !unary)
    set_flags(m, FLAGS_COMPARE, wrap(m, old, bits), other);
  else if (k->detail != EXPR_NOT)
    set_flags(m, k->exact_flags ? FLAGS_COMPARE : FLAGS_RESULT, value, expr_const(m->p, 0));
}

static const struct operand *memory_side(struct machine *m, const struct operand **reg) {
  const struct operand *a = &m->now->operands[0], *b = &m->now->operands[1];
  *reg = a->kind == OPERAND_REGISTER ? a : b;
  const struct operand *other = *reg == a ? b : a;
  if ((*reg)->kind != OPERAND_REGISTER ||
      (other->kind != OPERAND_MEMORY && other->kind != OPERAND_REGISTER))
    scan_fail(m->scan, m->now->place, "'%s', expected a register and memory", m->now->text);
  return other;
}

static void do_exchange(struct machine *m, bool add, int bits) {
  NEED(m, 2);
  const struct operand *reg, *mem = memory_side(m, &reg);
  int mine = get(m, reg, bits);
  bool atomic = !add || m->now->lock; /* xchg with memory is always locked */
  if (mem->kind == OPERAND_REGISTER) {
    int theirs = get(m, mem, bits);
    put(m, mem, add ? expr_make(m->p, EXPR_ADD, mine, theirs, -1) : mine, bits);
    put(m, reg, theirs, bits);
    return;
  }
  int old = wrap(m, load(m, mem, atomic), bits), read = read_stmt(m);
  int value = add ? wrap(m, expr_make(m->p, EXPR_ADD, old, mine, -1), bits) : wrap(m, mine, bits);
  store(m, mem, value, atomic ? read : -1, atomic);
  put(m, reg, old, bits);
  if (add)
    set_flags(m, FLAGS_RESULT, value, expr_const(m->p, 0));
}

/* cmpxchg source, destination: if the accumulator equals the destination, store the source there,
 * else load it.  A failed one has no write, but its read is still a locked access. */
static void do_cmpxchg(struct machine *m, int bits) {
  NEED(m, 2);
  struct program *p = m->p;
  const struct operand *from = &m->now->operands[0], *to = &m->now->operands[1];
  if (from->kind != OPERAND_REGISTER || to->kind != OPERAND_MEMORY)
    scan_fail(m->scan, m->now->place, "'%s', expected cmpxchg of a register and memory",
              m->now->text);
  int expected = get_register(m, X86_AX, bits), desired = get(m, from, bits);
  int old = wrap(m, load(m, to, m->now->lock), bits), read = read_stmt(m);
  int equal = expr_make(p, EXPR_EQ, expected, old, -1);
  int path = m->at->path;
  m->at->path = expr_make(p, EXPR_LAND, path, equal, -1);
  store(m, to, wrap(m, desired, bits), m->now->lock ? read : -1, m->now->lock);
  m->at->path = path;
  set_register(m, X86_AX, bits, expr_make(p, EXPR_ITE, equal, expected, old));
  set_flags(m, FLAGS_COMPARE, expected, old);
}

static void do_flush(struct machine *m, enum stmt_flavour flavour) {
  NEED(m, 1);
  const struct operand *o = &m->now->operands[0];
  if (o->kind != OPERAND_MEMORY)
    scan_fail(m->scan, o->place, "'%s', expected a memory operand", m->now->text);
  emit(m, (struct stmt){.kind = STMT_FLUSH,
                        .flavour = flavour,
                        .address = address(m, o),
                        .value = -1,
                        .partner = -1});
}

static void do_compare(struct machine *m, enum action action, int bits) {
  NEED(m, 2);
  int a = get(m, &m->now->operands[1], bits), b = get(m, &m->now->operands[0], bits);
  if (action == DO_CMP)
    set_flags(m, FLAGS_COMPARE, a, b);
  else
    set_flags(m, FLAGS_COMPARE, expr_make(m->p, EXPR_AND, a, b, -1), expr_const(m->p, 0));
}

/* setcc and cmovcc; false if it is neither. */
static bool do_conditional(struct machine *m) {
  const struct instruction *i = m->now;
  bool set = !strncmp(i->mnemonic, "set", 3), move = !strncmp(i->mnemonic, "cmov", 4);
  if (!set && !move)
    return false;
  int test = x86_flag_test(m, i->mnemonic + (set ? 3 : 4));
  if (test < 0)
    return false;
  if (set) {
    NEED(m, 1);
    put(m, &i->operands[0], test, 8);
    return true;
  }
  NEED(m, 2);
  int bits = operand_bits(m, 0);
  int from = get(m, &i->operands[0], bits), old = get(m, &i->operands[1], bits);
  put(m, &i->operands[1], expr_make(m->p, EXPR_ITE, test, from, old), bits);
  return true;
}

static void move(struct machine *m, int bits) {
  NEED(m, 2);
  const struct operand *from = &m->now->operands[0], *to = &m->now->operands[1];
  if (from->kind == OPERAND_MEMORY && to->kind == OPERAND_MEMORY)
    scan_fail(m->scan, m->now->place, "'%s' moves memory to memory, expected one register",
              m->now->text);
  put(m, to, get(m, from, bits), bits);
}

void x86_execute(struct machine *m) {
  const struct instruction *i = m->now;
  int bits;
  const struct mnemonic *k = decode(i->mnemonic, &bits);
  if (!k) {
    if (!do_conditional(m))
      scan_fail(m->scan, i->place, "instruction '%s' is not supported", i->mnemonic);
    return;
  }
  if (i->lock && (!only_lockable(k->action) ||
                  i->operands[i->count ? i->count - 1 : 0].kind == OPERAND_IMMEDIATE))
    scan_fail(m->scan, i->place, "'%s' cannot be locked", i->text);
  int suffix = bits;
  bits = operand_bits(m, suffix);
  switch (k->action) {
  case DO_MOV:
    move(m, bits);
    break;
  case DO_MOVZX: {
    NEED(m, 2);
    int value = get(m, &i->operands[0], 64);
    if (k->detail)
      value = expr_make(m->p, EXPR_AND, value, expr_const(m->p, (1 << k->detail) - 1), -1);
    put(m, &i->operands[1], value, bits);
    break;
  }
  case DO_LEA:
    NEED(m, 2);
    put(m, &i->operands[1], address(m, &i->operands[0]), bits);
    break;
  case DO_XCHG:
    do_exchange(m, false, bits);
    break;
  case DO_XADD:
    do_exchange(m, true, bits);
    break;
  case DO_BINARY:
  case DO_UNARY:
    do_arithmetic(m, k, bits);
    break;
  case DO_CMP:
  case DO_TEST:
    do_compare(m, k->action, bits);
    break;
  case DO_CMPXCHG:
    do_cmpxchg(m, bits);
    break;
  case DO_FENCE:
    NEED(m, 0);
    emit(m, (struct stmt){.kind = STMT_FENCE,
                          .flavour = (enum stmt_flavour)k->detail,
                          .address = -1,
                          .value = -1,
                          .partner = -1});
    break;
  case DO_FLUSH:
    do_flush(m, (enum stmt_flavour)k->detail);
    break;
  case DO_MOVNTI: /* a store whose line is written back at the next fence */
    move(m, bits);
    emit(m, (struct stmt){.kind = STMT_FLUSH,
                          .flavour = FLAVOUR_CLFLUSHOPT,
                          .address = address(m, &i->operands[1]),
                          .value = -1,
                          .partner = -1});
    break;
  case DO_NOP:
    break;
  }
}
