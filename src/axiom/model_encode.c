#include "axiom/model_encode.h"
#include "axiom/closure.h"
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

static struct env *encode_items(struct model_encoding *m, const struct cat_item *items, int count,
                                struct env *env, struct execution *x, int execution);

struct emitter {
  struct model_encoding *m;
  int group;
};

static void emit_clause(void *context, const int *clause, int count, bool required) {
  struct emitter *e = context;
  encoder_clause(e->m->encoder, clause, count, required ? e->group : -1);
}

/* acyclic (a+ | b) = acyclic (a | b): closures on top are not needed. */
static const int *without_closures(struct model_encoding *m, const struct cat_node *n,
                                   struct env *env, struct execution *x) {
  cat_parts parts = {0};
  cat_union_parts(m, n, env, x, &parts);
  if (m->encoder->program->bitwise)
    return closure_certain(x, &m->space, parts.data, parts.length);
  const int *all = parts.data[0];
  for (int p = 1; p < parts.length; p++)
    all = cells_or(&m->space, all, parts.data[p], m->space.n * m->space.n);
  return all;
}

/* Rules of the common shapes are taken apart here, so that they become plain clauses. */
static void encode_rule(struct model_encoding *m, const struct cat_node *n, struct env *env,
                        struct execution *x, int group) {
  if (m->condition != LIT_TRUE) {
    assert_rule(m, circuit_or2(m->space.circuit, -m->condition, cat_formula(m, n, env, x)), group);
  } else if (n->kind == CAT_AND) {
    encode_rule(m, n->arg[0], env, x, group);
    encode_rule(m, n->arg[1], env, x, group);
  } else if (n->kind == CAT_FORALL && n->domain != DOMAIN_ACTIONS) {
    int low, count = cat_domain_size(m, n, env, &low);
    for (int i = 0; i < count; i++)
      encode_rule(m, n->arg[0], cat_domain_bind(m, n, env, low + i), x, group);
  } else if (m->plain_rules && (n->kind == CAT_ACYCLIC ||
                                (n->kind == CAT_IRREFLEXIVE && n->arg[0]->kind == CAT_PLUS))) {
    relation_acyclic(&m->space, without_closures(m, n->arg[0], env, x), &(struct emitter){m, group},
                     emit_clause);
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

/* ---- items -------------------------------------------------------------------------------- */

static void encode_require(struct model_encoding *m, const struct cat_item *i, struct env *env,
                           struct execution *x, int execution) {
  const struct cat_item *named = m->call ? m->call : i;
  const char *name = named->name ? named->name : i->name;
  m->plain_rules = execution >= 0 || !m->model->many_executions;
  m->in_k_specific = is_k_specific(i->body);
  encode_rule(m, i->body, env, x,
              encoder_group(m->encoder, GROUP_MODEL, named->place, name, i->text));
  m->in_k_specific = false;
}

static void encode_flag(struct model_encoding *m, const struct cat_item *i, struct env *env,
                        struct execution *x) {
  if (x->index != 0)
    return;
  int raised = circuit_and2(m->space.circuit, m->condition, cat_formula(m, i->body, env, x));
  struct flag f = {i->name, raised, NULL};
  if (i->body->kind == CAT_NOT && i->body->arg[0]->kind == CAT_IS_EMPTY) {
    struct cat_value v = cat_eval(m, i->body->arg[0]->arg[0], env, x);
    f.pairs = v.kind == VALUE_RELATION ? v.cells : NULL;
  }
  list_push(m->space.arena, &m->flags, f);
}

static struct cat_value enumeration(struct model_encoding *m, const struct cat_item *i) {
  struct cat_value v = cat_values(m, i->tags.length);
  for (int t = 0; t < v.count; t++)
    v.members[t] = (struct cat_value){.kind = VALUE_TAG, .tag = i->tags.data[t]};
  return v;
}

static void call_procedure(struct model_encoding *m, const struct cat_item *i, struct env *env,
                           struct execution *x, int execution) {
  struct cat_node at = {.kind = CAT_NAME, .place = i->place, .text = i->text};
  struct cat_value p = cat_eval(m, &at, env, x), a = cat_eval(m, i->body, env, x);
  if (p.kind != VALUE_PROCEDURE)
    cat_fail(m, &at, "'%s' is not a procedure", i->text);
  struct env *scope = cat_bind_arguments(m, &at, i->text, p.procedure->bindings.data, &a, 1, p.env);
  const struct cat_item *outer = m->call;
  if (++m->depth > CALL_DEPTH_MAX)
    cat_fail(m, &at, "calls nested more than %d deep", CALL_DEPTH_MAX);
  m->call = outer ? outer : i;
  encode_items(m, p.procedure->items, p.procedure->item_count, scope, x, execution);
  m->call = outer;
  m->depth--;
}

/* Members that are in the set in some executions only: their rules hold only then. */
static void encode_forall(struct model_encoding *m, const struct cat_item *i, struct env *env,
                          struct execution *x, int execution) {
  struct cat_value rest = cat_eval(m, i->body, env, x), first, set = rest;
  int present, outer = m->condition;
  while (cat_take(m, i->body, set, &first, &rest, &present)) {
    m->condition = circuit_and2(m->space.circuit, outer, present);
    if (m->condition != LIT_FALSE)
      encode_items(m, i->items, i->item_count, env_bind(m, env, i->name, first), x, execution);
    set = rest;
  }
  m->condition = outer;
}

static struct env *encode_match(struct model_encoding *m, const struct cat_item *i, struct env *env,
                                struct execution *x, int execution) {
  struct cat_value v = cat_eval(m, i->body, env, x);
  if (v.kind != VALUE_TAG)
    cat_fail(m, i->body, "expected a tag to match");
  for (int c = 0; c < i->clauses.length; c++) {
    const struct cat_clause *k = &i->clauses.data[c];
    if (!k->tag || !strcmp(k->tag, v.tag))
      return encode_items(m, k->items, k->item_count, env, x, execution);
  }
  cat_fail(m, i->body, "no clause for '%s", v.tag);
}

static struct env *define_procedure(struct model_encoding *m, const struct cat_item *i,
                                    struct env *env, struct execution *x) {
  struct cat_value p = {.kind = VALUE_PROCEDURE, .procedure = i, .env = env, .execution = x};
  struct env *e = env_bind(m, env, i->name, p);
  if (i->recursive)
    e->value.env = e;
  return e;
}

static struct env *encode_items(struct model_encoding *m, const struct cat_item *items, int count,
                                struct env *env, struct execution *x, int execution) {
  for (int i = 0; i < count; i++) {
    const struct cat_item *item = &items[i];
    switch (item->kind) {
    case ITEM_LET:
      env = cat_bind(m, item->bindings.data, item->bindings.length, item->recursive, env, x);
      break;
    case ITEM_SOME_REL:
    case ITEM_SOME_SET:
    case ITEM_SOME_ORDER:
      env = cat_declare(m, item, env, x, execution);
      break;
    case ITEM_WITH:
      env = cat_with(m, item, env, x, execution);
      break;
    case ITEM_REQUIRE:
      encode_require(m, item, env, x, execution);
      break;
    case ITEM_FLAG:
      encode_flag(m, item, env, x);
      break;
    case ITEM_ENUM:
      env = env_bind(m, env, item->name, enumeration(m, item));
      break;
    case ITEM_PROCEDURE:
      env = define_procedure(m, item, env, x);
      break;
    case ITEM_CALL:
      call_procedure(m, item, env, x, execution);
      break;
    case ITEM_FORALL:
      encode_forall(m, item, env, x, execution);
      break;
    case ITEM_MATCH:
      env = encode_match(m, item, env, x, execution);
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
      struct env *before = m->scopes.data[index];
      struct env *scope = encode_items(m, block->items, block->item_count, before, x, index);
      if (scope != before) {
        /* the block's own names come after whatever built-in names it looked up on the way */
        struct env *last = scope;
        while (last->next != before)
          last = last->next;
        last->next = m->scopes.data[index];
        m->scopes.data[index] = scope;
      }
    }
}

/* An expression about memory after a crash, or -1. */
static int find_persisted(const struct program *p) {
  for (int e = 0; e < p->exprs.length; e++)
    if (p->exprs.data[e].kind == EXPR_NVM)
      return e;
  return -1;
}

bool model_encode(struct model_encoding *m, int k, struct diag *d) {
  m->diag = d;
  if (setjmp(m->fail))
    return false;
  m->k = k;
  m->condition = LIT_TRUE;
  m->call = NULL;
  m->depth = m->steps = 0;
  int wanted = m->model->many_executions ? k + 1 : 1;
  while (m->executions.length < wanted)
    add_execution(m, m->executions.length);
  m->activation =
      m->model->many_executions && !m->encoder->explain ? sat_new_variable(m->encoder->sat) : 0;
  m->globals = NULL;
  m->flags.length = 0;
  m->globals =
      encode_items(m, m->model->items, m->model->item_count, NULL, m->executions.data[0], -1);
  struct cat_value v;
  int persisted = find_persisted(m->encoder->program);
  if (persisted >= 0) {
    if (!model_lookup(m, 0, "persisted", &v) || v.kind != VALUE_SET) {
      diag_set(d, program_place_of(m->encoder->program, persisted),
               "the condition speaks of memory after a crash (nvm:), but the model '%s' defines no "
               "set 'persisted'",
               m->model->title);
      return false;
    }
    m->executions.data[0]->persisted = v.cells;
  }
  return true;
}
