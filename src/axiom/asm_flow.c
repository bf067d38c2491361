/* Control flow of a thread: forward jumps become guards, and the code is laid out once more for
 * every time a backward jump may be taken. */
#include "axiom/asm.h"
#include <stdlib.h>
#include <string.h>

enum { FREE_ROUNDS_MAX = 256 }; /* rounds that nothing can prevent do not count */

static void merge_value(struct asm_machine *m, struct asm_value *into, int when,
                        struct asm_value from) {
  into->value = expr_make(m->p, EXPR_ITE, when, from.value, into->value);
  into->from = depend_choose(m->p, when, from.from, into->from);
  into->pick = depend_choose(m->p, when, from.pick, into->pick);
}

static enum asm_flags common_flags(enum asm_flags a, enum asm_flags b) {
  if (a == b)
    return a;
  return a + b == FLAGS_RESULT + FLAGS_COMPARE && a && b ? FLAGS_RESULT : FLAGS_NONE;
}

static void merge(struct asm_machine *m, struct asm_state *into, bool *live,
                  const struct asm_state *from) {
  if (!*live) {
    *into = *from;
    *live = true;
    return;
  }
  for (int r = 0; r < m->registers; r++)
    merge_value(m, &into->regs[r], from->path, from->regs[r]);
  for (int i = 0; i < 2; i++)
    merge_value(m, &into->flag[i], from->path, from->flag[i]);
  merge_value(m, &into->link_at, from->path, from->link_at);
  if (into->link != from->link) /* where there is none, no address is reserved */
    into->link = into->link == LINK_NONE   ? from->link
                 : from->link == LINK_NONE ? into->link
                                           : LINK_UNCLEAR;
  into->ctrl = depend_choose(m->p, from->path, from->ctrl, into->ctrl);
  into->path = expr_make(m->p, EXPR_LOR, into->path, from->path, -1);
  into->flags =
      into->flag_bits == from->flag_bits ? common_flags(into->flags, from->flags) : FLAGS_NONE;
}

/* ".+8", ".-4": so many bytes from instruction pc on, four for each. */
static int relative(const struct asm_machine *m, int pc, int64_t bytes) {
  int n = m->code->list.length, step = bytes < 0 ? -1 : 1, at = pc;
  for (int64_t left = bytes / 4; left && at >= 0 && at < n;) {
    at += step;
    bool end = step > 0 && at == n;
    if (end || (at >= 0 && at < n && m->code->list.data[at].mnemonic))
      left -= step;
    if (end && left)
      return -1;
  }
  return bytes % 4 ? -1 : at;
}

static int find_label(const struct asm_machine *m, int pc, const char *label) {
  if (label[0] == '.' && (label[1] == '+' || label[1] == '-'))
    return relative(m, pc, strtoll(label + 1, NULL, 10));
  for (int i = 0; i < m->code->list.length; i++)
    if (m->code->list.data[i].label && !strcmp(m->code->list.data[i].label, label))
      return i;
  return -1;
}

struct point {
  struct asm_state state;
  bool live;
};

static struct point *points_create(struct asm_machine *m) {
  return arena_alloc(m->p->arena, (size_t)(m->code->list.length + 1) * sizeof(struct point));
}

static void jump(struct asm_machine *m, int pc, const struct asm_branch *b, struct point *here,
                 struct point **next_copy) {
  struct program *p = m->p;
  int target = b->label ? find_label(m, pc, b->label) : m->code->list.length;
  if (target < 0)
    scan_fail(m->scan, b->place, "there is no label '%s'", b->label);
  struct asm_state taken = *m->at;
  taken.path = expr_make(p, EXPR_LAND, m->at->path, b->test.value, -1);
  taken.ctrl = m->at->ctrl =
      depend_union(p, m->at->ctrl, depend_union(p, b->test.from, b->test.pick));
  int no = expr_make(p, EXPR_LNOT, b->test.value, -1, -1);
  m->at->path = expr_make(p, EXPR_LAND, m->at->path, no, -1);
  int64_t constant;
  if (expr_is_const(p, taken.path, &constant) && !constant)
    return;
  if (target <= pc && !*next_copy)
    *next_copy = points_create(m);
  struct point *to = target > pc ? &here[target] : &(*next_copy)[target];
  merge(m, &to->state, &to->live, &taken);
}

/* *next_copy is made when the first backward jump needs it. */
static void run_copy(struct asm_machine *m, struct point *here, struct point **next_copy) {
  int n = m->code->list.length;
  for (int pc = 0; pc < n; pc++) {
    int64_t constant;
    if (!here[pc].live || (expr_is_const(m->p, here[pc].state.path, &constant) && !constant))
      continue;
    m->now = &m->code->list.data[pc];
    m->at = &here[pc].state;
    m->id = m->p->stmts.length;
    struct asm_branch b = {0};
    if (m->now->mnemonic) {
      if (m->arch->branch(m, &b))
        jump(m, pc, &b, here, next_copy);
      else
        m->arch->execute(m);
    }
    if (!expr_is_const(m->p, m->at->path, &constant) || constant)
      merge(m, &here[pc + 1].state, &here[pc + 1].live, m->at);
  }
}

/* Whether the next round is certain, as in a loop that counts with constants. */
static bool always_reached(const struct asm_machine *m, const struct point *here) {
  int64_t constant;
  for (int i = 0; i < m->code->list.length; i++)
    if (here[i].live && expr_is_const(m->p, here[i].state.path, &constant) && constant)
      return true;
  return false;
}

static void start(struct asm_machine *m, struct point *at) {
  struct asm_value zero = asm_const(m, 0);
  at->live = true;
  at->state = (struct asm_state){
      .path = EXPR_ONE, .link = LINK_NONE, .link_at = zero, .flag = {zero, zero}};
  for (int r = 0; r < m->registers; r++)
    at->state.regs[r] = (struct asm_value){m->code->initial[r], DEPEND_NONE, DEPEND_NONE};
}

void asm_translate(struct asm_machine *m, int unroll) {
  struct program *p = m->p;
  int n = m->code->list.length;
  p->dependencies_given = true;
  struct point *here = points_create(m);
  struct point end = {0};
  start(m, &here[0]);
  memcpy(end.state.regs, here[0].state.regs, sizeof end.state.regs);
  for (int copy = 0, free = FREE_ROUNDS_MAX; here && copy <= unroll;) {
    struct point *next_copy = NULL;
    run_copy(m, here, &next_copy);
    if (here[n].live)
      merge(m, &end.state, &end.live, &here[n].state);
    here = next_copy;
    copy += !(free-- > 0 && here && always_reached(m, here));
  }
  for (int i = 0; here && i < n; i++) /* went round too often: such executions are left out */
    if (here[i].live) {
      int cut = expr_make(p, EXPR_LNOT, here[i].state.path, -1, -1);
      list_push(p->arena, &p->assumes, cut);
      p->cut = true;
    }
  memcpy(m->code->final, end.state.regs, sizeof m->code->final);
}
