/* Final states of programs with threads that can change places.
 *
 * The solver finds the states of executions in which the threads of a class are sorted; every
 * assignment of what the threads of a class saw to those threads is a state, too.  So a state is
 * read with more than what is observed: for a register of one thread of a class, the same register
 * of all the others. */
#include "axiom/check_internal.h"
#include "base/check.h"
#include "base/hash.h"
#include <string.h>

enum { ARRANGEMENTS_MAX = 500 * 1000, NO_CLASS = -1 };

struct column {   /* an observed item */
  int class;      /* whose class it is of, NO_CLASS: the same however threads are arranged */
  int place;      /* of its thread in the class */
  int *exprs;     /* by place in the class; without a class: one */
  int64_t *value; /* likewise, in the state at hand */
};

struct orbits {
  const struct symmetry *symmetry;
  struct column *columns; /* by observed item */
  bool *matters;          /* by class: a column is of it */
  int **order;            /* by class: which thread's values go where */
  int *slots;             /* states by hash: number + 1 */
  int slot_count;
  int sorted; /* solver literal; also switches blocked states on */
};

const struct symmetry *symmetry_beside_condition(const struct program *p, const struct model *m,
                                                 struct arena *a) {
  if (m->many_executions || !m->uses_co)
    return NULL;
  bool *apart = arena_alloc(a, (size_t)p->threads.length * sizeof *apart + 1);
  symmetry_threads_in(p, p->condition, apart);
  return symmetry_find(p, apart, a);
}

int symmetry_sorted(struct encoder *e, struct execution *x, const struct symmetry *y) {
  int n = e->universe->actions.length, sorted = sat_new_variable(e->sat);
  execution_co(x);
  for (int c = 0; c < y->classes.length; c++) {
    const struct thread_class *k = &y->classes.data[c];
    for (int i = 0; i + 1 < k->count; i++) {
      int stmts[2], actions[2];
      for (int j = 0; j < 2; j++) {
        stmts[j] = symmetry_stmt(e->program, k->sorted_by, k->threads[0], k->threads[i + j]);
        actions[j] = e->universe->performers.data[e->universe->first[stmts[j]]].action;
      }
      cnf_assert(&e->cnf, x->co[actions[0] * n + actions[1]], sorted);
    }
  }
  return sorted;
}

/* ---- what states consist of --------------------------------------------------------------- */

static bool looks_at_memory(const struct program *p, int e) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_FINAL || x->kind == EXPR_NVM)
    return true;
  for (int i = 0; i < expr_arity(x->kind); i++)
    if (looks_at_memory(p, x->arg[i]))
      return true;
  return false;
}

/* The only class that an expression is about; false if there are several, or memory besides. */
static bool class_of(const struct run *r, const struct symmetry *y, int expr, struct column *c) {
  bool *threads = arena_alloc(r->arena, (size_t)r->p->threads.length * sizeof *threads + 1);
  symmetry_threads_in(r->p, expr, threads);
  int found = 0;
  c->class = NO_CLASS;
  for (int k = 0; k < y->classes.length; k++)
    for (int i = 0; i < y->classes.data[k].count; i++)
      if (threads[y->classes.data[k].threads[i]]) {
        c->class = k;
        c->place = i;
        found++;
      }
  int others = 0;
  for (int t = 0; t < r->p->threads.length; t++)
    others += threads[t];
  return !found || (found == 1 && others == 1 && !looks_at_memory(r->p, expr));
}

static bool make_column(struct run *r, struct orbits *o, int expr, struct column *c) {
  if (!class_of(r, o->symmetry, expr, c))
    return false;
  const struct thread_class *k = c->class == NO_CLASS ? NULL : &o->symmetry->classes.data[c->class];
  int count = k ? k->count : 1;
  c->exprs = arena_alloc(r->arena, (size_t)count * sizeof *c->exprs);
  c->value = arena_alloc(r->arena, (size_t)count * sizeof *c->value);
  for (int i = 0; i < count; i++) {
    bool itself = !k || i == c->place;
    c->exprs[i] = itself ? expr : symmetry_expr(r->p, expr, k->threads[c->place], k->threads[i]);
    if (c->exprs[i] < 0)
      return false;
  }
  if (k)
    o->matters[c->class] = true;
  return true;
}

/* The condition's value in a state; false if the state does not determine it. */
static bool evaluate(const struct program *p, int e, const int64_t *state, int64_t *v) {
  for (int i = 0; i < p->observed.length; i++)
    if (p->observed.data[i].expr == e) {
      *v = state[i];
      return true;
    }
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_CONST) {
    *v = x->value;
    return true;
  }
  int arity = expr_arity(x->kind);
  int64_t arg[3] = {0, 0, 0};
  for (int i = 0; i < arity; i++)
    if (!evaluate(p, x->arg[i], state, &arg[i]))
      return false;
  if (arity)
    *v = expr_apply(x->kind, arg[0], arg[1], arg[2]);
  return arity > 0;
}

static bool few_arrangements(const struct orbits *o) {
  long total = 1;
  for (int k = 0; k < o->symmetry->classes.length; k++)
    for (int i = 2; o->matters[k] && i <= o->symmetry->classes.data[k].count; i++) {
      total *= i;
      if (total > ARRANGEMENTS_MAX)
        return false;
    }
  return true;
}

struct orbits *orbits_find(struct run *r) {
  const struct check_options *options = r->options;
  if (options->count_executions || options->verdict_only || r->model->many_executions ||
      !r->model->uses_co)
    return NULL;
  const struct symmetry *y = symmetry_find(r->p, NULL, r->arena);
  if (!y)
    return NULL;
  struct orbits *o = arena_alloc(r->arena, sizeof *o);
  o->symmetry = y;
  int observed = r->p->observed.length, classes = y->classes.length;
  o->columns = arena_alloc(r->arena, (size_t)observed * sizeof *o->columns + 1);
  o->matters = arena_alloc(r->arena, (size_t)classes * sizeof *o->matters + 1);
  for (int i = 0; i < observed; i++)
    if (!make_column(r, o, r->p->observed.data[i].expr, &o->columns[i]))
      return NULL;
  int64_t ignored, *state = arena_alloc(r->arena, (size_t)observed * sizeof *state + 1);
  if (!few_arrangements(o) || !evaluate(r->p, r->p->condition, state, &ignored))
    return NULL;
  o->order = arena_alloc(r->arena, (size_t)classes * sizeof *o->order);
  for (int k = 0; k < classes; k++)
    o->order[k] = arena_alloc(r->arena, (size_t)y->classes.data[k].count * sizeof **o->order);
  o->slot_count = 1024;
  o->slots = arena_alloc(r->arena, (size_t)o->slot_count * sizeof *o->slots);
  return o;
}

static int column_length(const struct orbits *o, const struct column *c) {
  return c->class == NO_CLASS ? 1 : o->symmetry->classes.data[c->class].count;
}

void orbits_prepare(struct run *r) {
  struct orbits *o = r->orbits;
  for (int i = 0; i < r->p->observed.length; i++)
    for (int j = 0; j < column_length(o, &o->columns[i]); j++)
      execution_expr(run_execution(r), o->columns[i].exprs[j]);
  o->sorted = symmetry_sorted(r->encoder, run_execution(r), o->symmetry);
}

/* ---- all arrangements of a state ----------------------------------------------------------- */

static uint64_t hash_state(const struct run *r, const int64_t *values) {
  uint64_t h = 0;
  for (int i = 0; i < r->p->observed.length; i++)
    h = hash_u64(h, (uint64_t)values[i]);
  return h;
}

static void grow_slots(struct run *r) {
  struct orbits *o = r->orbits;
  o->slot_count *= 4;
  o->slots = arena_alloc(r->arena, (size_t)o->slot_count * sizeof *o->slots);
  for (int i = 0; i < r->result->states.length; i++) {
    uint64_t s = hash_state(r, r->result->states.data[i].values) % (uint64_t)o->slot_count;
    while (o->slots[s])
      s = (s + 1) % (uint64_t)o->slot_count;
    o->slots[s] = i + 1;
  }
}

static void add_state(struct run *r, const int64_t *values) {
  struct orbits *o = r->orbits;
  size_t bytes = (size_t)r->p->observed.length * sizeof *values;
  uint64_t s = hash_state(r, values) % (uint64_t)o->slot_count;
  for (; o->slots[s]; s = (s + 1) % (uint64_t)o->slot_count)
    if (!memcmp(r->result->states.data[o->slots[s] - 1].values, values, bytes))
      return;
  struct final_state f = {.executions = 1, .values = arena_alloc(r->arena, bytes + 1)};
  memcpy(f.values, values, bytes);
  int64_t holds = 0;
  evaluate(r->p, r->p->condition, values, &holds);
  f.satisfies = holds != 0;
  *(f.satisfies ? &r->result->positive : &r->result->negative) += 1;
  list_push(r->arena, &r->result->states, f);
  o->slots[s] = r->result->states.length;
  if (r->result->states.length * 2 > o->slot_count)
    grow_slots(r);
}

/* Chooses who is at `place` of class k, then the rest; `used` are threads of the class. */
static void arrange(struct run *r, int k, int place, bool *used, int64_t *state) {
  struct orbits *o = r->orbits;
  if (k == o->symmetry->classes.length) {
    for (int i = 0; i < r->p->observed.length; i++) {
      const struct column *c = &o->columns[i];
      state[i] = c->value[c->class == NO_CLASS ? 0 : o->order[c->class][c->place]];
    }
    add_state(r, state);
    return;
  }
  int count = o->symmetry->classes.data[k].count;
  if (!o->matters[k] || place == count) {
    bool fresh[64] = {0};
    arrange(r, k + 1, 0, fresh, state);
    return;
  }
  for (int t = 0; t < count; t++) {
    if (used[t])
      continue;
    used[t] = true;
    o->order[k][place] = t;
    arrange(r, k, place + 1, used, state);
    used[t] = false;
  }
}

/* ---- states -------------------------------------------------------------------------------- */

/* Reads the state of a solution and excludes it; false if there is no other. */
static bool take_state(struct run *r, struct arena *scratch) {
  struct orbits *o = r->orbits;
  LIST(int) nodes = {0};
  cnf_read_begin(&r->encoder->cnf);
  for (int i = 0; i < r->p->observed.length; i++) {
    struct column *c = &o->columns[i];
    for (int j = 0; j < column_length(o, c); j++) {
      c->value[j] = run_value(r, c->exprs[j]);
      int l = value_map_at(execution_expr(run_execution(r), c->exprs[j]), c->value[j]);
      if (l != LIT_TRUE)
        list_push(scratch, &nodes, l);
    }
  }
  bool more = nodes.length > 0;
  for (int i = 0; i < nodes.length; i++)
    nodes.data[i] = -cnf_literal(&r->encoder->cnf, nodes.data[i]);
  list_push(scratch, &nodes, -o->sorted);
  sat_add_clause(r->encoder->sat, nodes.data, nodes.length);
  return more;
}

void orbits_enumerate(struct run *r) {
  struct arena scratch = {0};
  int64_t *state = arena_alloc(r->arena, (size_t)r->p->observed.length * sizeof *state + 1);
  for (bool more = true; more && run_solve(r, r->orbits->sorted) == SAT_YES;) {
    more = take_state(r, &scratch);
    bool used[64] = {0};
    arrange(r, 0, 0, used, state);
    arena_release(&scratch);
  }
}

bool orbits_assume_target(struct run *r) {
  bool wanted = r->p->quantifier != QUANT_FORALL;
  for (int i = 0; i < r->result->states.length; i++) {
    const struct final_state *s = &r->result->states.data[i];
    if (s->satisfies != wanted)
      continue;
    for (int j = 0; j < r->p->observed.length; j++) {
      int l =
          value_map_at(execution_expr(run_execution(r), r->p->observed.data[j].expr), s->values[j]);
      sat_assume(r->encoder->sat, cnf_literal(&r->encoder->cnf, l));
    }
    return true;
  }
  return false;
}
