/* Values beyond sets and relations: tuples, tags, sets of values, and the sets of orders from which
 * `with` chooses.
 *
 * Members of a set may be there in some executions only.  A match on such a set is evaluated for
 * both cases and the results are joined by the condition; how often that may happen is bounded. */
#include "axiom/model_encode.h"
#include <string.h>

enum { CROSS_MAX = 4096 };

struct cat_value cat_values(struct model_encoding *m, int count) {
  struct cat_value v = {.kind = VALUE_VALUES, .count = count};
  int *guards = arena_alloc(m->space.arena, (size_t)count * sizeof *guards + 1);
  for (int i = 0; i < count; i++)
    guards[i] = LIT_TRUE;
  v.guards = guards;
  v.members = arena_alloc(m->space.arena, (size_t)count * sizeof *v.members + 1);
  return v;
}

struct cat_value cat_tuple(struct model_encoding *m, const struct cat_value *members, int count) {
  struct cat_value v = {.kind = VALUE_TUPLE, .count = count};
  v.members = arena_alloc(m->space.arena, (size_t)count * sizeof *v.members + 1);
  for (int i = 0; i < count; i++)
    v.members[i] = members[i];
  return v;
}

/* ---- putting together --------------------------------------------------------------------- */

struct cat_value cat_join(struct model_encoding *m, const struct cat_node *n, struct cat_value a,
                          struct cat_value b) {
  if (a.kind == VALUE_EMPTY || b.kind == VALUE_EMPTY)
    return a.kind == VALUE_EMPTY ? b : a;
  if (a.kind != VALUE_VALUES || b.kind != VALUE_VALUES)
    cat_fail(m, n, "these cannot be combined");
  struct cat_value v = cat_values(m, a.count + b.count);
  for (int i = 0; i < v.count; i++) {
    v.members[i] = i < a.count ? a.members[i] : b.members[i - a.count];
    ((int *)v.guards)[i] = i < a.count ? a.guards[i] : b.guards[i - a.count];
  }
  return v;
}

static bool is_event(struct cat_value v) {
  return v.kind == VALUE_SET && v.element;
}

/* a ++ b: an event goes into a set of events, a pair into a relation, anything else into a set of
 * such things. */
struct cat_value cat_add(struct model_encoding *m, const struct cat_node *n, struct cat_value a,
                         struct cat_value b) {
  const struct space *s = &m->space;
  if (a.kind == VALUE_TUPLE && a.count == 2 && is_event(a.members[0]) && is_event(a.members[1]))
    a = (struct cat_value){.kind = VALUE_RELATION,
                           .element = true,
                           .cells = relation_product(s, a.members[0].cells, a.members[1].cells)};
  if (a.element && (b.kind == VALUE_EMPTY || b.kind == a.kind)) {
    int count = a.kind == VALUE_SET ? s->n : s->n * s->n;
    const int *cells = b.kind == VALUE_EMPTY ? a.cells : cells_or(s, a.cells, b.cells, count);
    return (struct cat_value){.kind = a.kind, .cells = cells};
  }
  if (b.kind != VALUE_EMPTY && b.kind != VALUE_VALUES)
    cat_fail(m, n, "this cannot be added to that set: its members are of another kind");
  for (int i = 0; b.kind == VALUE_VALUES && i < b.count; i++)
    if (a.kind != VALUE_EMPTY && b.members[i].kind != VALUE_EMPTY && b.members[i].kind != a.kind)
      cat_fail(m, n, "this cannot be added to that set: its members are of another kind");
  struct cat_value one = cat_values(m, 1);
  one.members[0] = a;
  return cat_join(m, n, one, b);
}

struct cat_value cat_choose(struct model_encoding *m, const struct cat_node *n, int condition,
                            struct cat_value a, struct cat_value b) {
  struct circuit *c = m->space.circuit;
  if (condition == LIT_TRUE || condition == LIT_FALSE)
    return condition == LIT_TRUE ? a : b;
  if (a.kind == VALUE_EMPTY && b.kind == VALUE_EMPTY)
    return a;
  enum value_kind kind = a.kind == VALUE_EMPTY ? b.kind : a.kind;
  if (b.kind != VALUE_EMPTY && b.kind != kind)
    cat_fail(m, n, "the cases give values of different kinds");
  if (kind == VALUE_SET || kind == VALUE_RELATION) {
    bool set = kind == VALUE_SET;
    int count = set ? m->space.n : m->space.n * m->space.n, *r = cells_create(&m->space, count);
    const int *p = set ? cat_set(m, n, a) : cat_relation(m, n, a);
    const int *q = set ? cat_set(m, n, b) : cat_relation(m, n, b);
    for (int i = 0; i < count; i++)
      r[i] = circuit_or2(c, circuit_and2(c, condition, p[i]), circuit_and2(c, -condition, q[i]));
    return (struct cat_value){.kind = kind, .cells = r};
  }
  if (kind == VALUE_VALUES) {
    struct cat_value v = cat_join(m, n, a, b);
    int from_a = a.kind == VALUE_EMPTY ? 0 : a.count;
    int *guards = arena_alloc(m->space.arena, (size_t)v.count * sizeof *guards + 1);
    for (int i = 0; i < v.count; i++)
      guards[i] = circuit_and2(c, i < from_a ? condition : -condition, v.guards[i]);
    v.guards = guards;
    return v;
  }
  if (kind != VALUE_TUPLE || a.count != b.count)
    cat_fail(m, n,
             "which case applies depends on the execution, so both must give sets, relations "
             "or tuples");
  struct cat_value v = cat_tuple(m, a.members, a.count);
  for (int i = 0; i < v.count; i++)
    v.members[i] = cat_choose(m, n, condition, a.members[i], b.members[i]);
  return v;
}

/* ---- taking apart ------------------------------------------------------------------------- */

static bool take_cell(struct model_encoding *m, struct cat_value set, int count,
                      struct cat_value *first, struct cat_value *rest, int *present) {
  int i = 0;
  while (i < count && set.cells[i] == LIT_FALSE)
    i++;
  if (i == count)
    return false;
  int *one = cells_create(&m->space, count), *others = cells_create(&m->space, count);
  for (int c = i + 1; c < count; c++)
    others[c] = set.cells[c];
  one[i] = LIT_TRUE;
  *present = set.cells[i];
  *first = (struct cat_value){.kind = set.kind, .element = true, .cells = one};
  *rest = (struct cat_value){.kind = set.kind, .cells = others};
  return true;
}

/* The first member that may be in the set, the rest without it, and when it is there; false if the
 * set is empty in every execution. */
bool cat_take(struct model_encoding *m, const struct cat_node *n, struct cat_value set,
              struct cat_value *first, struct cat_value *rest, int *present) {
  if (set.kind == VALUE_EMPTY)
    return false;
  if (set.kind == VALUE_SET || set.kind == VALUE_RELATION)
    return take_cell(m, set, set.kind == VALUE_SET ? m->space.n : m->space.n * m->space.n, first,
                     rest, present);
  if (set.kind == VALUE_ORDERS)
    cat_fail(m, n, "a set of orders cannot be taken apart, only chosen from: with x from ...");
  if (set.kind != VALUE_VALUES)
    cat_fail(m, n, "expected a set here");
  if (!set.count)
    return false;
  *first = set.members[0];
  *present = set.guards[0];
  *rest = set;
  rest->members++;
  rest->guards++;
  rest->count--;
  return true;
}

static struct cat_value match_set(struct model_encoding *m, const struct cat_node *n,
                                  struct cat_value set, struct env *env, struct execution *x) {
  struct cat_value first, rest;
  const struct cat_binding *names = n->bindings.data;
  int present;
  if (++m->steps > 100000)
    cat_fail(m, n, "this takes too many steps: what is in the set differs between executions");
  if (!cat_take(m, n, set, &first, &rest, &present))
    return cat_eval(m, n->args.data[0], env, x);
  if (present == LIT_FALSE)
    return match_set(m, n, rest, env, x);
  struct env *scope = env_bind(m, env, names->params.data[0], first);
  scope = env_bind(m, scope, names->params.data[1], rest);
  struct cat_value with = cat_eval(m, n->args.data[1], scope, x);
  if (present == LIT_TRUE)
    return with;
  return cat_choose(m, n, present, with, match_set(m, n, rest, env, x));
}

struct cat_value cat_match(struct model_encoding *m, const struct cat_node *n, struct env *env,
                           struct execution *x) {
  struct cat_value v = cat_eval(m, n->arg[0], env, x);
  if (n->kind == CAT_MATCH_SET)
    return match_set(m, n, v, env, x);
  if (v.kind != VALUE_TAG)
    cat_fail(m, n, "expected a tag to match");
  for (int i = 0; i < n->args.length; i++)
    if (!n->bindings.data[i].name || !strcmp(n->bindings.data[i].name, v.tag))
      return cat_eval(m, n->args.data[i], env, x);
  cat_fail(m, n, "no clause for '%s", v.tag);
}

/* ---- what can be chosen ------------------------------------------------------------------- */

static struct cat_value orders(struct model_encoding *m, struct cat_value set,
                               struct cat_value within, bool by_location) {
  struct cat_value v = {.kind = VALUE_ORDERS, .count = 2, .by_location = by_location};
  v.members = arena_alloc(m->space.arena, 2 * sizeof *v.members);
  v.members[0] = set;
  v.members[1] = within;
  return v;
}

/* The classes of a set under `loc`: one for each location, there if not empty. */
static struct cat_value by_location(struct model_encoding *m, const int *set, struct execution *x) {
  int locations = m->encoder->program->locations.length;
  struct cat_value v = cat_values(m, locations);
  v.by_location = true;
  for (int l = 0; l < locations; l++) {
    int *cells = cells_create(&m->space, m->space.n);
    for (int a = 0; a < m->space.n; a++)
      cells[a] = circuit_and2(m->space.circuit, set[a], x->at[a * locations + l]);
    v.members[l] = (struct cat_value){.kind = VALUE_SET, .cells = cells};
    ((int *)v.guards)[l] = circuit_or(m->space.circuit, cells, m->space.n);
  }
  return v;
}

/* The classes of an equivalence that is the same in all executions. */
static struct cat_value classes(struct model_encoding *m, const struct cat_node *n, const int *r) {
  int c = m->space.n;
  for (int i = 0; i < c * c; i++)
    if (r[i] != LIT_TRUE && r[i] != LIT_FALSE)
      cat_fail(m, n, "classes(...) needs a relation that is the same in all executions");
  struct cat_value v = cat_values(m, c);
  v.count = 0;
  for (int a = 0; a < c; a++) {
    bool is_first = r[a * c + a] == LIT_TRUE;
    for (int b = 0; b < a; b++)
      is_first = is_first && r[a * c + b] != LIT_TRUE;
    if (is_first)
      v.members[v.count++] = (struct cat_value){.kind = VALUE_SET, .cells = r + a * c};
  }
  return v;
}

static struct cat_value per_class(struct model_encoding *m, const struct cat_node *n,
                                  struct cat_value within, struct cat_value sets) {
  if (sets.kind == VALUE_EMPTY)
    return sets;
  if (sets.kind != VALUE_VALUES)
    cat_fail(m, n, "expected a set of sets");
  struct cat_value v =
      cat_values(m, sets.count); /* the empty set has one order: guards fall away */
  v.by_location = sets.by_location;
  for (int i = 0; i < v.count; i++)
    v.members[i] = orders(m, sets.members[i], within, sets.by_location);
  return v;
}

static const int *only_if(struct model_encoding *m, int condition, const int *set) {
  int *cells = cells_create(&m->space, m->space.n);
  for (int a = 0; a < m->space.n; a++)
    cells[a] = circuit_and2(m->space.circuit, condition, set[a]);
  return cells;
}

/* One relation of each set, together; sets of orders stay as they are. */
static struct cat_value cross_orders(struct model_encoding *m, struct cat_value sets) {
  struct cat_value v = {.kind = VALUE_ORDERS, .by_location = sets.by_location};
  for (int i = 0; i < sets.count; i++)
    v.count += sets.members[i].count;
  v.members = arena_alloc(m->space.arena, (size_t)v.count * sizeof *v.members + 1);
  for (int i = 0, at = 0; i < sets.count; i++)
    for (int j = 0; j < sets.members[i].count; j++, at++) {
      v.members[at] = sets.members[i].members[j];
      if (j % 2 == 0 && !sets.by_location && v.members[at].kind == VALUE_SET)
        v.members[at].cells = only_if(m, sets.guards[i], v.members[at].cells);
    }
  return v;
}

static struct cat_value cross_two(struct model_encoding *m, const struct cat_node *n,
                                  struct cat_value a, struct cat_value b) {
  struct cat_node either = {.kind = CAT_UNION, .place = n->place};
  if (b.kind == VALUE_EMPTY)
    return cat_values(m, 0);
  if (b.kind != VALUE_VALUES)
    cat_fail(m, n, "expected a set of sets of relations");
  if ((long)a.count * b.count > CROSS_MAX)
    cat_fail(m, n, "more than %d combinations to choose from", CROSS_MAX);
  struct cat_value v = cat_values(m, a.count * b.count);
  for (int i = 0; i < v.count; i++) {
    struct cat_value p = a.members[i / b.count], q = b.members[i % b.count];
    const int *cells = cells_or(&m->space, cat_relation(m, &either, p), cat_relation(m, &either, q),
                                m->space.n * m->space.n);
    v.members[i] = (struct cat_value){.kind = VALUE_RELATION, .cells = cells};
    ((int *)v.guards)[i] =
        circuit_and2(m->space.circuit, a.guards[i / b.count], b.guards[i % b.count]);
  }
  return v;
}

static struct cat_value cross(struct model_encoding *m, const struct cat_node *n,
                              struct cat_value sets) {
  bool all_orders = true;
  if (sets.kind != VALUE_EMPTY && sets.kind != VALUE_VALUES)
    cat_fail(m, n, "expected a set of sets of relations");
  for (int i = 0; i < sets.count; i++) {
    all_orders = all_orders && sets.members[i].kind == VALUE_ORDERS;
    if (sets.members[i].kind != VALUE_ORDERS && sets.guards[i] != LIT_TRUE)
      cat_fail(m, n, "which sets there are differs between executions");
  }
  if (sets.count && all_orders)
    return cross_orders(m, sets);
  struct cat_value v = cat_values(m, 1);
  v.members[0] = (struct cat_value){.kind = VALUE_EMPTY};
  for (int i = 0; i < sets.count; i++)
    v = cross_two(m, n, v, sets.members[i]);
  return v;
}

bool cat_call_generator(struct model_encoding *m, const struct cat_node *n, const char *name,
                        struct cat_value *args, int count, struct execution *x,
                        struct cat_value *v) {
  static const struct {
    const char *name;
    int arguments;
  } known[] = {{"linearisations", 2}, {"classes-loc", 1}, {"partition", 1},
               {"classes", 1},        {"co_locs", 2},     {"cross", 1}};
  unsigned i = 0;
  while (i < sizeof known / sizeof *known && strcmp(known[i].name, name))
    i++;
  if (i == sizeof known / sizeof *known)
    return false;
  if (count != known[i].arguments)
    cat_fail(m, n, "%s takes %d argument%s, not %d", name, known[i].arguments,
             known[i].arguments == 1 ? "" : "s", count);
  if (!strcmp(name, "linearisations")) {
    cat_set(m, n, args[0]);
    cat_relation(m, n, args[1]);
    *v = orders(m, args[0], args[1], false);
  } else if (!strcmp(name, "co_locs"))
    *v = per_class(m, n, args[0], args[1]);
  else if (!strcmp(name, "cross"))
    *v = cross(m, n, args[0]);
  else if (!strcmp(name, "classes"))
    *v = classes(m, n, cat_relation(m, n, args[0]));
  else
    *v = by_location(m, cat_set(m, n, args[0]), x);
  return true;
}
