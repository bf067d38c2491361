/* Control flow of a thread: forward jumps become guards, and the code is laid out once more for
 * every time a backward jump may be taken. */
#include "axiom/x86_internal.h"
#include <string.h>

static void merge(struct machine *m, struct state *into, bool *live, const struct state *from) {
  if (!*live) {
    *into = *from;
    *live = true;
    return;
  }
  for (int r = 0; r < X86_REGISTER_COUNT; r++)
    into->regs[r] = expr_make(m->p, EXPR_ITE, from->path, from->regs[r], into->regs[r]);
  into->path = expr_make(m->p, EXPR_LOR, into->path, from->path, -1);
  if (into->flags != from->flags)
    into->flags =
        into->flags == FLAGS_NONE || from->flags == FLAGS_NONE ? FLAGS_NONE : FLAGS_RESULT;
}

static int find_label(const struct machine *m, const char *label) {
  for (int i = 0; i < m->code->list.length; i++)
    if (m->code->list.data[i].label && !strcmp(m->code->list.data[i].label, label))
      return i;
  return -1;
}

struct point {
  struct state state;
  bool live;
};

/* The jump's condition as an expression, 1 for jmp; -1 if the instruction is no jump. */
static int jump_condition(struct machine *m) {
  const char *name = m->now->mnemonic;
  if (!strcmp(name, "jmp"))
    return expr_const(m->p, 1);
  return name[0] == 'j' ? x86_flag_test(m, name + 1) : -1;
}

static void jump(struct machine *m, int pc, int test, struct point *here, struct point *next_copy) {
  const struct instruction *i = m->now;
  struct program *p = m->p;
  x86_need_operands(m, 1);
  if (i->operands[0].kind != OPERAND_LABEL)
    scan_fail(m->scan, i->operands[0].place, "'%s', expected a label", i->text);
  int target = find_label(m, i->operands[0].label);
  if (target < 0)
    scan_fail(m->scan, i->operands[0].place, "there is no label '%s'", i->operands[0].label);
  struct state taken = *m->at;
  taken.path = expr_make(p, EXPR_LAND, m->at->path, test, -1);
  int no = expr_make(p, EXPR_LNOT, test, -1, -1);
  m->at->path = expr_make(p, EXPR_LAND, m->at->path, no, -1);
  int64_t constant;
  if (expr_is_const(p, taken.path, &constant) && !constant)
    return;
  struct point *to = target > pc ? &here[target] : &next_copy[target];
  merge(m, &to->state, &to->live, &taken);
}

/* Names that are not labels of this jump are locations written without brackets. */
static void resolve_names(struct machine *m, struct instruction *i) {
  if (i->mnemonic[0] == 'j')
    return;
  for (int o = 0; o < i->count; o++)
    if (i->operands[o].kind == OPERAND_LABEL) {
      int l = program_find_location(m->p, i->operands[o].label);
      if (l < 0)
        scan_fail(m->scan, i->operands[o].place,
                  "'%s' is neither a register nor a declared location", i->operands[o].label);
      i->operands[o].kind = OPERAND_MEMORY;
      i->operands[o].symbol = l;
    }
}

static void run_copy(struct machine *m, struct point *here, struct point *next_copy) {
  int n = m->code->list.length;
  for (int pc = 0; pc < n; pc++) {
    int64_t constant;
    if (!here[pc].live || (expr_is_const(m->p, here[pc].state.path, &constant) && !constant))
      continue;
    m->now = &m->code->list.data[pc];
    m->at = &here[pc].state;
    m->id = m->p->stmts.length;
    int target = pc + 1;
    if (m->now->mnemonic) {
      int test = jump_condition(m);
      if (test >= 0)
        jump(m, pc, test, here, next_copy);
      else if (!strcmp(m->now->mnemonic, "ret"))
        target = n;
      else
        x86_execute(m);
    }
    merge(m, &here[target].state, &here[target].live, m->at);
  }
}

void x86_translate(struct program *p, int thread, struct x86_code *code, bool wide, int unroll,
                   struct scan *s) {
  struct machine m = {
      .p = p, .scan = s, .thread = thread, .code = code, .default_bits = wide ? 64 : 32};
  int n = code->list.length;
  for (int i = 0; i < n; i++)
    if (code->list.data[i].mnemonic)
      resolve_names(&m, &code->list.data[i]);
  struct point *here = arena_alloc(p->arena, (size_t)(n + 1) * sizeof *here);
  struct point end = {0};
  here[0].live = true;
  here[0].state.path = expr_const(p, 1);
  memcpy(here[0].state.regs, code->initial, sizeof code->initial);
  bool more = true;
  for (int copy = 0; more && copy <= unroll; copy++) {
    struct point *next_copy = arena_alloc(p->arena, (size_t)(n + 1) * sizeof *next_copy);
    run_copy(&m, here, next_copy);
    if (here[n].live)
      merge(&m, &end.state, &end.live, &here[n].state);
    more = false;
    for (int i = 0; i < n; i++)
      more = more || next_copy[i].live;
    here = next_copy;
  }
  for (int i = 0; more && i < n; i++) /* went round too often: such executions are left out */
    if (here[i].live) {
      int cut = expr_make(p, EXPR_LNOT, here[i].state.path, -1, -1);
      list_push(p->arena, &p->assumes, cut);
      p->cut = true;
    }
  memcpy(code->final, end.live ? end.state.regs : code->initial, sizeof code->final);
}
