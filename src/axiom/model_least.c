/* Recursive definitions that only grow, without unfolding them.
 *
 * A pair that may be in the relation is an input; clauses say that the definition's right side is
 * contained in it.  So the inputs are at least the least fixed point, and they need be no more than
 * that where nobody wants a pair to be there; where somebody does, rounds are unfolded after all
 * (circuit_input_bounded). */
#include "axiom/model_encode.h"
#include "base/check.h"
#include <string.h>

struct least {
  struct model_encoding *m;
  struct cat_binding *binding;
  struct env *env; /* around the definition */
  struct execution *x;
  struct bounded bounded;
  int *input;              /* by pair: a literal, LIT_FALSE = it cannot be there */
  const int *right;        /* by pair: what the definition says about these */
  LIST(int) pairs;         /* by input */
  int first, last;         /* nodes between which the inputs and the right side lie */
  bool given_up;           /* these inputs are nobody's */
  const int *exact;        /* by pair, once somebody asks */
  const unsigned char *in; /* by node, in the solver's model that is being read */
};

static int exact_pair(void *context, int index) {
  struct least *l = context;
  if (!l->exact) {
    struct env *name =
        env_bind(l->m, l->env, l->binding->name, (struct cat_value){.kind = VALUE_EMPTY});
    struct cat_value v = cat_unfold(l->m, l->binding, name, l->x);
    l->exact = v.cells;
  }
  return l->exact[l->pairs.data[index]];
}

/* The least fixed point in the model: up from nothing. */
static bool pair_in_model(void *context, int index, const unsigned char *model, struct arena *a) {
  struct least *l = context;
  if (l->given_up)
    return false;
  if (index == 0) {
    unsigned char *in = arena_alloc(a, (size_t)l->last + 1);
    memcpy(in, model, (size_t)l->first);
    for (bool changed = true; changed;) {
      changed = false;
      circuit_evaluate(l->m->space.circuit, in, l->first, l->last);
      for (int i = 0; i < l->pairs.length; i++) {
        int pair = l->pairs.data[i], node = l->input[pair];
        if (!in[node] && model_value(in, l->right[pair]))
          changed = in[node] = true;
      }
    }
    l->in = in;
  }
  return l->in[l->input[l->pairs.data[index]]];
}

/* An input for every pair of `found` that has none; false if there are no new ones. */
static bool add_pairs(struct least *l, const int *found) {
  int n = l->m->space.n, before = l->pairs.length;
  for (int i = 0; i < n * n; i++)
    if (found[i] != LIT_FALSE && l->input[i] == LIT_FALSE) {
      l->input[i] = circuit_input_bounded(l->m->space.circuit, &l->bounded, l->pairs.length);
      list_push(l->m->space.arena, &l->pairs, i);
    }
  return l->pairs.length > before;
}

static bool is_relation(struct cat_value v) {
  return v.kind == VALUE_RELATION && v.cells;
}

bool cat_least(struct model_encoding *m, struct cat_binding *b, struct env *name, struct env *outer,
               struct execution *x) {
  struct space *s = &m->space;
  struct cat_value v = cat_eval(m, b->body, name, x);
  if (!is_relation(v))
    return false;
  struct least *l = arena_alloc(s->arena, sizeof *l);
  *l = (struct least){.m = m, .binding = b, .env = outer, .x = x};
  l->bounded = (struct bounded){exact_pair, pair_in_model, l};
  l->input = cells_create(s, s->n * s->n);
  l->first = circuit_nodes(s->circuit);
  while (is_relation(v) && add_pairs(l, v.cells)) {
    name->value = (struct cat_value){.kind = VALUE_RELATION, .cells = l->input};
    v = cat_eval(m, b->body, name, x);
  }
  l->last = circuit_nodes(s->circuit) - 1;
  l->right = v.cells;
  /* closures inside have inputs of their own, which belong to no model of the solver so far */
  l->given_up = !is_relation(v) || circuit_inputs(s->circuit, l->first, l->last) > l->pairs.length;
  if (l->given_up) {
    name->value = (struct cat_value){.kind = VALUE_EMPTY};
    return false;
  }
  for (int i = 0; i < l->pairs.length; i++)
    cnf_push(&m->encoder->cnf, l->right[l->pairs.data[i]], LIT_TRUE, l->input[l->pairs.data[i]]);
  name->value = (struct cat_value){.kind = VALUE_RELATION, .cells = l->input};
  return true;
}
