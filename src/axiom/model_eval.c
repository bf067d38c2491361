/* Evaluation of .cat expressions and formulas over circuit literals. */
#include "axiom/model_encode.h"
#include "base/check.h"
#include <stdio.h>
#include <string.h>

void cat_fail(struct model_encoding *m, const struct cat_node *n, const char *format, ...) {
  char message[400];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_set(m->diag, n->place, "%s", message);
  longjmp(m->fail, 1);
}

/* ---- names -------------------------------------------------------------------------------- */

struct env *env_bind(struct model_encoding *m, struct env *env, const char *name,
                     struct cat_value v) {
  struct env *e = arena_alloc(m->space.arena, sizeof *e);
  e->name = name;
  e->evaluated = true;
  e->value = v;
  e->next = env;
  return e;
}

struct cat_value env_force(struct model_encoding *m, struct env *e) {
  if (e->evaluated)
    return e->value;
  e->value = cat_eval(m, e->binding->body, e->scope, e->execution);
  e->evaluated = true;
  return e->value;
}

static bool lookup(struct model_encoding *m, const char *name, struct env *env, struct execution *x,
                   struct cat_value *v) {
  for (struct env *e = env; e; e = e->next)
    if (!strcmp(e->name, name)) {
      *v = env_force(m, e);
      return true;
    }
  for (struct env *e = m->scopes.data[x->index]; e; e = e->next)
    if (!strcmp(e->name, name)) {
      *v = env_force(m, e);
      return true;
    }
  if (!strcmp(name, "E")) {
    *v = (struct cat_value){.kind = VALUE_EXECUTION, .execution = m->executions.data[0]};
    return true;
  }
  return cat_builtin(m, name, x, v);
}

bool model_lookup(struct model_encoding *m, int execution, const char *name, struct cat_value *v) {
  if (execution < 0 || execution >= m->executions.length)
    return false;
  return lookup(m, name, execution == 0 ? m->globals : NULL, m->executions.data[execution], v);
}

int cat_index_value(struct model_encoding *m, const struct cat_node *n, struct cat_index i,
                    struct env *env) {
  if (!i.base)
    return i.offset;
  if (!strcmp(i.base, "k"))
    return m->k + i.offset;
  for (struct env *e = env; e; e = e->next)
    if (!strcmp(e->name, i.base) && e->value.kind == VALUE_INDEX)
      return e->value.index + i.offset;
  cat_fail(m, n, "'%s' is not an index variable", i.base);
}

static struct execution *execution_at(struct model_encoding *m, const struct cat_node *n,
                                      int index) {
  if (index < 1 || index > m->k)
    cat_fail(m, n, "there is no execution E[%d], they are E[1] to E[k]", index);
  return m->executions.data[index];
}

/* ---- types -------------------------------------------------------------------------------- */

const int *cat_set(struct model_encoding *m, const struct cat_node *n, struct cat_value v) {
  if (v.kind == VALUE_EMPTY)
    return cells_create(&m->space, m->space.n);
  if (v.kind != VALUE_SET)
    cat_fail(m, n, "expected a set here");
  return v.cells;
}

const int *cat_relation(struct model_encoding *m, const struct cat_node *n, struct cat_value v) {
  if (v.kind == VALUE_EMPTY)
    return cells_create(&m->space, m->space.n * m->space.n);
  if (v.kind != VALUE_RELATION)
    cat_fail(m, n, "expected a relation here");
  return v.cells;
}

static struct cat_value relation(const int *cells) {
  return (struct cat_value){.kind = VALUE_RELATION, .cells = cells};
}

static struct cat_value set(const int *cells) {
  return (struct cat_value){.kind = VALUE_SET, .cells = cells};
}

/* ---- expressions -------------------------------------------------------------------------- */

static struct cat_value eval_boolean(struct model_encoding *m, const struct cat_node *n,
                                     struct cat_value a, struct cat_value b) {
  bool sets = a.kind == VALUE_SET || b.kind == VALUE_SET;
  if (a.kind == VALUE_EMPTY && b.kind == VALUE_EMPTY)
    return a;
  if (sets && (a.kind == VALUE_RELATION || b.kind == VALUE_RELATION))
    cat_fail(m, n, "a set and a relation cannot be combined");
  const int *p = sets ? cat_set(m, n, a) : cat_relation(m, n, a);
  const int *q = sets ? cat_set(m, n, b) : cat_relation(m, n, b);
  int count = sets ? m->space.n : m->space.n * m->space.n;
  const int *r = n->kind == CAT_UNION   ? cells_or(&m->space, p, q, count)
                 : n->kind == CAT_INTER ? cells_and(&m->space, p, q, count)
                                        : cells_minus(&m->space, p, q, count);
  return sets ? set(r) : relation(r);
}

static struct cat_value eval_complement(struct model_encoding *m, const struct cat_node *n,
                                        struct cat_value a, struct execution *x) {
  if (a.kind == VALUE_SET)
    return set(cells_minus(&m->space, x->executed, a.cells, m->space.n));
  const int *all = relation_product(&m->space, x->executed, x->executed);
  return relation(cells_minus(&m->space, all, cat_relation(m, n, a), m->space.n * m->space.n));
}

static struct cat_value eval_unary(struct model_encoding *m, const struct cat_node *n,
                                   struct env *env, struct execution *x) {
  const struct space *s = &m->space;
  const int *r = cat_relation(m, n, cat_eval(m, n->arg[0], env, x));
  if (n->kind == CAT_INVERSE)
    return relation(relation_inverse(s, r));
  if (n->kind == CAT_PLUS)
    return relation(relation_closure(s, r));
  const int *id = relation_identity(s, x->executed);
  return relation(cells_or(s, n->kind == CAT_STAR ? relation_closure(s, r) : r, id, s->n * s->n));
}

static struct cat_value eval_call(struct model_encoding *m, const struct cat_node *n,
                                  struct env *env, struct execution *x) {
  struct cat_value f = cat_eval(m, n->arg[0], env, x);
  if (f.kind != VALUE_FUNCTION)
    cat_fail(m, n, "'%s' is not a function", n->arg[0]->text);
  int count = n->args.length;
  struct cat_value *args = arena_alloc(m->space.arena, (size_t)count * sizeof *args + 1);
  for (int i = 0; i < count; i++)
    args[i] = cat_eval(m, n->args.data[i], env, x);
  if (f.builtin)
    return cat_call_builtin(m, n, f.builtin, args, count, x);
  if (count != f.function->params.length)
    cat_fail(m, n, "'%s' takes %d arguments, not %d", n->arg[0]->text, f.function->params.length,
             count);
  struct env *scope = f.env;
  for (int i = 0; i < count; i++)
    scope = env_bind(m, scope, f.function->params.data[i], args[i]);
  return cat_eval(m, f.function->body, scope, f.execution);
}

/* try a with b: b if a uses a name that does not exist. */
static struct cat_value eval_try(struct model_encoding *m, const struct cat_node *n,
                                 struct env *env, struct execution *x) {
  jmp_buf outer;
  memcpy(outer, m->fail, sizeof outer);
  struct diag *d = m->diag, ignored;
  if (setjmp(m->fail) == 0) {
    m->diag = &ignored;
    struct cat_value v = cat_eval(m, n->arg[0], env, x);
    memcpy(m->fail, outer, sizeof outer);
    m->diag = d;
    return v;
  }
  memcpy(m->fail, outer, sizeof outer);
  m->diag = d;
  return cat_eval(m, n->arg[1], env, x);
}

static struct cat_value eval_index(struct model_encoding *m, const struct cat_node *n,
                                   struct env *env, struct execution *x) {
  int i = cat_index_value(m, n, n->low, env);
  if (!strcmp(n->arg[0]->text, "E"))
    return (struct cat_value){.kind = VALUE_EXECUTION, .execution = execution_at(m, n, i)};
  struct cat_value f = cat_eval(m, n->arg[0], env, x);
  if (f.kind != VALUE_FAMILY)
    cat_fail(m, n, "'%s' is not a family", n->arg[0]->text);
  if (i < f.low || i >= f.low + f.count)
    cat_fail(m, n, "'%s' has no member %d", n->arg[0]->text, i);
  return f.members[i - f.low];
}

static struct cat_value eval_field(struct model_encoding *m, const struct cat_node *n,
                                   struct env *env) {
  int index = n->arg[0] ? cat_index_value(m, n, n->low, env) : 0;
  struct execution *x = n->arg[0] ? execution_at(m, n, index) : m->executions.data[0];
  struct cat_value v;
  if (!lookup(m, n->text, NULL, x, &v))
    cat_fail(m, n, "executions have no '%s'", n->text);
  return v;
}

static struct cat_value eval_big_union(struct model_encoding *m, const struct cat_node *n,
                                       struct env *env, struct execution *x) {
  struct cat_value sum = {.kind = VALUE_EMPTY};
  struct cat_node or_node = {.kind = CAT_UNION, .place = n->place};
  if (n->domain == DOMAIN_ACTIONS)
    cat_fail(m, n, "union ranges over threads, locations, lines or numbers");
  int low, count = cat_domain_size(m, n, env, &low);
  for (int i = 0; i < count; i++)
    sum = eval_boolean(m, &or_node, sum,
                       cat_eval(m, n->arg[0], cat_domain_bind(m, n, env, low + i), x));
  return sum;
}

static struct cat_value eval_name(struct model_encoding *m, const struct cat_node *n,
                                  struct env *env, struct execution *x) {
  struct cat_value v;
  const char *name = n->kind == CAT_ANY ? "_" : n->text;
  if (!lookup(m, name, env, x, &v))
    cat_fail(m, n, "unknown name '%s'", name);
  return v;
}

struct cat_value cat_eval(struct model_encoding *m, const struct cat_node *n, struct env *env,
                          struct execution *x) {
  const struct space *s = &m->space;
  switch (n->kind) {
  case CAT_NAME:
  case CAT_ANY:
    return eval_name(m, n, env, x);
  case CAT_EMPTY:
    return (struct cat_value){.kind = VALUE_EMPTY};
  case CAT_UNION:
  case CAT_INTER:
  case CAT_DIFF: {
    struct cat_value a = cat_eval(m, n->arg[0], env, x);
    return eval_boolean(m, n, a, cat_eval(m, n->arg[1], env, x));
  }
  case CAT_SEQ: {
    const int *a = cat_relation(m, n->arg[0], cat_eval(m, n->arg[0], env, x));
    return relation(
        relation_compose(s, a, cat_relation(m, n->arg[1], cat_eval(m, n->arg[1], env, x))));
  }
  case CAT_PRODUCT: {
    const int *a = cat_set(m, n->arg[0], cat_eval(m, n->arg[0], env, x));
    return relation(relation_product(s, a, cat_set(m, n->arg[1], cat_eval(m, n->arg[1], env, x))));
  }
  case CAT_COMPLEMENT:
    return eval_complement(m, n, cat_eval(m, n->arg[0], env, x), x);
  case CAT_PLUS:
  case CAT_STAR:
  case CAT_OPT:
  case CAT_INVERSE:
    return eval_unary(m, n, env, x);
  case CAT_IDENTITY:
    return relation(relation_identity(s, cat_set(m, n, cat_eval(m, n->arg[0], env, x))));
  case CAT_CALL:
    return eval_call(m, n, env, x);
  case CAT_TRY:
    return eval_try(m, n, env, x);
  case CAT_LET_IN:
    env = cat_bind(m, n->bindings.data, n->bindings.length, n->recursive, env, x);
    return cat_eval(m, n->arg[0], env, x);
  case CAT_FUN:
    return (struct cat_value){
        .kind = VALUE_FUNCTION, .function = n->bindings.data, .env = env, .execution = x};
  case CAT_IF:
    return cat_eval(m, n->arg[1], env, x);
  case CAT_INDEX:
    return eval_index(m, n, env, x);
  case CAT_FIELD:
    return eval_field(m, n, env);
  case CAT_BIG_UNION:
    return eval_big_union(m, n, env, x);
  default:
    cat_fail(m, n, "expected a set or a relation, not a formula");
  }
}

/* ---- formulas ----------------------------------------------------------------------------- */

static int distinct_lines(const struct program *p) {
  int lines = 0;
  for (int l = 0; l < p->locations.length; l++)
    lines = p->locations.data[l].line >= lines ? p->locations.data[l].line + 1 : lines;
  return lines;
}

int cat_domain_size(struct model_encoding *m, const struct cat_node *n, struct env *env, int *low) {
  const struct program *p = m->encoder->program;
  *low = 0;
  switch (n->domain) {
  case DOMAIN_ACTIONS:
    return m->space.n;
  case DOMAIN_THREADS:
    *low = 1;
    return p->threads.length - 1;
  case DOMAIN_LOCATIONS:
    return p->locations.length;
  case DOMAIN_LINES:
    return distinct_lines(p);
  case DOMAIN_RANGE: {
    *low = cat_index_value(m, n, n->low, env);
    int high = cat_index_value(m, n, n->high, env);
    return high < *low ? 0 : high - *low + 1;
  }
  }
  return 0;
}

struct env *cat_domain_bind(struct model_encoding *m, const struct cat_node *n, struct env *env,
                            int i) {
  struct cat_value v = {.kind = VALUE_INDEX, .index = i, .domain = n->domain};
  if (n->domain == DOMAIN_ACTIONS) {
    int *one = cells_create(&m->space, m->space.n);
    one[i] = LIT_TRUE;
    v = set(one);
  }
  return env_bind(m, env, n->text, v);
}

static int quantified(struct model_encoding *m, const struct cat_node *n, struct env *env,
                      struct execution *x) {
  int low, count = cat_domain_size(m, n, env, &low);
  bool all = n->kind == CAT_FORALL;
  const int *members =
      n->domain == DOMAIN_ACTIONS ? cat_set(m, n, cat_eval(m, n->set, env, x)) : NULL;
  int *l = arena_alloc(m->space.arena, (size_t)count * sizeof *l + 1);
  bool evaluated = false;
  for (int i = 0; i < count; i++) {
    int in = members ? members[i] : LIT_TRUE;
    evaluated |= in != LIT_FALSE;
    if (in == LIT_FALSE) {
      l[i] = all ? LIT_TRUE : LIT_FALSE;
      continue;
    }
    int f = cat_formula(m, n->arg[0], cat_domain_bind(m, n, env, low + i), x);
    l[i] = all ? circuit_or2(m->space.circuit, -in, f) : circuit_and2(m->space.circuit, in, f);
  }
  if (!evaluated && count > 0) /* over nothing: its mistakes are reported all the same */
    cat_formula(m, n->arg[0], cat_domain_bind(m, n, env, low), x);
  return all ? circuit_and(m->space.circuit, l, count) : circuit_or(m->space.circuit, l, count);
}

static int cell_count(const struct model_encoding *m, struct cat_value v) {
  return v.kind == VALUE_EMPTY ? 0 : v.kind == VALUE_SET ? m->space.n : m->space.n * m->space.n;
}

static int none_of(struct model_encoding *m, const int *cells, int count) {
  return -circuit_or(m->space.circuit, cells, count);
}

static int compared(struct model_encoding *m, const struct cat_node *n, struct env *env,
                    struct execution *x) {
  struct cat_node minus = {.kind = CAT_DIFF, .place = n->place};
  struct cat_value a = cat_eval(m, n->arg[0], env, x), b = cat_eval(m, n->arg[1], env, x);
  if (a.kind >= VALUE_FUNCTION || b.kind >= VALUE_FUNCTION)
    cat_fail(m, n, "only sets and relations can be compared");
  struct cat_value d = eval_boolean(m, &minus, a, b);
  int subset = none_of(m, d.cells, cell_count(m, d));
  if (n->kind == CAT_SUBSET)
    return subset;
  struct cat_value e = eval_boolean(m, &minus, b, a);
  return circuit_and2(m->space.circuit, subset, none_of(m, e.cells, cell_count(m, e)));
}

static int pair_in(struct model_encoding *m, const struct cat_node *n, struct env *env,
                   struct execution *x) {
  const int *a = cat_set(m, n->args.data[0], cat_eval(m, n->args.data[0], env, x));
  const int *b = cat_set(m, n->args.data[1], cat_eval(m, n->args.data[1], env, x));
  const int *r = cat_relation(m, n->arg[0], cat_eval(m, n->arg[0], env, x));
  int c = m->space.n, *missing = cells_create(&m->space, c * c);
  for (int i = 0; i < c; i++)
    for (int j = 0; a[i] != LIT_FALSE && j < c; j++)
      if (b[j] != LIT_FALSE)
        missing[i * c + j] = circuit_and(m->space.circuit, (int[]){a[i], b[j], -r[i * c + j]}, 3);
  return none_of(m, missing, c * c);
}

static int counted(struct model_encoding *m, const struct cat_node *n, struct env *env,
                   struct execution *x) {
  struct cat_value v = cat_eval(m, n->arg[0], env, x);
  int count = cell_count(m, v), used = 0;
  CHECK(v.cells || count == 0, "a value without cells");
  int *l = arena_alloc(m->space.arena, (size_t)(count * (count + 1) / 2 + 1) * sizeof *l);
  for (int i = 0; i < count; i++)
    for (int j = 0; v.cells[i] != LIT_FALSE && j < i; j++)
      if (v.cells[j] != LIT_FALSE)
        l[used++] = -circuit_and2(m->space.circuit, v.cells[i], v.cells[j]);
  int lone = circuit_and(m->space.circuit, l, used);
  if (n->kind == CAT_LONE)
    return lone;
  return circuit_and2(m->space.circuit, lone,
                      count ? circuit_or(m->space.circuit, v.cells, count) : LIT_FALSE);
}

static int reflexive(struct model_encoding *m, const struct cat_node *n, struct env *env,
                     struct execution *x) {
  struct cat_value v = cat_eval(m, n->arg[0], env, x);
  const int *r = cat_relation(m, n, v);
  if (n->kind == CAT_ACYCLIC)
    r = relation_closure(&m->space, r);
  int c = m->space.n, *diagonal = cells_create(&m->space, c);
  for (int i = 0; i < c; i++)
    diagonal[i] = r[i * c + i];
  return none_of(m, diagonal, c);
}

int cat_formula(struct model_encoding *m, const struct cat_node *n, struct env *env,
                struct execution *x) {
  struct circuit *c = m->space.circuit;
  switch (n->kind) {
  case CAT_TRUE:
    return LIT_TRUE;
  case CAT_ACYCLIC:
  case CAT_IRREFLEXIVE:
    return reflexive(m, n, env, x);
  case CAT_IS_EMPTY: {
    struct cat_value v = cat_eval(m, n->arg[0], env, x);
    if (v.kind >= VALUE_FUNCTION)
      cat_fail(m, n, "expected a set or a relation");
    return none_of(m, v.cells, cell_count(m, v));
  }
  case CAT_SUBSET:
  case CAT_EQUAL:
    return compared(m, n, env, x);
  case CAT_PAIR_IN:
    return pair_in(m, n, env, x);
  case CAT_ONE:
  case CAT_LONE:
    return counted(m, n, env, x);
  case CAT_NOT:
    return -cat_formula(m, n->arg[0], env, x);
  case CAT_AND:
    return circuit_and2(c, cat_formula(m, n->arg[0], env, x), cat_formula(m, n->arg[1], env, x));
  case CAT_OR:
    return circuit_or2(c, cat_formula(m, n->arg[0], env, x), cat_formula(m, n->arg[1], env, x));
  case CAT_IMPLIES:
    return circuit_or2(c, -cat_formula(m, n->arg[0], env, x), cat_formula(m, n->arg[1], env, x));
  case CAT_IFF:
    return circuit_iff(c, cat_formula(m, n->arg[0], env, x), cat_formula(m, n->arg[1], env, x));
  case CAT_FORALL:
  case CAT_EXISTS:
    return quantified(m, n, env, x);
  default:
    cat_fail(m, n, "expected a formula, not a set or a relation");
  }
}
