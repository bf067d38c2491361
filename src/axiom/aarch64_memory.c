/* AArch64 loads, stores, exclusives and atomics. */
#include "axiom/aarch64.h"
#include <string.h>

enum { ACQUIRE = 1, ACQUIRE_PC = 2, RELEASE = 4, EXCLUSIVE = 8, PAIR = 16, WRITES = 32 };

/* Plain name; a size (b, h) or a signed size (sb, sh, sw) may follow. */
static const struct access_name {
  const char *name;
  unsigned how;
} accesses[] = {
    {"ldr", 0},
    {"ldur", 0},
    {"ldtr", 0},
    {"ldar", ACQUIRE},
    {"ldapr", ACQUIRE_PC},
    {"ldapur", ACQUIRE_PC},
    {"ldxr", EXCLUSIVE},
    {"ldaxr", EXCLUSIVE | ACQUIRE},
    {"str", WRITES},
    {"stur", WRITES},
    {"sttr", WRITES},
    {"stlr", WRITES | RELEASE},
    {"stlur", WRITES | RELEASE},
    {"stxr", WRITES | EXCLUSIVE},
    {"stlxr", WRITES | EXCLUSIVE | RELEASE},
    {"ldp", PAIR},
    {"ldnp", PAIR},
    {"ldxp", PAIR | EXCLUSIVE},
    {"ldaxp", PAIR | EXCLUSIVE | ACQUIRE},
    {"stp", WRITES | PAIR},
    {"stnp", WRITES | PAIR},
    {"stxp", WRITES | PAIR | EXCLUSIVE},
    {"stlxp", WRITES | PAIR | EXCLUSIVE | RELEASE},
};

enum atomic { ATOMIC_OP, ATOMIC_CLEAR, ATOMIC_SWAP, ATOMIC_CAS, ATOMIC_CAS_PAIR, ATOMIC_EXTREME };

/* An order (a, l, al) and a size (b, h) may follow; those with `st` instead of `ld` give nothing. */
static const struct atomic_name {
  const char *name;
  enum atomic what;
  enum expr_kind op; /* ATOMIC_EXTREME: keeps the old value if old OP operand */
  bool swap;         /* operand OP old instead */
} atomics[] = {
    {"ldadd", ATOMIC_OP, EXPR_ADD, 0},       {"ldeor", ATOMIC_OP, EXPR_XOR, 0},
    {"ldset", ATOMIC_OP, EXPR_OR, 0},        {"ldclr", ATOMIC_CLEAR, EXPR_AND, 0},
    {"ldsmin", ATOMIC_EXTREME, EXPR_LT, 0},  {"ldsmax", ATOMIC_EXTREME, EXPR_LT, 1},
    {"ldumin", ATOMIC_EXTREME, EXPR_ULT, 0}, {"ldumax", ATOMIC_EXTREME, EXPR_ULT, 1},
    {"swp", ATOMIC_SWAP, EXPR_ADD, 0},       {"casp", ATOMIC_CAS_PAIR, EXPR_EQ, 0},
    {"cas", ATOMIC_CAS, EXPR_EQ, 0},
};

static struct tags tags_for(unsigned how, bool write) {
  struct tags t = {{0}};
  if (how & ACQUIRE && !write)
    tags_add(&t, TAG_A);
  if (how & ACQUIRE_PC && !write)
    tags_add(&t, TAG_Q);
  if (how & RELEASE && write)
    tags_add(&t, TAG_L);
  if (how & EXCLUSIVE) {
    tags_add(&t, TAG_X);
    tags_add(&t, TAG_EX);
  }
  return t;
}

/* The address of operand n, with the base register updated if the operand says so. */
static struct asm_value address(struct asm_machine *m, int n) {
  const struct operand *o = &m->now->operands[n];
  if (n >= m->now->count || o->kind != OPERAND_MEMORY)
    scan_fail(m->scan, m->now->place, "'%s': operand %d, expected an address such as [X1]",
              m->now->text, n + 1);
  struct asm_value base = aarch64_get_register(m, o->base, 64), at;
  if (o->index >= 0)
    at = asm_op(m, EXPR_ADD, base,
                aarch64_change(m, aarch64_get_register(m, o->index, o->index_bits), o->index_bits,
                               o->change, o->amount));
  else
    at = asm_op(m, EXPR_ADD, base, asm_const(m, o->value));
  if (o->update != UPDATE_NONE)
    m->at->regs[o->base] = at;
  return o->update == UPDATE_AFTER ? base : at;
}

static struct asm_access next_to(struct asm_machine *m, struct asm_access a) {
  a.address = asm_op(m, EXPR_ADD, a.address, asm_const(m, a.bits / 8));
  return a;
}

/* Both halves of an exclusive or compare-and-swap pair are one access. */
static void join_halves(struct asm_machine *m, int first) {
  for (int s = first; s < m->p->stmts.length; s++)
    m->p->stmts.data[s].access = first + 1;
}

static void set_loaded(struct asm_machine *m, const struct operand *to, struct asm_value v,
                       int bits, bool with_sign) {
  aarch64_set(m, to, with_sign ? v : asm_zero_extend(m, v, bits));
}

static void do_load(struct asm_machine *m, unsigned how, int size, bool with_sign) {
  int registers = how & PAIR ? 2 : 1, read;
  asm_need_operands(m, registers + 1);
  const struct operand *to = aarch64_register_operand(m, 0);
  struct asm_access a = {.bits = size ? size : to->bits, .tags = tags_for(how, false)};
  a.address = address(m, registers);
  int first = m->p->stmts.length;
  struct asm_value v = asm_load(m, &a, &read);
  if (how & PAIR) {
    struct asm_access second = next_to(m, a);
    set_loaded(m, aarch64_register_operand(m, 1), asm_load(m, &second, NULL), a.bits, with_sign);
    if (how & EXCLUSIVE)
      join_halves(m, first);
  }
  if (how & EXCLUSIVE) {
    m->at->link = read;
    m->at->link_at = a.address;
  }
  set_loaded(m, to, v, a.bits, with_sign);
}

static void do_store(struct asm_machine *m, unsigned how, int size) {
  int status = how & EXCLUSIVE ? 1 : 0, registers = how & PAIR ? 2 : 1, path = m->at->path;
  asm_need_operands(m, status + registers + 1);
  const struct operand *from = aarch64_register_operand(m, status);
  struct asm_access a = {.bits = size ? size : from->bits, .tags = tags_for(how, true)};
  struct asm_value v = aarch64_get(m, from), second = {0};
  if (how & PAIR)
    second = aarch64_get(m, aarch64_register_operand(m, status + 1));
  a.address = address(m, status + registers);
  int read = -1, done = -1, first = m->p->stmts.length;
  if (status) {
    read = m->at->link;
    done = asm_reservation(m, a.address);
    m->at->path = expr_make(m->p, EXPR_LAND, path, done, -1);
  }
  if (!status || read >= 0) {
    asm_store(m, &a, v, read);
    if (how & PAIR) {
      struct asm_access high = next_to(m, a);
      int reads = m->p->stmts.length - first; /* of the low half: as many as there are writes */
      asm_store(m, &high, second, asm_partner(m, read, reads));
      if (how & EXCLUSIVE)
        join_halves(m, first);
    }
  }
  m->at->path = path;
  if (!status)
    return;
  int failed = expr_make(m->p, EXPR_LNOT, done, -1, -1);
  aarch64_set(m, aarch64_register_operand(m, 0), (struct asm_value){failed, 0, 0});
  m->at->link = LINK_NONE;
  m->at->link_at = asm_const(m, 0);
}

static struct asm_value new_value(struct asm_machine *m, const struct atomic_name *k,
                                  struct asm_value old, struct asm_value operand) {
  switch (k->what) {
  case ATOMIC_OP:
    return asm_op(m, k->op, old, operand);
  case ATOMIC_CLEAR:
    return asm_op(m, k->op, old, asm_op(m, EXPR_NOT, operand, operand));
  case ATOMIC_EXTREME: {
    struct asm_value keep = asm_op(m, k->op, k->swap ? operand : old, k->swap ? old : operand);
    struct asm_value v = asm_op(m, EXPR_ADD, old, operand); /* depends on both */
    v.value = expr_make(m->p, EXPR_ITE, keep.value, old.value, operand.value);
    return v;
  }
  default:
    return operand;
  }
}

/* LDADD Ws, Wt, [Xn]; STADD Ws, [Xn]; SWP Ws, Wt, [Xn].  Without a result, the read waits for
 * nobody: acquire has no effect. */
static void do_atomic(struct asm_machine *m, const struct atomic_name *k, unsigned how, int size,
                      bool result) {
  asm_need_operands(m, result ? 3 : 2);
  const struct operand *from = aarch64_register_operand(m, 0);
  const struct operand *to = result ? aarch64_register_operand(m, 1) : NULL;
  bool silent = !to || to->reg == AARCH64_ZR;
  struct asm_access r = {.bits = size ? size : from->bits,
                         .tags = tags_for(silent ? how & ~(unsigned)ACQUIRE : how, false)};
  tags_add(&r.tags, TAG_X);
  if (silent)
    tags_add(&r.tags, TAG_NO_RET);
  struct asm_access w = r;
  w.tags = tags_for(how, true);
  tags_add(&w.tags, TAG_X);
  struct asm_value operand = asm_sign_extend(m, aarch64_get(m, from), r.bits);
  r.address = w.address = address(m, result ? 2 : 1);
  int read;
  struct asm_value old = asm_load(m, &r, &read);
  asm_store(m, &w, asm_sign_extend(m, new_value(m, k, old, operand), r.bits), read);
  if (to)
    set_loaded(m, to, old, r.bits, false);
}

/* What the register that was compared gets: memory's value.  Where they are equal, an
 * implementation may just as well keep the register; memory then only picks. */
static struct asm_value compared(struct asm_machine *m, struct asm_value equal,
                                 struct asm_value expected, struct asm_value old) {
  struct program *p = m->p;
  int keep = equal.value;
  if (expected.from != DEPEND_NONE || expected.pick != DEPEND_NONE) {
    int choice = expr_choice(p), may = expr_make(p, EXPR_LAND, m->at->path, keep, -1);
    int idle = expr_make(p, EXPR_LNOT, choice, -1, -1);
    list_push(p->arena, &p->assumes, expr_make(p, EXPR_LOR, may, idle, -1));
    keep = expr_make(p, EXPR_LAND, keep, choice, -1);
  }
  old.from = depend_choose(p, keep, expected.from, old.from);
  int pick = depend_union(p, equal.from, equal.pick);
  old.pick = depend_choose(p, keep, depend_union(p, pick, expected.pick), old.pick);
  return old;
}

/* CAS Ws, Wt, [Xn] and CASP Ws, W(s+1), Wt, W(t+1), [Xn].  A failed one does not write. */
static void do_compare_and_swap(struct asm_machine *m, unsigned how, int size, bool pair) {
  int n = pair ? 2 : 1, read[2] = {-1, -1}, path = m->at->path, first = m->p->stmts.length;
  asm_need_operands(m, 2 * n + 1);
  const struct operand *result = aarch64_register_operand(m, 0);
  bool silent = !pair && result->reg == AARCH64_ZR;
  struct asm_access r = {.bits = size ? size : result->bits,
                         .tags = tags_for(silent ? how & ~(unsigned)ACQUIRE : how, false)};
  tags_add(&r.tags, TAG_X);
  if (silent)
    tags_add(&r.tags, TAG_NO_RET);
  struct asm_access w = {.bits = r.bits, .tags = tags_for(how, true)};
  tags_add(&w.tags, TAG_X);
  r.address = w.address = address(m, 2 * n);
  struct asm_value expected[2], desired[2], old[2], equal = asm_const(m, 1);
  for (int i = 0; i < n; i++) {
    expected[i] = asm_sign_extend(m, aarch64_get(m, aarch64_register_operand(m, i)), r.bits);
    desired[i] = aarch64_get(m, aarch64_register_operand(m, n + i));
    old[i] = asm_load(m, &r, &read[i]);
    equal = asm_op(m, EXPR_LAND, equal, asm_op(m, EXPR_EQ, expected[i], old[i]));
    r = next_to(m, r);
  }
  if (pair)
    join_halves(m, first);
  first = m->p->stmts.length;
  w.pick = depend_union(m->p, equal.from, equal.pick);
  m->at->path = expr_make(m->p, EXPR_LAND, path, equal.value, -1);
  for (int i = 0; i < n; i++) {
    asm_store(m, &w, desired[i], read[i]);
    w = next_to(m, w);
  }
  if (pair)
    join_halves(m, first);
  m->at->path = path;
  for (int i = 0; i < n; i++)
    set_loaded(m, aarch64_register_operand(m, i), compared(m, equal, expected[i], old[i]), r.bits,
               false);
}

/* ---- names -------------------------------------------------------------------------------- */

static bool ends_with(const char *rest, const char *const *words, int count, int *found) {
  for (*found = 0; *found < count; ++*found)
    if (!strcmp(rest, words[*found]))
      return true;
  return false;
}

static bool execute_access(struct asm_machine *m) {
  static const char *const sizes[] = {"", "b", "h", "sb", "sh", "sw"};
  static const int bits[] = {0, 8, 16, 8, 16, 32};
  for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++) {
    size_t n = strlen(accesses[i].name);
    int size;
    if (strncmp(m->now->mnemonic, accesses[i].name, n) ||
        !ends_with(m->now->mnemonic + n, sizes, 6, &size))
      continue;
    if (accesses[i].how & WRITES)
      do_store(m, accesses[i].how, bits[size]);
    else
      do_load(m, accesses[i].how, bits[size], size >= 3);
    return true;
  }
  return false;
}

static bool execute_atomic(struct asm_machine *m) {
  static const char *const suffixes[] = {"",   "a",   "l", "al", "b",  "ab",
                                         "lb", "alb", "h", "ah", "lh", "alh"};
  static const unsigned orders[] = {0, ACQUIRE, RELEASE, ACQUIRE | RELEASE};
  static const int bits[] = {0, 8, 16};
  const char *name = m->now->mnemonic;
  for (unsigned i = 0; i < sizeof atomics / sizeof *atomics; i++) {
    const struct atomic_name *k = &atomics[i];
    size_t n = strlen(k->name);
    bool silent = name[0] == 's' && name[1] == 't' && k->name[0] == 'l';
    int suffix;
    if (strncmp(name + (silent ? 2 : 0), k->name + (silent ? 2 : 0), n - (silent ? 2 : 0)) ||
        !ends_with(name + n, suffixes, 12, &suffix))
      continue;
    unsigned how = orders[suffix % 4];
    if (k->what == ATOMIC_CAS || k->what == ATOMIC_CAS_PAIR)
      do_compare_and_swap(m, how, bits[suffix / 4], k->what == ATOMIC_CAS_PAIR);
    else
      do_atomic(m, k, how, bits[suffix / 4], !silent);
    return true;
  }
  return false;
}

bool aarch64_execute_memory(struct asm_machine *m) {
  return execute_access(m) || execute_atomic(m);
}
