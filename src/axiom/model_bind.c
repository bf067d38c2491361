/* Definitions: let, let rec.
 *
 * A recursive definition is evaluated from the empty relation upwards.  One that only ever grows
 * has a least fixed point, reached within as many rounds as there are members to add.  One that
 * also takes away (r on the right of '\\' or under '~') is evaluated the same way, as herd does,
 * and must come to rest; if it does not, it has no meaning. */
#include "axiom/model_encode.h"
#include "sat/sat.h"
#include <string.h>

/* rounds, conflicts of the solver, nodes of the circuit */
enum { FIRST_LOOK = 8, CONFLICTS_MAX = 2000, NODES_MAX = 4000000 };

static bool mentions(const struct cat_node *n, const char *name) {
  if (!n)
    return false;
  if (n->kind == CAT_NAME && !strcmp(n->text, name))
    return true;
  for (int i = 0; i < n->args.length; i++)
    if (mentions(n->args.data[i], name))
      return true;
  for (int i = 0; i < n->bindings.length; i++)
    if (mentions(n->bindings.data[i].body, name))
      return true;
  return mentions(n->arg[0], name) || mentions(n->arg[1], name) || mentions(n->set, name);
}

/* let rec r = a | b | r;r is (a | b)+; false if the definition has another shape. */
static bool closure_parts(const struct cat_node *n, const char *name) {
  if (n->kind == CAT_UNION)
    return closure_parts(n->arg[0], name) && closure_parts(n->arg[1], name);
  if (n->kind == CAT_SEQ && n->arg[0]->kind == CAT_NAME && n->arg[1]->kind == CAT_NAME &&
      !strcmp(n->arg[0]->text, name) && !strcmp(n->arg[1]->text, name))
    return true;
  return !mentions(n, name);
}

static struct cat_value eval_parts(struct model_encoding *m, const struct cat_node *n,
                                   const char *name, struct env *env, struct execution *x) {
  if (n->kind == CAT_UNION && mentions(n, name)) {
    struct cat_value a = eval_parts(m, n->arg[0], name, env, x),
                     b = eval_parts(m, n->arg[1], name, env, x);
    if (a.kind == VALUE_EMPTY || b.kind == VALUE_EMPTY)
      return a.kind == VALUE_EMPTY ? b : a;
    const int *cells =
        cells_or(&m->space, cat_relation(m, n, a), cat_relation(m, n, b), m->space.n * m->space.n);
    return (struct cat_value){.kind = VALUE_RELATION, .cells = cells};
  }
  return mentions(n, name) ? (struct cat_value){.kind = VALUE_EMPTY} : cat_eval(m, n, env, x);
}

static bool grows(const struct cat_node *n, const char *name, const struct env *env, int depth);

/* A call grows with `name` if the function grows with every argument that mentions it. */
static bool call_grows(const struct cat_node *n, const char *name, const struct env *env,
                       int depth) {
  static const char *const built_in[] = {"domain", "range", "fencerel", "toid", "udr", NULL};
  const struct env *e = env;
  if (n->arg[0]->kind != CAT_NAME || depth > CALL_DEPTH_MAX)
    return false;
  while (e && strcmp(e->name, n->arg[0]->text))
    e = e->next;
  bool known = false;
  for (int i = 0; !e && built_in[i]; i++)
    known = known || !strcmp(built_in[i], n->arg[0]->text);
  if (!e && !known)
    return false;
  for (int i = 0; i < n->args.length; i++) {
    if (!grows(n->args.data[i], name, env, depth + 1))
      return false;
    if (!e || !mentions(n->args.data[i], name))
      continue;
    const struct cat_binding *f = e->value.kind == VALUE_FUNCTION ? e->value.function : NULL;
    if (!f || f->params.length != n->args.length ||
        !grows(f->body, f->params.data[i], e->value.env, depth + 1))
      return false;
  }
  return true;
}

/* Whether a definition can only grow with `name`. */
static bool grows(const struct cat_node *n, const char *name, const struct env *env, int depth) {
  if (!n || !mentions(n, name))
    return true;
  switch (n->kind) {
  case CAT_CALL:
    return call_grows(n, name, env, depth);
  case CAT_COMPLEMENT:
  case CAT_IF:
  case CAT_MATCH_SET:
  case CAT_MATCH_TAG:
  case CAT_TRY:
  case CAT_LET_IN:
  case CAT_FUN:
    return false;
  case CAT_DIFF:
    return grows(n->arg[0], name, env, depth) && !mentions(n->arg[1], name);
  default:
    break;
  }
  for (int i = 0; i < n->args.length; i++)
    if (!grows(n->args.data[i], name, env, depth))
      return false;
  return grows(n->arg[0], name, env, depth) && grows(n->arg[1], name, env, depth);
}

/* Cells that may be true: each round of a growing definition adds at least one of them. */
static int possible_cells(const struct model_encoding *m, const struct cat_value *v, int count) {
  int possible = 0;
  for (int i = 0; i < count; i++) {
    int cells = v[i].kind == VALUE_RELATION ? m->space.n * m->space.n
                : v[i].kind == VALUE_SET    ? m->space.n
                                            : 0;
    for (int c = 0; c < cells; c++)
      possible += v[i].cells[c] != LIT_FALSE;
  }
  return possible;
}

static bool same_value(const struct model_encoding *m, struct cat_value a, struct cat_value b) {
  if (a.kind != b.kind || !a.cells)
    return a.kind == b.kind;
  size_t cells = (size_t)m->space.n * (a.kind == VALUE_RELATION ? (size_t)m->space.n : 1);
  return !memcmp(a.cells, b.cells, cells * sizeof *a.cells);
}

static bool growing(const struct cat_binding *b, int count, const struct env *env,
                    const struct cat_binding **not_growing) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      if (!b[j].params.length && !b[j].takes_tuple && !grows(b[j].body, b[i].name, env, 0)) {
        *not_growing = &b[j];
        return false;
      }
  return true;
}

/* One round: the next value of every name, one after the other, as herd does it. */
static bool round_changes(struct model_encoding *m, const struct cat_binding *b, int count,
                          struct env **names, struct env *scope, struct execution *x,
                          struct cat_value *next) {
  bool changed = false;
  for (int i = 0; i < count; i++) {
    next[i] = names[i]->value;
    if (next[i].kind == VALUE_FUNCTION)
      continue;
    next[i] = cat_eval(m, b[i].body, scope, x);
    if (next[i].kind > VALUE_RELATION)
      cat_fail(m, b[i].body, "a recursive definition is a set, a relation or a function");
    next[i].element = false;
    changed = changed || !same_value(m, names[i]->value, next[i]);
    names[i]->value = next[i];
  }
  return changed;
}

/* Circuits may differ and say the same: the solver knows whether any execution can tell. */
static bool at_rest(struct model_encoding *m, const struct cat_value *last,
                    const struct cat_value *next, int count) {
  struct circuit *c = m->space.circuit;
  int differ = LIT_FALSE;
  for (int i = 0; i < count; i++) {
    if (next[i].kind == VALUE_FUNCTION)
      continue;
    if (last[i].kind != next[i].kind)
      return false;
    int cells = next[i].kind == VALUE_RELATION ? m->space.n * m->space.n : m->space.n;
    for (int k = 0; next[i].cells && k < cells; k++)
      differ = circuit_or2(c, differ, -circuit_iff(c, last[i].cells[k], next[i].cells[k]));
  }
  if (differ == LIT_TRUE || differ == LIT_FALSE)
    return differ == LIT_FALSE;
  sat_assume(m->encoder->sat, cnf_literal(&m->encoder->cnf, differ));
  sat_limit(m->encoder->sat, CONFLICTS_MAX);
  return sat_solve(m->encoder->sat) == SAT_NO;
}

/* Round after round until nothing changes.  Equal circuits show at once; whether different ones mean
 * the same is asked now and then. */
static void iterate(struct model_encoding *m, struct cat_binding *b, int count, struct env **names,
                    struct env *scope, struct execution *x) {
  struct cat_value *next = arena_alloc(m->space.arena, (size_t)count * sizeof *next);
  struct cat_value *last = arena_alloc(m->space.arena, (size_t)count * sizeof *last);
  const struct cat_binding *culprit = b;
  bool only_grows = growing(b, count, scope, &culprit);
  int nodes = circuit_nodes(m->space.circuit);
  for (int round = 0; round_changes(m, b, count, names, scope, x, next); round++) {
    bool power_of_two = (round & (round - 1)) == 0;
    if (round >= FIRST_LOOK && power_of_two && at_rest(m, last, next, count))
      return;
    if (only_grows && round > possible_cells(m, next, count) + count)
      return; /* there is nothing left to add */
    if (!only_grows && round > 2 * m->space.n + FIRST_LOOK)
      cat_fail(m, culprit->body,
               "'let rec %s' comes to no rest: it takes away what it has added, so it has no least "
               "fixed point",
               culprit->name);
    if (circuit_nodes(m->space.circuit) - nodes > NODES_MAX)
      cat_fail(m, culprit->body,
               "'let rec %s' gets too large for this test: %d rounds were not enough",
               culprit->name, round + 1);
    memcpy(last, next, (size_t)count * sizeof *last);
  }
}

struct cat_value cat_unfold(struct model_encoding *m, struct cat_binding *b, struct env *name,
                            struct execution *x) {
  iterate(m, b, 1, &name, name, x);
  return name->value;
}

static struct env *bind_recursive(struct model_encoding *m, struct cat_binding *b, int count,
                                  struct env *env, struct execution *x) {
  struct env *scope = env;
  struct env **names = arena_alloc(m->space.arena, (size_t)count * sizeof *names);
  for (int i = 0; i < count; i++)
    names[i] = scope = env_bind(m, scope, b[i].name, (struct cat_value){.kind = VALUE_EMPTY});
  for (int i = 0; i < count; i++)
    if (b[i].params.length || b[i].takes_tuple)
      names[i]->value = (struct cat_value){
          .kind = VALUE_FUNCTION, .function = &b[i], .env = scope, .execution = x};
  const struct cat_binding *culprit;
  bool one = count == 1 && !m->model->many_executions && names[0]->value.kind == VALUE_EMPTY;
  if (!one || !growing(b, 1, scope, &culprit) || !cat_least(m, b, names[0], env, x))
    iterate(m, b, count, names, scope, x);
  return scope;
}

/* Definitions of one let do not see each other; they are evaluated when first used. */
static struct env *bind_later(struct model_encoding *m, struct cat_binding *b, struct env *outer,
                              struct env *scope, struct execution *x) {
  struct env *e = env_bind(m, scope, b->name, (struct cat_value){.kind = VALUE_EMPTY});
  e->scope = outer;
  e->binding = b;
  e->evaluated = false;
  e->execution = x;
  if (b->params.length || b->takes_tuple) {
    e->value =
        (struct cat_value){.kind = VALUE_FUNCTION, .function = b, .env = outer, .execution = x};
    e->evaluated = true;
  }
  return e;
}

static struct env *bind_pattern(struct model_encoding *m, struct cat_binding *b, struct env *outer,
                                struct env *scope, struct execution *x) {
  struct cat_value v = cat_eval(m, b->body, outer, x);
  if (v.kind != VALUE_TUPLE || v.count != b->pattern.length)
    cat_fail(m, b->body, "expected a tuple of %d values", b->pattern.length);
  for (int i = 0; i < v.count; i++)
    scope = env_bind(m, scope, b->pattern.data[i], v.members[i]);
  return scope;
}

struct env *cat_bind(struct model_encoding *m, struct cat_binding *b, int count, bool recursive,
                     struct env *env, struct execution *x) {
  if (recursive && count == 1 && !b->params.length && !b->takes_tuple &&
      closure_parts(b->body, b->name)) {
    struct cat_value v = eval_parts(m, b->body, b->name, env, x);
    if (v.kind == VALUE_RELATION && mentions(b->body, b->name))
      v = (struct cat_value){.kind = VALUE_RELATION, .cells = relation_closure(&m->space, v.cells)};
    return env_bind(m, env, b->name, v);
  }
  if (recursive)
    return bind_recursive(m, b, count, env, x);
  struct env *scope = env;
  for (int i = 0; i < count; i++)
    scope = b[i].name ? bind_later(m, &b[i], env, scope, x) : bind_pattern(m, &b[i], env, scope, x);
  for (struct env *e = scope; e != env; e = e->next)
    if (e->binding && !e->binding->in_library)
      env_force(m, e); /* mistakes show even where nothing uses the name */
  return scope;
}
