/* Items of a model, judged: rules, flags, relations that were found or chosen. */
#include "axiom/judge_internal.h"
#include <string.h>

enum { TRIED_MAX = 200000 };

/* ---- declared relations ------------------------------------------------------------------- */

static const bit *found_relation(struct judge *j, const struct cat_item *i, int execution,
                                 int index) {
  for (int r = 0; r < j->w->relations.length; r++) {
    const struct witness_relation *w = &j->w->relations.data[r];
    if (w->serial == i->serial && w->execution == execution && w->index == index)
      return w->bits;
  }
  return NULL;
}

static void judge_order(struct judge *j, const struct cat_item *i, const bit *r, const bit *on) {
  for (int a = 0; a < j->n; a++)
    for (int b = 0; b < j->n; b++) {
      bool both = a != b && on[a] && on[b];
      if (both != (r[a * j->n + b] || r[b * j->n + a]) || (r[a * j->n + b] && r[b * j->n + a]))
        judge_stop(j, arena_format(j->arena, "'%s' is not a total order", i->name));
    }
  if (!judge_subset(j, judge_rel(judge_compose(j, r, r)), judge_rel((bit *)r)))
    judge_stop(j, arena_format(j->arena, "'%s' is not transitive", i->name));
}

static struct judge_value declared(struct judge *j, const struct cat_item *i, struct judge_scope *s,
                                   int x, int execution, int index) {
  struct judge_value bound = judge_eval(j, i->body, s, x);
  bool is_rel = i->kind != ITEM_SOME_SET;
  const bit *r = found_relation(j, i, execution, index);
  if (!r) { /* not part of the execution: fine only if there is nothing to choose */
    if (judge_members(j, bound))
      judge_stop(j, arena_format(j->arena, "the execution does not say what '%s' is", i->name));
    r = judge_blank(j, j->n * j->n);
  }
  struct judge_value v = is_rel ? judge_rel((bit *)r) : judge_set((bit *)r);
  if (i->kind == ITEM_SOME_ORDER)
    judge_order(j, i, r, judge_as(j, bound, SET));
  else if (!judge_subset(j, v, bound))
    judge_stop(j, arena_format(j->arena, "'%s' is larger than its bound", i->name));
  return v;
}

static struct judge_value declared_family(struct judge *j, const struct cat_item *i,
                                          struct judge_scope *s, int x, int execution) {
  int first, count = judge_domain_size(j, i->domain, i->low, i->high, s, &first);
  struct judge_value f = {.kind = FAMILY, .low = first, .count = count};
  f.members = arena_alloc(j->arena, (size_t)count * sizeof *f.members + 1);
  for (int c = 0; c < count; c++)
    f.members[c] = declared(j, i, judge_bind_member(j, i->index_name, i->domain, first + c, s), x,
                            execution, first + c);
  return f;
}

/* ---- with ... from ------------------------------------------------------------------------- */

/* Is r one of the orders?  It orders every set, contains what it must there, and nothing else. */
static bool is_order_of(struct judge *j, struct judge_value v, const bit *r) {
  int n = j->n;
  bit *covered = judge_blank(j, n * n);
  for (int k = 0; k < v.count; k += 2) {
    const bit *set = judge_as(j, v.members[k], SET), *in = judge_as(j, v.members[k + 1], RELATION);
    for (int a = 0; a < n; a++)
      for (int b = 0; set[a] && b < n; b++) {
        if (!set[b])
          continue;
        covered[a * n + b] = 1;
        bool ab = r[a * n + b], ba = r[b * n + a];
        if ((a != b) != (ab || ba) || (ab && ba) || (in[a * n + b] && !ab))
          return false;
        for (int c = 0; ab && c < n; c++)
          if (set[c] && r[b * n + c] && !r[a * n + c])
            return false;
      }
  }
  return judge_subset(j, judge_rel((bit *)r), judge_rel(covered));
}

static bool is_listed(struct judge *j, struct judge_value v, const bit *r) {
  for (int k = 0; k < v.count; k++)
    if (!memcmp(judge_as(j, v.members[k], RELATION), r, (size_t)(j->n * j->n)))
      return true;
  return false;
}

/* Coherence, if the orders are those of writes by location that begin and end as it does. */
static const bit *coherence(struct judge *j, struct judge_value v, int x) {
  const unsigned char *co = j->w->executions[x].co;
  if (v.kind != ORDERS || !v.by_location || !co)
    return NULL;
  const bit *ends = judge_known(j, "co0", x);
  bit *r = judge_blank(j, j->n * j->n);
  for (int k = 0; k < v.count; k += 2) {
    const bit *set = judge_as(j, v.members[k], SET), *in = judge_as(j, v.members[k + 1], RELATION);
    for (int c = 0; c < j->n * j->n; c++) {
      int a = c / j->n, b = c % j->n;
      if (!set[a] || !set[b])
        continue;
      if (judge_action(j, a)->kind != STMT_WRITE || (ends[c] && !in[c]))
        return NULL;
      r[c] |= co[c];
    }
  }
  return r;
}

/* Nobody says which relation it is: the rest of the model must hold for one of them. */
struct attempt {
  struct judge *j;
  const struct cat_item *item, *rest;
  int rest_count, x, execution;
  struct judge_scope *scope, *result;
  struct judge_value set;
  bit *relation;
};

static bool rest_holds(struct attempt *t) {
  struct judge *j = t->j;
  jmp_buf outer;
  bool raised = j->raised, broken = j->broken;
  if (++j->tried > TRIED_MAX) {
    j->broken = false;
    judge_stop(j, arena_format(j->arena, "too many relations to try for '%s'", t->item->name));
  }
  memcpy(outer, j->stop, sizeof outer);
  bool holds = false;
  if (setjmp(j->stop) == 0) {
    bit *r = judge_blank(j, j->n * j->n);
    memcpy(r, t->relation, (size_t)(j->n * j->n));
    struct judge_scope *s = judge_bind(j, t->scope, t->item->name, judge_rel(r));
    t->result = judge_items(j, t->rest, t->rest_count, s, t->x, t->execution);
    holds = true;
    j->broken = broken;
  } else {
    j->raised = raised;
    if (j->tried > TRIED_MAX) { /* what is left was not looked at */
      memcpy(j->stop, outer, sizeof outer);
      judge_stop(j, j->wrong);
    }
  }
  memcpy(j->stop, outer, sizeof outer);
  return holds;
}

/* Puts the members of set k one after the other: each that has nothing left that must precede it. */
static bool try_orders(struct attempt *t, int k, bit *placed) {
  int n = t->j->n;
  if (k == t->set.count)
    return rest_holds(t);
  const bit *set = judge_as(t->j, t->set.members[k], SET);
  const bit *in = judge_as(t->j, t->set.members[k + 1], RELATION);
  bool done = true;
  for (int a = 0; a < n; a++) {
    if (!set[a] || placed[a])
      continue;
    done = false;
    bool next = !in[a * n + a];
    for (int b = 0; b < n; b++)
      next = next && !(set[b] && !placed[b] && in[b * n + a]);
    if (!next)
      continue;
    placed[a] = 1;
    for (int b = 0; b < n; b++)
      t->relation[a * n + b] |= set[b] && !placed[b];
    bool found = try_orders(t, k, placed);
    for (int b = 0; b < n; b++)
      if (set[b] && !placed[b])
        t->relation[a * n + b] = 0;
    placed[a] = 0;
    if (found)
      return true;
  }
  return done && try_orders(t, k + 2, judge_blank(t->j, n));
}

static bool try_all(struct attempt *t) {
  if (t->set.kind == ORDERS)
    return try_orders(t, 0, judge_blank(t->j, t->j->n));
  for (int k = 0; k < t->set.count; k++) {
    t->relation = judge_as(t->j, t->set.members[k], RELATION);
    if (rest_holds(t))
      return true;
  }
  return false;
}

/* A choice that cannot be made ends it, unless what is broken is to be noted. */
static void broken_choice(struct judge *j, const struct cat_item *i, struct judge_scope *s, int x,
                          const char *what) {
  j->broken = true;
  if (!j->violations)
    judge_stop(j, arena_format(j->arena, "'%s' %s", i->name, what));
  judge_note_violation(j, i, s, x);
}

/* The relation that the execution has; NULL if it has to be searched for. */
static const bit *chosen(struct judge *j, const struct cat_item *i, struct judge_value v,
                         struct judge_scope *s, int x, int execution) {
  const bit *r = found_relation(j, i, execution, 0);
  if (!r)
    r = coherence(j, v, x);
  if (r && !(v.kind == ORDERS ? is_order_of(j, v, r) : is_listed(j, v, r)))
    broken_choice(j, i, s, x, "is none of those it is chosen from");
  return r;
}

/* ---- items -------------------------------------------------------------------------------- */

static struct judge_value enumeration(struct judge *j, const struct cat_item *i) {
  struct judge_value v = judge_tuple(j, i->tags.length);
  v.kind = VALUES;
  for (int t = 0; t < v.count; t++)
    v.members[t] = (struct judge_value){.kind = TAG_VALUE, .tag = i->tags.data[t]};
  return v;
}

static void call_procedure(struct judge *j, const struct cat_item *i, struct judge_scope *s, int x,
                           int execution) {
  struct cat_node name = {.kind = CAT_NAME, .place = i->place, .text = i->text};
  struct judge_value p = judge_eval(j, &name, s, x), a = judge_eval(j, i->body, s, x);
  if (p.kind != PROCEDURE)
    judge_stop(j, "a call of something that is no procedure");
  s = judge_bind_arguments(j, p.procedure->bindings.data, &a, 1, p.scope);
  judge_items(j, p.procedure->items, p.procedure->item_count, s, x, execution);
}

static void each_member(struct judge *j, const struct cat_item *i, struct judge_scope *s, int x,
                        int execution) {
  struct judge_value set = judge_eval(j, i->body, s, x), first;
  while (judge_take(j, set, &first, &set))
    judge_items(j, i->items, i->item_count, judge_bind(j, s, i->name, first), x, execution);
}

static struct judge_scope *matched(struct judge *j, const struct cat_item *i, struct judge_scope *s,
                                   int x, int execution) {
  struct judge_value v = judge_eval(j, i->body, s, x);
  for (int c = 0; c < i->clauses.length; c++) {
    const struct cat_clause *k = &i->clauses.data[c];
    if (v.kind == TAG_VALUE && (!k->tag || !strcmp(k->tag, v.tag)))
      return judge_items(j, k->items, k->item_count, s, x, execution);
  }
  judge_stop(j, "no clause matches");
}

static struct judge_scope *procedure(struct judge *j, const struct cat_item *i,
                                     struct judge_scope *s) {
  struct judge_value p = {.kind = PROCEDURE, .procedure = i, .scope = s};
  s = judge_bind(j, s, i->name, p);
  if (i->recursive)
    s->value.scope = s;
  return s;
}

static struct judge_scope *one_item(struct judge *j, const struct cat_item *i,
                                    struct judge_scope *s, int x, int execution) {
  switch (i->kind) {
  case ITEM_LET:
    return judge_bind_all(j, i->bindings.data, i->bindings.length, i->recursive, s, x);
  case ITEM_REQUIRE:
    if (judge_holds(j, i->body, s, x))
      return s;
    if (j->violations) {
      judge_note_violation(j, i, s, x);
      return s;
    }
    j->broken = true;
    judge_stop(j, arena_format(j->arena, "rule '%s' does not hold%s", i->name,
                               execution > 0 ? " in a justifying execution" : ""));
    return s;
  case ITEM_FLAG:
    if (j->any_flag || (j->flag && !strcmp(i->name, j->flag)))
      j->raised = j->raised || judge_holds(j, i->body, s, x);
    return s;
  case ITEM_SOME_REL:
  case ITEM_SOME_SET:
  case ITEM_SOME_ORDER:
    return judge_bind(j, s, i->name,
                      i->family ? declared_family(j, i, s, x, execution)
                                : declared(j, i, s, x, execution, 0));
  case ITEM_ENUM:
    return judge_bind(j, s, i->name, enumeration(j, i));
  case ITEM_PROCEDURE:
    return procedure(j, i, s);
  case ITEM_CALL:
    call_procedure(j, i, s, x, execution);
    return s;
  case ITEM_FORALL:
    each_member(j, i, s, x, execution);
    return s;
  case ITEM_MATCH:
    return matched(j, i, s, x, execution);
  default:
    return s;
  }
}

struct judge_scope *judge_items(struct judge *j, const struct cat_item *list, int count,
                                struct judge_scope *s, int x, int execution) {
  for (int i = 0; i < count; i++) {
    const struct cat_item *item = &list[i];
    if (item->kind != ITEM_WITH) {
      s = one_item(j, item, s, x, execution);
      continue;
    }
    struct judge_value v = judge_eval(j, item->body, s, x);
    const bit *r = chosen(j, item, v, s, x, execution);
    if (!r) {
      bit *blank = judge_blank(j, j->n * j->n);
      struct attempt t = {j, item, item + 1, count - i - 1, x, execution, s, NULL, v, blank};
      if (try_all(&t))
        return t.result;
      broken_choice(j, item, s, x, "can be chosen in no way that the rest of the model allows");
      r = judge_blank(j, j->n * j->n);
    }
    s = judge_bind(j, s, item->name, judge_rel((bit *)r));
  }
  return s;
}
