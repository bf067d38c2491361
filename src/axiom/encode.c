#include "axiom/encode.h"
#include "axiom/symmetry.h"
#include "sat/sat.h"
#include <string.h>

enum { COMBINATIONS_MAX = 100 * 1000 };

static enum group_kind kind_of(const struct stmt *s) {
  switch (s->kind) {
  case STMT_FENCE:
  case STMT_FLUSH:
    return GROUP_FENCE;
  case STMT_LOCK:
  case STMT_UNLOCK:
    return GROUP_LOCK;
  default:
    return GROUP_PROGRAM;
  }
}

/* The first thread of the class, whose statements stand for those of all. */
static int representative(const struct encoder *e, int thread) {
  for (int c = 0; e->alike && c < e->alike->classes.length; c++)
    for (int i = 0; i < e->alike->classes.data[c].count; i++)
      if (e->alike->classes.data[c].threads[i] == thread)
        return e->alike->classes.data[c].threads[0];
  return thread;
}

const char *encoder_thread(const struct encoder *e, int thread) {
  const struct program *p = e->program;
  const char *names = NULL;
  int first = representative(e, thread);
  for (int t = 0; t < p->threads.length; t++)
    if (representative(e, t) == first)
      names = names ? arena_format(e->arena, "%s, %s", names, p->threads.data[t].name)
                    : p->threads.data[t].name;
  return names;
}

/* One group per instruction, loops and threads that are alike included. */
static int group_of(struct encoder *e, int s) {
  const struct program *p = e->program;
  const struct stmt *x = &p->stmts.data[s];
  int first = representative(e, x->thread);
  if (first != x->thread)
    return e->stmt_group[symmetry_stmt(p, s, x->thread, first)];
  for (int t = 0; t < s; t++)
    if (p->stmts.data[t].thread == x->thread && x->place.line &&
        p->stmts.data[t].place.line == x->place.line &&
        p->stmts.data[t].place.column == x->place.column)
      return e->stmt_group[t];
  if (x->kind == STMT_START || x->kind == STMT_END)
    return -1;
  return encoder_group(e, kind_of(x), x->place, encoder_thread(e, x->thread), x->text);
}

struct values encoder_values(const struct encoder *e, int stmt) {
  const struct stmt *s = &e->program->stmts.data[stmt];
  if (!e->narrow)
    return e->domains->all;
  return s->kind == STMT_READ ? e->domains->read[stmt] : e->domains->expr[s->value];
}

/* Whether some expression would have too many combinations of values to be written down, if every
 * read could have any value.  Arguments come before their users. */
static bool too_many_combinations(const struct encoder *e) {
  const struct program *p = e->program;
  double *values = arena_alloc(e->arena, (size_t)p->exprs.length * sizeof *values);
  for (int i = 0; i < p->exprs.length; i++) {
    const struct expr *x = &p->exprs.data[i];
    bool leaf = !expr_arity(x->kind), truth = x->kind >= EXPR_EQ && x->kind <= EXPR_LNOT;
    bool connective = x->kind == EXPR_LAND || x->kind == EXPR_LOR || x->kind == EXPR_LNOT;
    double product = 1;
    for (int a = 0; a < expr_arity(x->kind); a++)
      product *= values[x->arg[a]];
    if (x->kind == EXPR_CONST)
      values[i] = 1;
    else if (leaf || expr_single_read(p, i) >= 0)
      values[i] = e->domains->all.count;
    else if (x->kind == EXPR_ITE)
      values[i] = values[x->arg[1]] + values[x->arg[2]];
    else if (product > COMBINATIONS_MAX && !connective)
      return true;
    else
      values[i] = truth ? 2 : product;
  }
  return false;
}

struct encoder *encoder_create(const struct universe *u, struct arena *a, bool explain,
                               const struct symmetry *alike) {
  struct encoder *e = arena_alloc(a, sizeof *e);
  e->arena = a;
  e->program = u->program;
  e->domains = u->domains;
  e->universe = u;
  e->circuit = circuit_create(a);
  e->sat = sat_create();
  e->explain = explain;
  e->alike = alike;
  cnf_init(&e->cnf, e->circuit, e->sat, a);
  if (u->program->bitwise)
    sat_simplify(e->sat);
  if (!explain)
    return e;
  e->narrow = too_many_combinations(e);
  const struct program *p = e->program;
  e->stmt_group = arena_alloc(a, (size_t)p->stmts.length * sizeof *e->stmt_group);
  for (int s = 0; s < p->stmts.length; s++)
    e->stmt_group[s] = group_of(e, s);
  e->order_group = arena_alloc(a, (size_t)p->orders.length * sizeof *e->order_group + 1);
  for (int i = 0; i < p->orders.length; i++)
    e->order_group[i] =
        encoder_group(e, GROUP_ORDER, p->orders.data[i].place, "order", p->orders.data[i].text);
  return e;
}

int encoder_order(struct encoder *e, int stmt) {
  int site = e->program->stmts.data[stmt].order_site;
  if (!e->explain || !site)
    return LIT_TRUE;
  bool fresh;
  int on = encoder_input(e, INPUT_ORDER, 0, site, 0, &fresh);
  if (fresh)
    encoder_assert(e, on, e->order_group[site - 1]);
  return on;
}

void encoder_destroy(struct encoder *e) {
  if (e)
    sat_destroy(e->sat);
}

int encoder_group(struct encoder *e, enum group_kind kind, struct place place, const char *name,
                  const char *text) {
  bool again = kind == GROUP_MODEL || kind == GROUP_DEPENDENCY; /* when k grows, or in loops */
  for (int i = 0; again && i < e->groups.length; i++) {
    const struct group *g = &e->groups.data[i];
    if (g->kind == kind && g->place.line == place.line && g->place.column == place.column &&
        !strcmp(g->place.file, place.file) &&
        (kind == GROUP_MODEL || (!strcmp(g->text, text) && !strcmp(g->name, name))))
      return i;
  }
  struct group g = {kind, place, name, text, e->explain ? sat_new_variable(e->sat) : 0};
  list_push(e->arena, &e->groups, g);
  return e->groups.length - 1;
}

static int selector_of(const struct encoder *e, int group) {
  return group < 0 ? 0 : e->groups.data[group].selector;
}

void encoder_assert(struct encoder *e, int literal, int group) {
  cnf_assert(&e->cnf, literal, selector_of(e, group));
}

void encoder_clause(struct encoder *e, const int *literals, int count, int group) {
  cnf_clause(&e->cnf, literals, count, selector_of(e, group));
}

int encoder_input(struct encoder *e, int kind, int execution, int a, int b, bool *fresh) {
  uint64_t key = (uint64_t)kind << 56 | (uint64_t)(execution & 0xff) << 48 |
                 (uint64_t)(a & 0xffffff) << 24 | (uint64_t)(b & 0xffffff);
  return circuit_input_keyed(e->circuit, key, fresh);
}
