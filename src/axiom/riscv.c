/* RISC-V instructions: operands, and what an instruction does to the symbolic machine. */
#include "axiom/litmus_internal.h"
#include <string.h>
#include <strings.h>

enum { REGISTER_COUNT = 32, ZERO = 0 };

static int find_register(const char *text, size_t length, struct operand *part) {
  static const char *const names[][REGISTER_COUNT] = {
      {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
       "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
       "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31"},
      {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
       "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
       "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"}};
  part->bits = 64;
  part->high = false;
  for (int r = 0; r < REGISTER_COUNT; r++)
    for (int kind = 0; kind < 2; kind++)
      if (strlen(names[kind][r]) == length && !strncasecmp(names[kind][r], text, length))
        return r;
  return length == 2 && !strncasecmp(text, "fp", 2) ? 8 : -1;
}

/* ---- operands ----------------------------------------------------------------------------- */

static void read_operand(struct litmus_reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  o->reg = litmus_register(r, o);
  if (o->reg >= 0) {
    o->kind = OPERAND_REGISTER;
    return;
  }
  if (s->kind == TOK_NAME) { /* a label, or r, w, rw of a fence */
    o->kind = OPERAND_NAME;
    o->name = scan_name(s, r->p->arena, "an operand");
    return;
  }
  o->kind = OPERAND_IMMEDIATE;
  if (!scan_is(s, "("))
    o->value = scan_number(s, "an operand: a register, a number, 0(register) or a label");
  if (!scan_accept(s, "("))
    return;
  struct operand part;
  o->kind = OPERAND_MEMORY;
  o->base = litmus_register(r, &part);
  if (o->base < 0)
    scan_unexpected(s, "a base register");
  scan_expect(s, ")", "')'");
}

static void read_instruction(struct litmus_reader *r, struct asm_code *code) {
  litmus_read_instruction(r, code, read_operand);
}

static struct asm_value get(struct asm_machine *m, int n) {
  const struct operand *o = &m->now->operands[n];
  if (n < m->now->count && o->kind == OPERAND_IMMEDIATE)
    return asm_const(m, o->value);
  if (n >= m->now->count || o->kind != OPERAND_REGISTER)
    scan_fail(m->scan, m->now->place, "'%s': operand %d, expected a register or a number",
              m->now->text, n + 1);
  return o->reg == ZERO ? asm_const(m, 0) : m->at->regs[o->reg];
}

static void set(struct asm_machine *m, struct asm_value v) {
  const struct operand *o = &m->now->operands[0];
  if (o->kind != OPERAND_REGISTER)
    scan_fail(m->scan, o->place, "'%s', expected a register first", m->now->text);
  if (o->reg != ZERO)
    m->at->regs[o->reg] = v;
}

static struct asm_value address(struct asm_machine *m, int n) {
  const struct operand *o = &m->now->operands[n];
  if (n >= m->now->count || o->kind != OPERAND_MEMORY)
    scan_fail(m->scan, m->now->place, "'%s': operand %d, expected an address such as 0(x6)",
              m->now->text, n + 1);
  struct asm_value base = o->base == ZERO ? asm_const(m, 0) : m->at->regs[o->base];
  return asm_op(m, EXPR_ADD, base, asm_const(m, o->value));
}

/* ---- branches ----------------------------------------------------------------------------- */

static bool branch(struct asm_machine *m, struct asm_branch *b) {
  static const struct {
    const char *name;
    enum expr_kind op;
    bool swap, negate, zero; /* second side first; opposite; compared with 0 */
  } table[] = {
      {"beq", EXPR_EQ, 0, 0, 0},   {"bne", EXPR_NE, 0, 0, 0},   {"blt", EXPR_LT, 0, 0, 0},
      {"bge", EXPR_LT, 0, 1, 0},   {"bltu", EXPR_ULT, 0, 0, 0}, {"bgeu", EXPR_ULT, 0, 1, 0},
      {"bgt", EXPR_LT, 1, 0, 0},   {"ble", EXPR_LT, 1, 1, 0},   {"bgtu", EXPR_ULT, 1, 0, 0},
      {"bleu", EXPR_ULT, 1, 1, 0}, {"beqz", EXPR_EQ, 0, 0, 1},  {"bnez", EXPR_NE, 0, 0, 1},
      {"bltz", EXPR_LT, 0, 0, 1},  {"bgez", EXPR_LT, 0, 1, 1},  {"bgtz", EXPR_LT, 1, 0, 1},
      {"blez", EXPR_LT, 1, 1, 1}};
  const char *name = m->now->mnemonic;
  int operands = 0;
  b->test = asm_const(m, 1);
  if (!strcmp(name, "ret"))
    return true;
  unsigned i = 0, n = sizeof table / sizeof *table;
  while (i < n && strcmp(table[i].name, name))
    i++;
  if (i == n && strcmp(name, "j"))
    return false;
  if (i < n) {
    operands = table[i].zero ? 1 : 2;
    asm_need_operands(m, operands + 1);
    struct asm_value x = get(m, 0), y = table[i].zero ? asm_const(m, 0) : get(m, 1);
    b->test = asm_op(m, table[i].op, table[i].swap ? y : x, table[i].swap ? x : y);
    if (table[i].negate)
      b->test.value = expr_make(m->p, EXPR_LNOT, b->test.value, -1, -1);
  }
  asm_need_operands(m, operands + 1);
  if (m->now->operands[operands].kind != OPERAND_NAME)
    scan_fail(m->scan, m->now->operands[operands].place, "'%s', expected a label", m->now->text);
  b->label = m->now->operands[operands].name;
  b->place = m->now->operands[operands].place;
  return true;
}

/* ---- memory ------------------------------------------------------------------------------- */

enum { ACQUIRE = 1, RELEASE = 2 };

static unsigned order_suffix(struct asm_machine *m, const char *rest) {
  static const struct {
    const char *text;
    unsigned order;
  } table[] = {{"", 0},
               {".aq", ACQUIRE},
               {".rl", RELEASE},
               {".aq.rl", ACQUIRE | RELEASE},
               {".aqrl", ACQUIRE | RELEASE}};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(rest, table[i].text))
      return table[i].order;
  asm_fail(m, "has an unknown ending, expected .aq, .rl or .aq.rl");
}

/* Half of a read-modify-write of both orders is in Sc, a single access in AcqRel; an exchange is
 * acquired by its read and released by its write. */
static struct tags tags_for(unsigned order, bool amo, bool write) {
  struct tags t = {{0}};
  if (order == (ACQUIRE | RELEASE))
    tags_add(&t, amo ? TAG_SC_BITS : TAG_ACQ_REL_BITS);
  else if (order == ACQUIRE && !(amo && write))
    tags_add(&t, TAG_ACQ_BIT);
  else if (order == RELEASE && !(amo && !write))
    tags_add(&t, TAG_REL_BIT);
  if (amo) {
    tags_add(&t, TAG_AMO);
    tags_add(&t, TAG_X);
  }
  return t;
}

static const struct {
  const char *name;
  int bits;
  bool store, with_sign;
} accesses[] = {{"lb", 8, 0, 1},  {"lbu", 8, 0, 0},  {"lh", 16, 0, 1}, {"lhu", 16, 0, 0},
                {"lw", 32, 0, 1}, {"lwu", 32, 0, 0}, {"ld", 64, 0, 1}, {"sb", 8, 1, 0},
                {"sh", 16, 1, 0}, {"sw", 32, 1, 0},  {"sd", 64, 1, 0}};

static bool execute_access(struct asm_machine *m) {
  const char *name = m->now->mnemonic;
  size_t n = strcspn(name, ".");
  for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++) {
    if (strlen(accesses[i].name) != n || strncmp(name, accesses[i].name, n))
      continue;
    asm_need_operands(m, 2);
    struct asm_access a = {.address = address(m, 1), .bits = accesses[i].bits};
    a.tags = tags_for(order_suffix(m, name + n), false, accesses[i].store);
    if (accesses[i].store) {
      asm_store(m, &a, get(m, 0), -1);
      return true;
    }
    struct asm_value v = asm_load(m, &a, NULL);
    set(m, accesses[i].with_sign ? v : asm_zero_extend(m, v, a.bits));
    return true;
  }
  return false;
}

/* The size after the operation's name: ".w" or ".d"; what follows is the order. */
static int size_suffix(struct asm_machine *m, const char **rest) {
  if ((*rest)[0] != '.' || ((*rest)[1] != 'w' && (*rest)[1] != 'd'))
    asm_fail(m, "has no size, expected .w or .d");
  *rest += 2;
  return (*rest)[-1] == 'w' ? 32 : 64;
}

static void do_load_reserved(struct asm_machine *m, const char *rest) {
  asm_need_operands(m, 2);
  int read;
  struct asm_access a = {.bits = size_suffix(m, &rest), .address = address(m, 1)};
  a.tags = tags_for(order_suffix(m, rest), false, false);
  tags_add(&a.tags, TAG_X);
  tags_add(&a.tags, TAG_EX);
  set(m, asm_load(m, &a, &read));
  m->at->link = read;
  m->at->link_at = a.address;
}

/* Whether it was done depends on the write, and on its address. */
static void do_store_conditional(struct asm_machine *m, const char *rest) {
  asm_need_operands(m, 3);
  struct program *p = m->p;
  struct asm_access a = {.bits = size_suffix(m, &rest), .address = address(m, 2)};
  a.tags = tags_for(order_suffix(m, rest), false, true);
  tags_add(&a.tags, TAG_X);
  tags_add(&a.tags, TAG_EX);
  struct asm_value v = get(m, 1), status = asm_const(m, 1);
  int read = m->at->link, done = asm_reservation(m, a.address), path = m->at->path;
  if (read >= 0) {
    m->at->path = expr_make(p, EXPR_LAND, path, done, -1);
    int write = asm_store(m, &a, v, read);
    m->at->path = path;
    status.value = expr_make(p, EXPR_LNOT, done, -1, -1);
    status.from = depend_union(p, depend_on(p, write), a.address.from);
    status.from = depend_choose(p, done, status.from, DEPEND_NONE);
  }
  set(m, status);
  m->at->link = LINK_NONE;
  m->at->link_at = asm_const(m, 0);
}

static const struct amo {
  const char *name;
  enum expr_kind op;
  bool extreme, swap; /* keeps the old value if old OP operand (swap: operand OP old) */
} amos[] = {
    {"amoswap", EXPR_KINDS, 0, 0}, {"amoadd", EXPR_ADD, 0, 0},  {"amoand", EXPR_AND, 0, 0},
    {"amoor", EXPR_OR, 0, 0},      {"amoxor", EXPR_XOR, 0, 0},  {"amomin", EXPR_LT, 1, 0},
    {"amomax", EXPR_LT, 1, 1},     {"amominu", EXPR_ULT, 1, 0}, {"amomaxu", EXPR_ULT, 1, 1}};

static void do_amo(struct asm_machine *m, const struct amo *k, const char *rest) {
  asm_need_operands(m, 3);
  struct asm_access r = {.bits = size_suffix(m, &rest), .address = address(m, 2)}, w = r;
  unsigned order = order_suffix(m, rest);
  r.tags = tags_for(order, true, false);
  w.tags = tags_for(order, true, true);
  struct asm_value operand = asm_sign_extend(m, get(m, 1), r.bits);
  int read;
  struct asm_value old = asm_load(m, &r, &read), v = operand;
  if (k->extreme) {
    struct asm_value keep = asm_op(m, k->op, k->swap ? operand : old, k->swap ? old : operand);
    v = asm_op(m, EXPR_ADD, old, operand); /* depends on both */
    v.value = expr_make(m->p, EXPR_ITE, keep.value, old.value, operand.value);
  } else if (k->op != EXPR_KINDS) {
    v = asm_op(m, k->op, old, operand);
  }
  asm_store(m, &w, v, read);
  set(m, old);
}

static bool execute_atomic(struct asm_machine *m) {
  const char *name = m->now->mnemonic;
  size_t n = strcspn(name, ".");
  if (n == 2 && !strncmp(name, "lr", n))
    do_load_reserved(m, name + n);
  else if (n == 2 && !strncmp(name, "sc", n))
    do_store_conditional(m, name + n);
  else {
    for (unsigned i = 0; i < sizeof amos / sizeof *amos; i++)
      if (strlen(amos[i].name) == n && !strncmp(name, amos[i].name, n)) {
        do_amo(m, &amos[i], name + n);
        return true;
      }
    return false;
  }
  return true;
}

/* ---- fences ------------------------------------------------------------------------------- */

/* The reads and writes among i, o, r, w. */
static const char *fence_side(struct asm_machine *m, const struct operand *o) {
  if (o->kind != OPERAND_NAME || strspn(o->name, "iorw") != strlen(o->name))
    scan_fail(m->scan, o->place, "'%s', expected r, w or rw", m->now->text);
  bool r = strchr(o->name, 'r'), w = strchr(o->name, 'w');
  return r && w ? "rw" : r ? "r" : w ? "w" : "";
}

static bool execute_fence(struct asm_machine *m) {
  const char *name = m->now->mnemonic;
  if (!strcmp(name, "fence.i") || !strcmp(name, "fence.tso")) {
    asm_need_operands(m, 0);
    asm_fence(m, FLAVOUR_NONE, tags_of(name[6] == 'i' ? TAG_FENCE_I : TAG_FENCE_TSO));
    return true;
  }
  if (strcmp(name, "fence"))
    return false;
  const char *before = "rw", *after = "rw";
  if (m->now->count) {
    asm_need_operands(m, 2);
    before = fence_side(m, &m->now->operands[0]);
    after = fence_side(m, &m->now->operands[1]);
  }
  enum tag tag = tag_find(arena_format(m->p->arena, "Fence.%s.%s", before, after));
  if (tag != TAG_COUNT) /* without memory on one side it orders nothing here */
    asm_fence(m, FLAVOUR_NONE, tags_of(tag));
  return true;
}

/* ---- arithmetic --------------------------------------------------------------------------- */

enum action { DO_BINARY, DO_SHIFT_RIGHT, DO_MOVE, DO_UNARY, DO_TEST, DO_LUI, DO_NOP };

/* `word`: on 32 bits, with the sign extended. */
static const struct mnemonic {
  const char *name;
  enum action action;
  enum expr_kind op;
  bool word;
} mnemonics[] = {
    {"add", DO_BINARY, EXPR_ADD, 0},
    {"addi", DO_BINARY, EXPR_ADD, 0},
    {"addw", DO_BINARY, EXPR_ADD, 1},
    {"addiw", DO_BINARY, EXPR_ADD, 1},
    {"sub", DO_BINARY, EXPR_SUB, 0},
    {"subw", DO_BINARY, EXPR_SUB, 1},
    {"and", DO_BINARY, EXPR_AND, 0},
    {"andi", DO_BINARY, EXPR_AND, 0},
    {"or", DO_BINARY, EXPR_OR, 0},
    {"ori", DO_BINARY, EXPR_OR, 0},
    {"xor", DO_BINARY, EXPR_XOR, 0},
    {"xori", DO_BINARY, EXPR_XOR, 0},
    {"mul", DO_BINARY, EXPR_MUL, 0},
    {"mulw", DO_BINARY, EXPR_MUL, 1},
    {"sll", DO_BINARY, EXPR_SHL, 0},
    {"slli", DO_BINARY, EXPR_SHL, 0},
    {"sllw", DO_BINARY, EXPR_SHL, 1},
    {"slliw", DO_BINARY, EXPR_SHL, 1},
    {"sra", DO_BINARY, EXPR_SHR, 0},
    {"srai", DO_BINARY, EXPR_SHR, 0},
    {"sraw", DO_BINARY, EXPR_SHR, 1},
    {"sraiw", DO_BINARY, EXPR_SHR, 1},
    {"srl", DO_SHIFT_RIGHT, 0, 0},
    {"srli", DO_SHIFT_RIGHT, 0, 0},
    {"srlw", DO_SHIFT_RIGHT, 0, 1},
    {"srliw", DO_SHIFT_RIGHT, 0, 1},
    {"slt", DO_BINARY, EXPR_LT, 0},
    {"slti", DO_BINARY, EXPR_LT, 0},
    {"sltu", DO_BINARY, EXPR_ULT, 0},
    {"sltiu", DO_BINARY, EXPR_ULT, 0},
    {"mv", DO_MOVE, 0, 0},
    {"li", DO_MOVE, 0, 0},
    {"sext.w", DO_MOVE, 0, 1},
    {"neg", DO_UNARY, EXPR_NEG, 0},
    {"negw", DO_UNARY, EXPR_NEG, 1},
    {"not", DO_UNARY, EXPR_NOT, 0},
    {"seqz", DO_TEST, EXPR_EQ, 0},
    {"snez", DO_TEST, EXPR_NE, 0},
    {"lui", DO_LUI, 0, 0},
    {"nop", DO_NOP, 0, 0},
};

static struct asm_value result_of(struct asm_machine *m, const struct mnemonic *k) {
  int bits = k->word ? 32 : 64;
  struct asm_value a = get(m, 1), b;
  switch (k->action) {
  case DO_BINARY:
  case DO_SHIFT_RIGHT:
    asm_need_operands(m, 3);
    b = get(m, 2);
    if (k->action == DO_SHIFT_RIGHT || k->op == EXPR_SHL || k->op == EXPR_SHR)
      b = asm_op(m, EXPR_AND, b, asm_const(m, bits - 1));
    if (k->action == DO_SHIFT_RIGHT)
      return asm_shift_right(m, asm_zero_extend(m, a, bits), b);
    return asm_op(m, k->op, k->word ? asm_sign_extend(m, a, bits) : a, b);
  case DO_UNARY:
    return asm_op(m, k->op, a, a);
  case DO_TEST:
    return asm_op(m, k->op, a, asm_const(m, 0));
  case DO_LUI:
    return asm_sign_extend(m, asm_op(m, EXPR_SHL, a, asm_const(m, 12)), 32);
  default:
    return a;
  }
}

static void execute(struct asm_machine *m) {
  if (execute_access(m) || execute_atomic(m) || execute_fence(m))
    return;
  for (unsigned i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++) {
    const struct mnemonic *k = &mnemonics[i];
    if (strcmp(k->name, m->now->mnemonic))
      continue;
    if (k->action == DO_NOP)
      return;
    if (k->action != DO_BINARY && k->action != DO_SHIFT_RIGHT)
      asm_need_operands(m, 2);
    struct asm_value v = result_of(m, k);
    set(m, k->word ? asm_sign_extend(m, v, 32) : v);
    return;
  }
  scan_fail(m->scan, m->now->place, "instruction '%s' is not supported", m->now->mnemonic);
}

const struct asm_arch riscv = {"riscv",        SCAN_ML_COMMENTS | SCAN_C_COMMENTS | SCAN_DOTS,
                               REGISTER_COUNT, 64,
                               find_register,  read_instruction,
                               branch,         execute};
