/* Values of expressions in one execution: for each possible value, the condition under which the
 * expression has it.  Results depend only on reads that were executed, because every expression
 * that matters is guarded by the path that leads to it. */
#include "axiom/encode.h"
#include "base/check.h"
#include <stdlib.h>
#include <string.h>

struct pair {
  int64_t value;
  int literal;
};

static int compare_pairs(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  return (x->value > y->value) - (x->value < y->value);
}

/* Sorts pairs by value and joins those with the same value. */
static struct value_map collect(struct encoder *e, struct pair *pairs, int count) {
  qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
  int64_t *values = arena_alloc(e->arena, (size_t)count * sizeof *values + 1);
  int *literals = arena_alloc(e->arena, (size_t)count * sizeof *literals + 1);
  int *same = arena_alloc(e->arena, (size_t)count * sizeof *same + 1);
  int n = 0;
  for (int i = 0; i < count;) {
    int m = 0, j = i;
    for (; j < count && pairs[j].value == pairs[i].value; j++)
      same[m++] = pairs[j].literal;
    values[n] = pairs[i].value;
    literals[n] = circuit_or(e->circuit, same, m);
    n += literals[n] != LIT_FALSE;
    i = j;
  }
  return (struct value_map){values, literals, n};
}

int value_map_at(struct value_map m, int64_t value) {
  for (int i = 0; i < m.count; i++)
    if (m.value[i] == value)
      return m.literal[i];
  return LIT_FALSE;
}

static struct value_map constant(struct encoder *e, int64_t value) {
  struct pair *p = arena_alloc(e->arena, sizeof *p);
  *p = (struct pair){value, LIT_TRUE};
  return collect(e, p, 1);
}

static struct value_map from_truth(struct encoder *e, int truth) {
  struct pair *p = arena_alloc(e->arena, 2 * sizeof *p);
  p[0] = (struct pair){0, -truth};
  p[1] = (struct pair){1, truth};
  return collect(e, p, 2);
}

static struct value_map performed_value(struct execution *x, int stmt) {
  struct encoder *e = x->encoder;
  const struct universe *u = e->universe;
  int first = u->first[stmt], end = u->first[stmt + 1];
  if (end == first + 1)
    return x->value[u->performers.data[first].action];
  int total = 0;
  for (int i = first; i < end; i++)
    total += x->value[u->performers.data[i].action].count;
  struct pair *pairs = arena_alloc(e->arena, (size_t)total * sizeof *pairs + 1);
  int n = 0;
  for (int i = first; i < end; i++) {
    struct value_map m = x->value[u->performers.data[i].action];
    for (int v = 0; v < m.count; v++)
      pairs[n++] =
          (struct pair){m.value[v], circuit_and2(e->circuit, x->performs[i], m.literal[v])};
  }
  return collect(e, pairs, n);
}

/* When explaining, a register of its own: its instruction's group says that it has what was read. */
static struct value_map read_value(struct execution *x, int stmt) {
  struct encoder *e = x->encoder;
  struct value_map read = performed_value(x, stmt);
  if (!e->explain)
    return read;
  struct values all = encoder_values(e, stmt);
  int *some = arena_alloc(e->arena, (size_t)all.count * sizeof *some + 1);
  bool fresh = false;
  for (int i = 0; i < all.count; i++)
    some[i] = encoder_input(e, INPUT_REGISTER, x->index, stmt, i, &fresh);
  struct value_map reg = {all.data, some, all.count};
  if (!fresh)
    return reg;
  encoder_clause(e, some, all.count, -1);
  for (int i = 0; i < all.count; i++)
    for (int j = 0; j < i; j++)
      encoder_clause(e, (int[]){-some[i], -some[j]}, 2, -1);
  for (int i = 0; i < read.count; i++)
    encoder_clause(e, (int[]){-read.literal[i], value_map_at(reg, read.value[i])}, 2,
                   e->stmt_group[stmt]);
  return reg;
}

/* Memory at `location` in the end: the last write of it in coherence order, among `members`. */
static struct value_map memory_value(struct execution *x, int location, const int *members) {
  struct encoder *e = x->encoder;
  int n = e->universe->actions.length, locations = e->program->locations.length, total = 0;
  execution_co(x);
  for (int w = 0; w < n; w++)
    total += e->universe->actions.data[w].kind == STMT_WRITE ? x->value[w].count : 0;
  struct pair *pairs = arena_alloc(e->arena, (size_t)total * sizeof *pairs + 1);
  int *last = arena_alloc(e->arena, (size_t)(n + 3) * sizeof *last), used = 0;
  for (int w = 0; w < n; w++) {
    int here = x->at[w * locations + location];
    if (e->universe->actions.data[w].kind != STMT_WRITE || here == LIT_FALSE)
      continue;
    int m = 0;
    last[m++] = here;
    last[m++] = members[w];
    for (int v = 0; v < n; v++)
      if (x->co[w * n + v] != LIT_FALSE)
        last[m++] = -circuit_and2(e->circuit, x->co[w * n + v], members[v]);
    int is_last = circuit_and(e->circuit, last, m);
    for (int v = 0; v < x->value[w].count; v++)
      pairs[used++] = (struct pair){x->value[w].value[v],
                                    circuit_and2(e->circuit, is_last, x->value[w].literal[v])};
  }
  return collect(e, pairs, used);
}

/* An operator over one read, however often it occurs. */
static struct value_map function_of_read(struct execution *x, int expr, int stmt) {
  struct encoder *e = x->encoder;
  struct value_map m = read_value(x, stmt);
  struct pair *pairs = arena_alloc(e->arena, (size_t)m.count * sizeof *pairs + 1);
  for (int i = 0; i < m.count; i++)
    pairs[i] = (struct pair){expr_evaluate(e->program, expr, m.value[i]), m.literal[i]};
  return collect(e, pairs, m.count);
}

static struct value_map operator_value(struct execution *x, int expr) {
  struct encoder *e = x->encoder;
  const struct expr *f = &e->program->exprs.data[expr];
  int read = f->kind == EXPR_ITE ? -2 : expr_single_read(e->program, expr);
  if (read >= 0)
    return function_of_read(x, expr, read);
  if (f->kind == EXPR_ITE) {
    int t = execution_truth(x, f->arg[0]);
    struct value_map yes = execution_expr(x, f->arg[1]), no = execution_expr(x, f->arg[2]);
    struct pair *pairs = arena_alloc(e->arena, (size_t)(yes.count + no.count) * sizeof *pairs + 1);
    int n = 0;
    for (int i = 0; i < yes.count; i++)
      pairs[n++] = (struct pair){yes.value[i], circuit_and2(e->circuit, t, yes.literal[i])};
    for (int i = 0; i < no.count; i++)
      pairs[n++] = (struct pair){no.value[i], circuit_and2(e->circuit, -t, no.literal[i])};
    return collect(e, pairs, n);
  }
  struct value_map one = constant(e, 0);
  struct value_map a = execution_expr(x, f->arg[0]);
  struct value_map b = expr_arity(f->kind) > 1 ? execution_expr(x, f->arg[1]) : one;
  struct pair *pairs = arena_alloc(e->arena, (size_t)a.count * (size_t)b.count * sizeof *pairs + 1);
  int n = 0;
  for (int i = 0; i < a.count; i++)
    for (int j = 0; j < b.count; j++)
      pairs[n++] = (struct pair){expr_apply(f->kind, a.value[i], b.value[j], 0),
                                 circuit_and2(e->circuit, a.literal[i], b.literal[j])};
  return collect(e, pairs, n);
}

static bool is_truth(enum expr_kind k) {
  return (k >= EXPR_EQ && k <= EXPR_ULE) || k == EXPR_LAND || k == EXPR_LOR || k == EXPR_LNOT;
}

int execution_choice(struct execution *x, int choice) {
  return encoder_input(x->encoder, INPUT_CHOICE, x->index, choice, 0, NULL);
}

struct value_map execution_expr(struct execution *x, int expr) {
  if (x->expr[expr].count >= 0)
    return x->expr[expr];
  const struct expr *f = &x->encoder->program->exprs.data[expr];
  struct value_map m;
  switch (f->kind) {
  case EXPR_CONST:
    m = constant(x->encoder, f->value);
    break;
  case EXPR_READ:
    m = read_value(x, (int)f->value);
    break;
  case EXPR_CHOICE:
    m = from_truth(x->encoder, execution_choice(x, (int)f->value));
    break;
  case EXPR_FINAL:
    m = memory_value(x, (int)f->value, x->executed);
    break;
  case EXPR_NVM:
    CHECK(x->persisted, "a condition on persistent memory without a persisted set");
    m = memory_value(x, (int)f->value, x->persisted);
    break;
  default:
    m = is_truth(f->kind) ? from_truth(x->encoder, execution_truth(x, expr))
                          : operator_value(x, expr);
  }
  x->expr[expr] = m;
  return m;
}

static int compare_truth(struct execution *x, const struct expr *f) {
  struct encoder *e = x->encoder;
  struct value_map a = execution_expr(x, f->arg[0]), b = execution_expr(x, f->arg[1]);
  int *hits = arena_alloc(e->arena, (size_t)a.count * (size_t)b.count * sizeof *hits + 1);
  int n = 0;
  for (int i = 0; i < a.count; i++)
    for (int j = 0; j < b.count; j++)
      if (expr_apply(f->kind, a.value[i], b.value[j], 0))
        hits[n++] = circuit_and2(e->circuit, a.literal[i], b.literal[j]);
  return circuit_or(e->circuit, hits, n);
}

static int find_truth(struct execution *x, int expr) {
  struct circuit *c = x->encoder->circuit;
  const struct expr *f = &x->encoder->program->exprs.data[expr];
  switch (f->kind) {
  case EXPR_CONST:
    return f->value ? LIT_TRUE : LIT_FALSE;
  case EXPR_LNOT:
    return -execution_truth(x, f->arg[0]);
  case EXPR_LAND:
    return circuit_and2(c, execution_truth(x, f->arg[0]), execution_truth(x, f->arg[1]));
  case EXPR_LOR:
    return circuit_or2(c, execution_truth(x, f->arg[0]), execution_truth(x, f->arg[1]));
  default:
    break;
  }
  if (x->encoder->program->bitwise)
    return execution_truth_bits(x, expr);
  if (is_truth(f->kind))
    return compare_truth(x, f);
  struct value_map m = execution_expr(x, expr);
  int *others = arena_alloc(x->encoder->arena, (size_t)m.count * sizeof *others + 1), n = 0;
  for (int i = 0; i < m.count; i++)
    if (m.value[i])
      others[n++] = m.literal[i];
  return circuit_or(c, others, n);
}

/* Expressions are shared: each is looked at once, however often it occurs. */
int execution_truth(struct execution *x, int expr) {
  if (!x->truths[expr])
    x->truths[expr] = find_truth(x, expr);
  return x->truths[expr];
}
