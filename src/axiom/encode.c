#include "axiom/encode.h"
#include "sat/sat.h"
#include <string.h>

struct encoder *encoder_create(const struct universe *u, struct arena *a, bool explain) {
  struct encoder *e = arena_alloc(a, sizeof *e);
  e->arena = a;
  e->program = u->program;
  e->domains = u->domains;
  e->universe = u;
  e->circuit = circuit_create(a);
  e->sat = sat_create();
  e->explain = explain;
  cnf_init(&e->cnf, e->circuit, e->sat, a);
  if (!explain)
    return e;
  const struct program *p = e->program;
  e->stmt_group = arena_alloc(a, (size_t)p->stmts.length * sizeof *e->stmt_group);
  for (int s = 0; s < p->stmts.length; s++) {
    const struct stmt *x = &p->stmts.data[s];
    e->stmt_group[s] = -1;
    for (int t = 0; t < s && e->stmt_group[s] < 0;
         t++) /* one group per instruction, loops included */
      if (p->stmts.data[t].thread == x->thread && x->place.line &&
          p->stmts.data[t].place.line == x->place.line &&
          p->stmts.data[t].place.column == x->place.column)
        e->stmt_group[s] = e->stmt_group[t];
    if (e->stmt_group[s] < 0 && x->kind != STMT_START && x->kind != STMT_END)
      e->stmt_group[s] =
          encoder_group(e, GROUP_PROGRAM, x->place, p->threads.data[x->thread].name, x->text);
  }
  e->order_group = arena_alloc(a, (size_t)p->orders.length * sizeof *e->order_group + 1);
  for (int i = 0; i < p->orders.length; i++)
    e->order_group[i] =
        encoder_group(e, GROUP_PROGRAM, p->orders.data[i].place, "order", p->orders.data[i].text);
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
  for (int i = 0; i < e->groups.length; i++) { /* found again when k grows */
    const struct group *g = &e->groups.data[i];
    if (g->kind == kind && kind == GROUP_MODEL && g->place.line == place.line &&
        g->place.column == place.column && !strcmp(g->place.file, place.file))
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
