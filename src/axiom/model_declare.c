/* Relations that have to be found: declared ones (some ...), and those chosen by `with`. */
#include "axiom/model_encode.h"
#include <string.h>

/* ---- declared relations ------------------------------------------------------------------- */

int cat_declared_input(struct model_encoding *m, const struct cat_item *i, int execution, int index,
                       int pair) {
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
      int first = cat_declared_input(m, i, execution, index, a * n + b);
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

static bool is_declared(const struct model_encoding *m, const struct cat_item *i, int execution,
                        int index) {
  for (int d = 0; d < m->declared.length; d++)
    if (m->declared.data[d].serial == i->serial && m->declared.data[d].execution == execution &&
        m->declared.data[d].index == index)
      return true;
  return false;
}

static struct cat_value declare_one(struct model_encoding *m, const struct cat_item *i,
                                    struct env *env, struct execution *x, int execution,
                                    int index) {
  struct cat_value bound = cat_eval(m, i->body, env, x);
  bool is_set = i->kind == ITEM_SOME_SET, is_order = i->kind == ITEM_SOME_ORDER;
  const int *within =
      is_set || is_order ? cat_set(m, i->body, bound) : cat_relation(m, i->body, bound);
  int count = is_set ? m->space.n : m->space.n * m->space.n;
  bool fresh = !is_declared(m, i, execution, index);
  const int *cells;
  if (is_order) {
    cells = declare_order(m, i, execution, index, within, fresh);
  } else {
    int *r = cells_create(&m->space, count);
    for (int c = 0; c < count; c++)
      if (within[c] != LIT_FALSE)
        r[c] = circuit_and2(m->space.circuit, within[c],
                            cat_declared_input(m, i, execution, index, c));
    cells = r;
  }
  if (fresh) {
    struct named_relation d = {i->name, i->serial, execution, index, is_set, cells};
    list_push(m->space.arena, &m->declared, d);
  }
  return (struct cat_value){.kind = is_set ? VALUE_SET : VALUE_RELATION, .cells = cells};
}

struct env *cat_declare(struct model_encoding *m, const struct cat_item *i, struct env *env,
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

/* ---- with ... from ------------------------------------------------------------------------- */

/* r between members of one set must be part of the order. */
static void order_extends(struct model_encoding *m, const int *order, const int *set,
                          const int *within, int group) {
  int n = m->space.n;
  for (int c = 0; c < n * n; c++)
    if (within[c] != LIT_FALSE && set[c / n] != LIT_FALSE && set[c % n] != LIT_FALSE) {
      int clause[] = {-set[c / n], -set[c % n], -within[c], order[c]};
      if (circuit_or(m->space.circuit, clause, 4) != LIT_TRUE)
        encoder_clause(m->encoder, clause, 4, group);
    }
}

static const int *named(struct model_encoding *m, const char *name, struct execution *x) {
  struct cat_value v;
  cat_builtin(m, name, x, &v);
  return v.cells;
}

/* Orders of writes by location are what coherence is; it may stand for them if they are required to
 * begin with the initial write and to end with the final one. */
static bool coherence_fits(struct model_encoding *m, const struct cat_item *i, struct cat_value v,
                           struct execution *x) {
  const int *co0 = named(m, "co0", x), *writes = named(m, "W", x);
  if (!v.by_location)
    return false;
  for (int k = 0; k < v.count; k += 2) {
    const int *set = cat_set(m, i->body, v.members[k]);
    const int *within = cat_relation(m, i->body, v.members[k + 1]);
    for (int c = 0; c < m->space.n; c++)
      if (set[c] != LIT_FALSE && writes[c] == LIT_FALSE)
        return false;
    for (int c = 0; c < m->space.n * m->space.n; c++) {
      int both[] = {set[c / m->space.n], set[c % m->space.n], co0[c]};
      int needed = within == co0 ? LIT_FALSE : circuit_and(m->space.circuit, both, 3);
      if (needed != LIT_FALSE && within[c] != LIT_TRUE && within[c] != co0[c] &&
          circuit_and2(m->space.circuit, needed, within[c]) != needed &&
          circuit_and2(m->space.circuit, co0[c], within[c]) != co0[c])
        return false;
    }
  }
  return true;
}

static const int *choose_orders(struct model_encoding *m, const struct cat_item *i,
                                struct cat_value v, struct execution *x, int execution, int group) {
  int n = m->space.n, *r = cells_create(&m->space, n * n);
  bool coherence = coherence_fits(m, i, v, x), fresh = !is_declared(m, i, execution, 0);
  const int *co = coherence ? named(m, "co", x) : NULL, *co0 = named(m, "co0", x);
  for (int k = 0; k < v.count; k += 2) {
    const int *set = cat_set(m, i->body, v.members[k]);
    const int *within = cat_relation(m, i->body, v.members[k + 1]);
    const int *order = coherence
                           ? cells_and(&m->space, co, relation_product(&m->space, set, set), n * n)
                           : declare_order(m, i, execution, k / 2, set, fresh);
    if (fresh && !(coherence && within == co0))
      order_extends(m, order, set, within, group);
    r = cells_or(&m->space, r, order, n * n);
  }
  if (fresh && !coherence) {
    struct named_relation d = {i->name, i->serial, execution, 0, false, r};
    list_push(m->space.arena, &m->declared, d);
  }
  return r;
}

/* Exactly one of the relations that are there. */
static const int *choose_listed(struct model_encoding *m, const struct cat_item *i,
                                struct cat_value v, int execution, int group) {
  int n = m->space.n, *r = cells_create(&m->space, n * n);
  bool fresh = !is_declared(m, i, execution, 0);
  if (v.count == 1 && v.guards[0] == LIT_TRUE)
    return cat_relation(m, i->body, v.members[0]);
  int *chosen = arena_alloc(m->space.arena, (size_t)v.count * sizeof *chosen + 1);
  for (int k = 0; k < v.count; k++) {
    chosen[k] = cat_declared_input(m, i, execution, 0, k);
    const int *cells = cat_relation(m, i->body, v.members[k]);
    for (int c = 0; c < n * n; c++)
      if (cells[c] != LIT_FALSE)
        r[c] = circuit_or2(m->space.circuit, r[c],
                           circuit_and2(m->space.circuit, chosen[k], cells[c]));
    if (fresh && v.guards[k] != LIT_TRUE)
      encoder_clause(m->encoder, (int[]){-chosen[k], v.guards[k]}, 2, -1);
    for (int l = 0; fresh && l < k; l++)
      encoder_clause(m->encoder, (int[]){-chosen[k], -chosen[l]}, 2, -1);
  }
  if (fresh) {
    encoder_clause(m->encoder, chosen, v.count, group);
    struct named_relation d = {i->name, i->serial, execution, 0, false, r};
    list_push(m->space.arena, &m->declared, d);
  }
  return r;
}

struct env *cat_with(struct model_encoding *m, const struct cat_item *i, struct env *env,
                     struct execution *x, int execution) {
  struct cat_value v = cat_eval(m, i->body, env, x);
  int group = encoder_group(m->encoder, GROUP_MODEL, i->place, i->name, i->text);
  const int *cells;
  if (v.kind == VALUE_ORDERS)
    cells = choose_orders(m, i, v, x, execution, group);
  else if (v.kind == VALUE_VALUES || v.kind == VALUE_EMPTY)
    cells = choose_listed(m, i, v, execution, group);
  else
    cat_fail(m, i->body, "'with %s from' needs a set of relations", i->name);
  return env_bind(m, env, i->name, (struct cat_value){.kind = VALUE_RELATION, .cells = cells});
}
