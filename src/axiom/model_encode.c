#include "axiom/model_encode.h"
#include "base/check.h"
#include "base/hash.h"
#include "sat/sat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_encoding *model_encoding_create(struct encoder *e, const struct model *model,
                                             struct arena *a) {
  struct model_encoding *m = arena_alloc(a, sizeof *m);
  m->encoder = e;
  m->model = model;
  m->space = (struct space){e->circuit, a, e->universe->actions.length};
  m->asserted_slots = 1024;
  m->asserted = arena_alloc(a, (size_t)m->asserted_slots * sizeof *m->asserted);
  return m;
}

/* ---- asserting ---------------------------------------------------------------------------- */

static bool remember(struct model_encoding *m, uint64_t key) {
  unsigned s = (unsigned)hash_u64(3, key) % (unsigned)m->asserted_slots;
  for (; m->asserted[s]; s = (s + 1) % (unsigned)m->asserted_slots)
    if (m->asserted[s] == key)
      return false;
  m->asserted[s] = key;
  if (++m->asserted_count * 2 <= m->asserted_slots)
    return true;
  uint64_t *old = m->asserted;
  int slots = m->asserted_slots;
  m->asserted_slots *= 2;
  m->asserted_count = 0;
  m->asserted = arena_alloc(m->space.arena, (size_t)m->asserted_slots * sizeof *m->asserted);
  for (int i = 0; i < slots; i++)
    if (old[i])
      remember(m, old[i]);
  return true;
}

/* A rule's literal: once per group; under the activation literal if it is about this k only. */
static void assert_rule(struct model_encoding *m, int literal, int group) {
  if (literal == LIT_TRUE)
    return;
  if (m->in_k_specific && m->activation) {
    cnf_assert(&m->encoder->cnf, literal, m->activation);
    return;
  }
  if (remember(m, (uint64_t)(uint32_t)literal << 24 | (uint64_t)(uint32_t)(group + 2)))
    encoder_assert(m->encoder, literal, group);
}

struct emitter {
  struct model_encoding *m;
  int group;
};

static void emit_clause(void *context, const int *clause, int count, bool required) {
  struct emitter *e = context;
  encoder_clause(e->m->encoder, clause, count, required ? e->group : -1);
}

/* acyclic (a+ | b) = acyclic (a | b): closures on top are not needed. */
static struct cat_value eval_without_closure(struct model_encoding *m, const struct cat_node *n,
                                             struct env *env, struct execution *x) {
  if (n->kind == CAT_PLUS)
    return eval_without_closure(m, n->arg[0], env, x);
  if (n->kind != CAT_UNION)
    return cat_eval(m, n, env, x);
  struct cat_value a = eval_without_closure(m, n->arg[0], env, x),
                   b = eval_without_closure(m, n->arg[1], env, x);
  if (a.kind == VALUE_EMPTY || b.kind == VALUE_EMPTY)
    return a.kind == VALUE_EMPTY ? b : a;
  const int *cells =
      cells_or(&m->space, cat_relation(m, n, a), cat_relation(m, n, b), m->space.n * m->space.n);
  return (struct cat_value){.kind = VALUE_RELATION, .cells = cells};
}

/* Rules of the common shapes are taken apart here, so that they become plain clauses. */
static void encode_rule(struct model_encoding *m, const struct cat_node *n, struct env *env,
                        struct execution *x, int group) {
  if (n->kind == CAT_AND) {
    encode_rule(m, n->arg[0], env, x, group);
    encode_rule(m, n->arg[1], env, x, group);
  } else if (n->kind == CAT_FORALL && n->domain != DOMAIN_ACTIONS) {
    int low, count = cat_domain_size(m, n, env, &low);
    for (int i = 0; i < count; i++)
      encode_rule(m, n->arg[0], cat_domain_bind(m, n, env, low + i), x, group);
  } else if (m->plain_rules && (n->kind == CAT_ACYCLIC ||
                                (n->kind == CAT_IRREFLEXIVE && n->arg[0]->kind == CAT_PLUS))) {
    struct cat_value v = eval_without_closure(m, n->arg[0], env, x);
    if (v.kind != VALUE_EMPTY)
      relation_acyclic(&m->space, cat_relation(m, n, v), &(struct emitter){m, group}, emit_clause);
  } else {
    assert_rule(m, cat_formula(m, n, env, x), group);
  }
}

/* Does a rule speak of k other than as the end of "forall i in a..k"? */
static bool is_k_specific(const struct cat_node *n) {
  if (!n)
    return false;
  bool k_low = n->low.base && !strcmp(n->low.base, "k"),
       k_high = n->high.base && !strcmp(n->high.base, "k");
  if (k_low || (k_high && n->kind != CAT_FORALL))
    return true;
  for (int i = 0; i < n->args.length; i++)
    if (is_k_specific(n->args.data[i]))
      return true;
  return is_k_specific(n->arg[0]) || is_k_specific(n->arg[1]) || is_k_specific(n->set);
}

/* ---- declared relations ------------------------------------------------------------------- */

static int declared_input(struct model_encoding *m, const struct cat_item *i, int execution,
                          int index, int pair) {
  uint64_t key = (uint64_t)INPUT_DECLARED << 56 | (uint64_t)(i->serial & 0xffff) << 40 |
                 (uint64_t)((execution + 1) & 0xff) << 32 | (uint64_t)(index & 0xff) << 24 |
                 (uint64_t)(pair & 0xffffff);
  return circuit_input_keyed(m->encoder->circuit, key, NULL);
}

static const int *declare_order(struct model_encoding *m, const struct cat_item *i, int execution,
                                int index, const int *set, bool fresh) {
  int n = m->space.n, *r = cells_create(&m->space, n * n), *before = cells_create(&m->space, n * n);
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++) {
      int both = circuit_and2(m->space.circuit, set[a], set[b]);
      if (both == LIT_FALSE)
        continue;
      int first = declared_input(m, i, execution, index, a * n + b);
      before[a * n + b] = first;
      r[a * n + b] = circuit_and2(m->space.circuit, both, first);
      r[b * n + a] = circuit_and2(m->space.circuit, both, -first);
    }
  for (int a = 0; fresh && a < n; a++)
    for (int b = a + 1; b < n; b++)
      for (int c = b + 1; before[a * n + b] != LIT_FALSE && c < n; c++) {
        int ab = before[a * n + b], bc = before[b * n + c], ac = before[a * n + c];
        if (bc == LIT_FALSE || ac == LIT_FALSE)
          continue;
        encoder_clause(m->encoder, (int[]){-ab, -bc, ac}, 3, -1);
        encoder_clause(m->encoder, (int[]){ab, bc, -ac}, 3, -1);
      }
  return r;
}

static struct cat_value declare_one(struct model_encoding *m, const struct cat_item *i,
                                    struct env *env, struct execution *x, int execution,
                                    int index) {
  struct cat_value bound = cat_eval(m, i->body, env, x);
  bool is_set = i->kind == ITEM_SOME_SET, is_order = i->kind == ITEM_SOME_ORDER;
  const int *within =
      is_set || is_order ? cat_set(m, i->body, bound) : cat_relation(m, i->body, bound);
  int count = is_set ? m->space.n : m->space.n * m->space.n;
  bool fresh = true;
  for (int d = 0; d < m->declared.length; d++)
    if (m->declared.data[d].serial == i->serial && m->declared.data[d].execution == execution &&
        m->declared.data[d].index == index)
      fresh = false;
  const int *cells;
  if (is_order) {
    cells = declare_order(m, i, execution, index, within, fresh);
  } else {
    int *r = cells_create(&m->space, count);
    for (int c = 0; c < count; c++)
      if (within[c] != LIT_FALSE)
        r[c] = circuit_and2(m->space.circuit, within[c], declared_input(m, i, execution, index, c));
    cells = r;
  }
  if (fresh) {
    struct named_relation d = {i->name, i->serial, execution, index, is_set, cells};
    list_push(m->space.arena, &m->declared, d);
  }
  return (struct cat_value){.kind = is_set ? VALUE_SET : VALUE_RELATION, .cells = cells};
}

static struct env *declare(struct model_encoding *m, const struct cat_item *i, struct env *env,
                           struct execution *x, int execution) {
  if (!i->family)
    return env_bind(m, env, i->name, declare_one(m, i, env, x, execution, 0));
  struct cat_node over = {.domain = i->domain,
                          .low = i->low,
                          .high = i->high,
                          .text = i->index_name,
                          .place = i->place};
  int low, count = cat_domain_size(m, &over, env, &low);
  struct cat_value family = {.kind = VALUE_FAMILY, .low = low, .count = count, .domain = i->domain};
  family.members = arena_alloc(m->space.arena, (size_t)count * sizeof *family.members + 1);
  for (int c = 0; c < count; c++)
    family.members[c] =
        declare_one(m, i, cat_domain_bind(m, &over, env, low + c), x, execution, low + c);
  return env_bind(m, env, i->name, family);
}

/* ---- items -------------------------------------------------------------------------------- */

/* Recursive definitions: from the empty relation upwards until nothing changes.  A tuple's
 * derivation needs no tuple twice, which bounds the number of rounds. */
static struct env *bind_recursive(struct model_encoding *m, struct cat_binding *b, int count,
                                  struct env *env, struct execution *x) {
  struct env *scope = env;
  struct env **names = arena_alloc(m->space.arena, (size_t)count * sizeof *names);
  for (int i = 0; i < count; i++)
    names[i] = scope = env_bind(m, scope, b[i].name, (struct cat_value){.kind = VALUE_EMPTY});
  long rounds = (long)m->space.n * m->space.n * count + 2;
  bool changed = true;
  for (long round = 0; changed && round < rounds; round++) {
    changed = false;
    struct cat_value *next = arena_alloc(m->space.arena, (size_t)count * sizeof *next);
    for (int i = 0; i < count; i++)
      next[i] = cat_eval(m, b[i].body, scope, x);
    for (int i = 0; i < count; i++) {
      struct cat_value old = names[i]->value;
      size_t cells = (size_t)m->space.n * (next[i].kind == VALUE_RELATION ? (size_t)m->space.n : 1);
      changed = changed || old.kind != next[i].kind ||
                (next[i].cells && memcmp(old.cells, next[i].cells, cells * sizeof *old.cells));
      names[i]->value = next[i];
    }
  }
  return scope;
}

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

struct env *cat_bind(struct model_encoding *m, struct cat_binding *b, int count, bool recursive,
                     struct env *env, struct execution *x) {
  if (recursive && count == 1 && !b->params.length && closure_parts(b->body, b->name)) {
    struct cat_value v = eval_parts(m, b->body, b->name, env, x);
    if (v.kind != VALUE_EMPTY)
      v = (struct cat_value){.kind = VALUE_RELATION,
                             .cells = relation_closure(&m->space, cat_relation(m, b->body, v))};
    return env_bind(m, env, b->name, v);
  }
  if (recursive) {
    for (int i = 0; i < count; i++)
      if (b[i].params.length)
        cat_fail(m, b[i].body, "recursive functions are not supported");
    return bind_recursive(m, b, count, env, x);
  }
  struct env *scope = env;
  for (int i = 0; i < count; i++) {
    struct env *e = env_bind(m, env, b[i].name, (struct cat_value){.kind = VALUE_EMPTY});
    e->next = scope;
    e->scope = env; /* the definitions of one let do not see each other */
    e->binding = &b[i];
    e->evaluated = false;
    e->execution = x;
    if (b[i].params.length || b[i].takes_tuple) {
      e->value =
          (struct cat_value){.kind = VALUE_FUNCTION, .function = &b[i], .env = env, .execution = x};
      e->evaluated = true;
    }
    scope = e;
  }
  for (struct env *e = scope; e != env;
       e = e->next) /* mistakes show even where nothing uses the name */
    env_force(m, e);
  return scope;
}

static struct env *encode_items(struct model_encoding *m, struct cat_item *items, int count,
                                struct env *env, struct execution *x, int execution, bool rules) {
  for (int i = 0; i < count; i++) {
    struct cat_item *item = &items[i];
    switch (item->kind) {
    case ITEM_LET:
      env = cat_bind(m, item->bindings.data, item->bindings.length, item->recursive, env, x);
      break;
    case ITEM_SOME_REL:
    case ITEM_SOME_SET:
    case ITEM_SOME_ORDER:
      env = declare(m, item, env, x, execution);
      break;
    case ITEM_REQUIRE:
      m->plain_rules = execution >= 0 || !m->model->many_executions;
      m->in_k_specific = is_k_specific(item->body);
      if (rules)
        encode_rule(m, item->body, env, x,
                    encoder_group(m->encoder, GROUP_MODEL, item->place, item->name, item->text));
      m->in_k_specific = false;
      break;
    case ITEM_FLAG:
      if (rules) {
        struct flag_literal f = {item->name, cat_formula(m, item->body, env, x)};
        if (execution <= 0)
          list_push(m->space.arena, &m->flags, f);
      }
      break;
    case ITEM_EXECUTION:
      break;
    }
  }
  return env;
}

static void add_execution(struct model_encoding *m, int index) {
  struct execution *x = execution_create(m->encoder, index);
  list_push(m->space.arena, &m->executions, x);
  list_push(m->space.arena, &m->scopes, NULL);
  for (int i = 0; i < m->model->item_count; i++)
    if (m->model->items[i].kind == ITEM_EXECUTION) {
      struct cat_item *block = &m->model->items[i];
      /* the block's own names come after whatever built-in names it looked up on the way */
      struct env *scope =
          encode_items(m, block->items, block->item_count, m->scopes.data[index], x, index, true);
      struct env *builtins = m->scopes.data[index];
      if (scope != builtins) {
        struct env *last = scope;
        while (last->next && last->next->name[0] != '#')
          last = last->next;
        last->next = builtins;
        m->scopes.data[index] = scope;
      }
    }
}

static bool wants_persisted(const struct model_encoding *m) {
  for (int e = 0; e < m->encoder->program->exprs.length; e++)
    if (m->encoder->program->exprs.data[e].kind == EXPR_NVM)
      return true;
  return false;
}

bool model_encode(struct model_encoding *m, int k, struct diag *d) {
  m->diag = d;
  if (setjmp(m->fail))
    return false;
  m->k = k;
  int wanted = m->model->many_executions ? k + 1 : 1;
  while (m->executions.length < wanted)
    add_execution(m, m->executions.length);
  m->activation =
      m->model->many_executions && !m->encoder->explain ? sat_new_variable(m->encoder->sat) : 0;
  m->globals = NULL;
  m->flags.length = 0;
  m->globals =
      encode_items(m, m->model->items, m->model->item_count, NULL, m->executions.data[0], -1, true);
  struct cat_value v;
  if (wants_persisted(m)) {
    if (!model_lookup(m, 0, "persisted", &v) || v.kind != VALUE_SET) {
      struct place where = {m->model->file, 0, 0};
      diag_set(d, where,
               "the condition speaks of memory after a crash (nvm:), but the model defines no set "
               "'persisted'");
      return false;
    }
    m->executions.data[0]->persisted = v.cells;
  }
  return true;
}
