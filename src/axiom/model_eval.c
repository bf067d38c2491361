/* Evaluation of .cat expressions and formulas over circuit literals. */
#include "axiom/absent.h"
#include "axiom/closure.h"
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
  if (a.kind == VALUE_VALUES || b.kind == VALUE_VALUES) {
    if (n->kind != CAT_UNION)
      cat_fail(m, n, "sets of sets or relations can only be united");
    return cat_join(m, n, a, b);
  }
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

static void union_parts(struct model_encoding *m, const struct cat_node *n,
                        const struct cat_node *whole, struct env *env, struct execution *x,
                        cat_parts *parts) {
  if (n->kind == CAT_UNION) {
    union_parts(m, n->arg[0], n, env, x, parts);
    union_parts(m, n->arg[1], n, env, x, parts);
  } else if (n->kind == CAT_PLUS) {
    union_parts(m, n->arg[0], n, env, x, parts);
  } else {
    const int *r = cat_relation(m, whole, cat_eval(m, n, env, x));
    list_push(m->space.arena, parts, r);
  }
}

void cat_union_parts(struct model_encoding *m, const struct cat_node *n, struct env *env,
                     struct execution *x, cat_parts *parts) {
  union_parts(m, n, n, env, x, parts);
}

/* rf | co | fr, each by that name and as every execution has it. */
static bool is_communication(struct model_encoding *m, struct execution *x,
                             const cat_parts *parts) {
  static const char *const names[] = {"rf", "co", "fr"};
  unsigned found = 0;
  for (int p = 0; p < parts->length; p++)
    for (unsigned i = 0; i < 3; i++) {
      struct cat_value v;
      if (cat_builtin(m, names[i], x, &v) && v.cells == parts->data[p])
        found |= 1u << i;
    }
  return parts->length == 3 && found == 7;
}

/* Writes of a location are in one order, so a way along rf, co and fr has at most two steps. */
static const int *communication_closure(struct model_encoding *m, struct execution *x) {
  const struct space *s = &m->space;
  struct cat_value rf, co, fr;
  cat_builtin(m, "rf", x, &rf);
  cat_builtin(m, "co", x, &co);
  cat_builtin(m, "fr", x, &fr);
  int count = s->n * s->n, *later = cells_or(s, co.cells, fr.cells, count);
  return cells_or(s, cells_or(s, later, rf.cells, count), relation_compose(s, later, rf.cells),
                  count);
}

/* Circuits for all ways are too many for the programs that come from C. */
static const int *eval_closure(struct model_encoding *m, const struct cat_node *n, struct env *env,
                               struct execution *x) {
  if (!m->encoder->program->bitwise)
    return relation_closure(&m->space, cat_relation(m, n, cat_eval(m, n, env, x)));
  cat_parts parts = {0};
  cat_union_parts(m, n, env, x, &parts);
  if (is_communication(m, x, &parts))
    return communication_closure(m, x);
  return closure_of_union(x, &m->space, parts.data, parts.length);
}

static struct cat_value eval_unary(struct model_encoding *m, const struct cat_node *n,
                                   struct env *env, struct execution *x) {
  const struct space *s = &m->space;
  bool closed = n->kind == CAT_PLUS || n->kind == CAT_STAR;
  const int *r = closed ? eval_closure(m, n->arg[0], env, x)
                        : cat_relation(m, n, cat_eval(m, n->arg[0], env, x));
  if (n->kind == CAT_INVERSE)
    return relation(relation_inverse(s, r));
  if (n->kind == CAT_PLUS)
    return relation(r);
  return relation(cells_or(s, r, relation_identity(s, x->executed), s->n * s->n));
}

struct env *cat_bind_arguments(struct model_encoding *m, const struct cat_node *n, const char *name,
                               const struct cat_binding *b, struct cat_value *args, int count,
                               struct env *env) {
  struct cat_value whole;
  if (count == 1 && b->takes_tuple && b->params.length != 1 && args[0].kind == VALUE_TUPLE) {
    count = args[0].count;
    args = args[0].members;
  } else if (count != 1 && b->params.length == 1) {
    whole = cat_tuple(m, args, count);
    args = &whole;
    count = 1;
  }
  if (count != b->params.length)
    cat_fail(m, n, "'%s' takes %d arguments, not %d", name, b->params.length, count);
  for (int i = 0; i < count; i++)
    env = env_bind(m, env, b->params.data[i], args[i]);
  return env;
}

static struct cat_value eval_call(struct model_encoding *m, const struct cat_node *n,
                                  struct env *env, struct execution *x) {
  const char *name = n->arg[0]->text ? n->arg[0]->text : "this";
  struct cat_value f = cat_eval(m, n->arg[0], env, x);
  if (f.kind != VALUE_FUNCTION)
    cat_fail(m, n, "'%s' is not a function", name);
  int count = n->args.length;
  struct cat_value *args = arena_alloc(m->space.arena, (size_t)count * sizeof *args + 1);
  for (int i = 0; i < count; i++)
    args[i] = cat_eval(m, n->args.data[i], env, x);
  if (f.builtin)
    return cat_call_builtin(m, n, f.builtin, args, count, x);
  if (++m->depth > CALL_DEPTH_MAX)
    cat_fail(m, n, "calls nested more than %d deep", CALL_DEPTH_MAX);
  struct env *scope = cat_bind_arguments(m, n, name, f.function, args, count, f.env);
  struct cat_value v = cat_eval(m, f.function->body, scope, f.execution);
  m->depth--;
  return v;
}

static struct cat_value eval_listed(struct model_encoding *m, const struct cat_node *n,
                                    struct env *env, struct execution *x) {
  struct cat_value tuple = cat_tuple(m, NULL, 0), set = {.kind = VALUE_EMPTY};
  tuple.count = n->args.length;
  tuple.members = arena_alloc(m->space.arena, (size_t)tuple.count * sizeof *tuple.members + 1);
  for (int i = 0; i < tuple.count; i++)
    tuple.members[i] = cat_eval(m, n->args.data[i], env, x);
  for (int i = tuple.count - 1; n->kind == CAT_LITERAL && i >= 0; i--)
    set = cat_add(m, n, tuple.members[i], set);
  return n->kind == CAT_LITERAL ? set : tuple;
}

/* try a with b: b if a uses a name that does not exist. */
static struct cat_value eval_try(struct model_encoding *m, const struct cat_node *n,
                                 struct env *env, struct execution *x) {
  jmp_buf outer;
  int depth = m->depth;
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
  m->depth = depth;
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

/* A branch is evaluated only if the condition leaves it open. */
static struct cat_value eval_if(struct model_encoding *m, const struct cat_node *n, struct env *env,
                                struct execution *x) {
  int condition = cat_formula(m, n->set, env, x);
  if (condition == LIT_TRUE || condition == LIT_FALSE)
    return cat_eval(m, n->arg[condition == LIT_TRUE ? 0 : 1], env, x);
  struct cat_value a = cat_eval(m, n->arg[0], env, x);
  return cat_choose(m, n, condition, a, cat_eval(m, n->arg[1], env, x));
}

static struct cat_value eval_name(struct model_encoding *m, const struct cat_node *n,
                                  struct env *env, struct execution *x) {
  struct cat_value v;
  const char *name = n->kind == CAT_ANY ? "_" : n->text;
  if (lookup(m, name, env, x, &v))
    return v;
  if (absent_find(m->model, name) == ABSENT_REGISTERS)
    cat_fail(m, n, "'%s' is about registers, which executions here do not have", name);
  cat_fail(m, n, "unknown name '%s'", name);
}

static bool is_empty(const int *cells, int count) {
  for (int i = 0; i < count; i++)
    if (cells[i] != LIT_FALSE)
      return false;
  return true;
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
    if (m->encoder->program->bitwise && is_empty(a, s->n * s->n))
      return relation(a); /* what comes next may be large */
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
    return eval_if(m, n, env, x);
  case CAT_TUPLE:
  case CAT_LITERAL:
    return eval_listed(m, n, env, x);
  case CAT_ADD: {
    struct cat_value a = cat_eval(m, n->arg[0], env, x);
    return cat_add(m, n, a, cat_eval(m, n->arg[1], env, x));
  }
  case CAT_TAG:
    return (struct cat_value){.kind = VALUE_TAG, .tag = n->text};
  case CAT_MATCH_SET:
  case CAT_MATCH_TAG:
    return cat_match(m, n, env, x);
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
    v.element = true;
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

/* irreflexive a ; b: nobody needs the pairs of different actions. */
static int meets_itself(struct model_encoding *m, const struct cat_node *n, struct env *env,
                        struct execution *x) {
  int c = m->space.n;
  const int *a = cat_relation(m, n->arg[0], cat_eval(m, n->arg[0], env, x));
  const int *b = cat_relation(m, n->arg[1], cat_eval(m, n->arg[1], env, x));
  int *both = cells_create(&m->space, c * c);
  for (int i = 0; i < c * c; i++)
    if (a[i] != LIT_FALSE && b[i % c * c + i / c] != LIT_FALSE)
      both[i] = circuit_and2(m->space.circuit, a[i], b[i % c * c + i / c]);
  return none_of(m, both, c * c);
}

static int reflexive(struct model_encoding *m, const struct cat_node *n, struct env *env,
                     struct execution *x) {
  if (n->kind == CAT_IRREFLEXIVE && n->arg[0]->kind == CAT_SEQ)
    return meets_itself(m, n->arg[0], env, x);
  const int *r = n->kind == CAT_ACYCLIC ? eval_closure(m, n->arg[0], env, x)
                                        : cat_relation(m, n, cat_eval(m, n->arg[0], env, x));
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
