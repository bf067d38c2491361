#include "axiom/asm.h"
#include "axiom/mixed.h"

/* ---- values ------------------------------------------------------------------------------- */

struct asm_value asm_const(struct asm_machine *m, int64_t v) {
  return (struct asm_value){expr_const(m->p, v), DEPEND_NONE, DEPEND_NONE};
}

struct asm_value asm_op(struct asm_machine *m, enum expr_kind op, struct asm_value a,
                        struct asm_value b) {
  return (struct asm_value){expr_make(m->p, op, a.value, b.value, -1),
                            depend_union(m->p, a.from, b.from), depend_union(m->p, a.pick, b.pick)};
}

struct asm_value asm_pick(struct asm_machine *m, struct asm_value test, struct asm_value yes,
                          struct asm_value no) {
  struct program *p = m->p;
  int pick = depend_choose(p, test.value, yes.pick, no.pick);
  pick = depend_union(p, pick, depend_union(p, test.from, test.pick));
  return (struct asm_value){expr_make(p, EXPR_ITE, test.value, yes.value, no.value),
                            depend_choose(p, test.value, yes.from, no.from), pick};
}

struct asm_value asm_sign_extend(struct asm_machine *m, struct asm_value v, int bits) {
  enum expr_kind wrap = bits == 32 ? EXPR_WRAP32 : bits == 16 ? EXPR_WRAP16 : EXPR_WRAP8;
  if (bits < 64)
    v.value = expr_make(m->p, wrap, v.value, -1, -1);
  return v;
}

struct asm_value asm_zero_extend(struct asm_machine *m, struct asm_value v, int bits) {
  if (bits < 64)
    v.value = expr_make(m->p, EXPR_AND, v.value, expr_const(m->p, ((int64_t)1 << bits) - 1), -1);
  return v;
}

/* Shifts zeros in; EXPR_SHR shifts the sign in. */
struct asm_value asm_shift_right(struct asm_machine *m, struct asm_value v, struct asm_value by) {
  struct asm_value sign =
      asm_op(m, EXPR_SHL, asm_const(m, -2), asm_op(m, EXPR_SUB, asm_const(m, 63), by));
  sign.value = expr_make(m->p, EXPR_NOT, sign.value, -1, -1); /* 64 - by low bits */
  struct asm_value shifted = asm_op(m, EXPR_SHR, v, by);
  return asm_op(m, EXPR_AND, shifted, sign);
}

void asm_set_flags(struct asm_machine *m, enum asm_flags kind, struct asm_value a,
                   struct asm_value b) {
  m->at->flags = kind;
  m->at->flag[0] = a;
  m->at->flag[1] = b;
}

/* ---- accesses ----------------------------------------------------------------------------- */

int asm_emit(struct asm_machine *m, struct stmt s) {
  s.thread = m->thread;
  s.guard = m->at->path;
  s.guard_from = depend_union(m->p, m->at->ctrl, s.guard_from);
  s.instruction = m->id;
  s.place = m->now->place;
  s.text = m->now->text;
  s.monitor = -1;
  list_push(m->p->arena, &m->p->stmts, s);
  return m->p->stmts.length - 1;
}

static struct stmt access_stmt(struct asm_machine *m, const struct asm_access *a, int offset,
                               int bytes) {
  int pick = depend_union(m->p, a->address.pick, a->pick);
  return (struct stmt){
      .address = expr_make(m->p, EXPR_ADD, a->address.value, expr_const(m->p, offset), -1),
      .address_from = a->address.from,
      .guard_from = pick,
      .picked_from = pick,
      .bytes = bytes,
      .value = -1,
      .partner = -1,
      .atomic = a->atomic,
      .tags = a->tags};
}

/* Bytes of the pieces that an access falls into, and the number that marks them. */
static int pieces(struct asm_machine *m, const struct asm_access *a, int *access) {
  int whole = a->bits / 8, bytes = mixed_piece(m->mixed, m->p, a->address.value, m->now->place);
  *access = bytes && bytes < whole ? m->p->stmts.length + 1 : 0;
  return bytes && bytes < whole ? bytes : whole;
}

struct asm_value asm_load(struct asm_machine *m, const struct asm_access *a, int *stmt) {
  int access, bytes = pieces(m, a, &access);
  struct asm_value all = asm_const(m, 0);
  for (int offset = 0; offset < a->bits / 8; offset += bytes) {
    struct stmt s = access_stmt(m, a, offset, bytes);
    s.kind = STMT_READ;
    s.access = access;
    int read = asm_emit(m, s);
    if (stmt && !offset)
      *stmt = read;
    struct asm_value part = {expr_leaf(m->p, EXPR_READ, read), depend_on(m->p, read), DEPEND_NONE};
    if (access) {
      part = asm_zero_extend(m, part, bytes * 8);
      part = asm_op(m, EXPR_SHL, part, asm_const(m, offset * 8));
    }
    all = access && offset ? asm_op(m, EXPR_OR, all, part) : part;
  }
  m->at->ctrl = depend_union(m->p, m->at->ctrl, a->address.pick);
  return asm_sign_extend(m, all, a->bits);
}

int asm_partner(const struct asm_machine *m, int read, int i) {
  const struct stmt *all = m->p->stmts.data;
  bool there = read >= 0 && (!i || (all[read].access && all[read + i].kind == STMT_READ &&
                                    all[read + i].access == all[read].access));
  return there ? read + i : -1;
}

int asm_store(struct asm_machine *m, const struct asm_access *a, struct asm_value v, int read) {
  int access, bytes = pieces(m, a, &access), first = m->p->stmts.length;
  for (int offset = 0, i = 0; offset < a->bits / 8; offset += bytes, i++) {
    struct stmt s = access_stmt(m, a, offset, bytes);
    struct asm_value part = offset ? asm_op(m, EXPR_SHR, v, asm_const(m, offset * 8)) : v;
    s.kind = STMT_WRITE;
    s.access = access;
    s.value = asm_sign_extend(m, part, bytes * 8).value;
    s.value_from = v.from;
    s.guard_from = s.picked_from = depend_union(m->p, s.picked_from, v.pick);
    s.partner = asm_partner(m, read, i);
    int write = asm_emit(m, s);
    if (s.partner >= 0)
      m->p->stmts.data[s.partner].partner = write;
  }
  m->at->ctrl = depend_union(m->p, m->at->ctrl, a->address.pick);
  return first;
}

void asm_fence(struct asm_machine *m, enum stmt_flavour flavour, struct tags tags) {
  asm_emit(m, (struct stmt){.kind = STMT_FENCE,
                            .flavour = flavour,
                            .address = -1,
                            .value = -1,
                            .partner = -1,
                            .tags = tags});
}

int asm_reservation(struct asm_machine *m, struct asm_value address) {
  struct program *p = m->p;
  if (m->at->link == LINK_UNCLEAR)
    asm_fail(m, "may pair with different loads on different paths, which is not supported");
  if (m->at->link == LINK_NONE)
    return expr_const(p, 0);
  int same = expr_make(p, EXPR_EQ, address.value, m->at->link_at.value, -1);
  int may = expr_make(p, EXPR_LAND, m->at->path, same, -1);
  int choice = expr_choice(p);
  /* a choice that decides nothing is 0, so that executions are not counted twice */
  int idle = expr_make(p, EXPR_LNOT, choice, -1, -1);
  list_push(p->arena, &p->assumes, expr_make(p, EXPR_LOR, may, idle, -1));
  return expr_make(p, EXPR_LAND, choice, same, -1);
}

/* ---- errors ------------------------------------------------------------------------------- */

void asm_fail(struct asm_machine *m, const char *what) {
  scan_fail(m->scan, m->now->place, "'%s' %s", m->now->text, what);
}

void asm_need_operands(struct asm_machine *m, int n) {
  if (m->now->count != n)
    scan_fail(m->scan, m->now->place, "'%s' has %d operands, expected %d", m->now->text,
              m->now->count, n);
}
