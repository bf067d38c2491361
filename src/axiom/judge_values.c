/* Values of the plain evaluator beyond sets and relations. */
#include "axiom/judge_internal.h"
#include <string.h>

enum { CROSS_MAX = 100000 };

struct judge_value judge_tuple(struct judge *j, int count) {
  struct judge_value v = {.kind = TUPLE, .count = count};
  v.members = arena_alloc(j->arena, (size_t)count * sizeof *v.members + 1);
  return v;
}

static struct judge_value values(struct judge *j, int count) {
  struct judge_value v = judge_tuple(j, count);
  v.kind = VALUES;
  return v;
}

struct judge_value judge_join(struct judge *j, struct judge_value a, struct judge_value b) {
  if (a.kind == EMPTY || b.kind == EMPTY)
    return a.kind == EMPTY ? b : a;
  if (a.kind != VALUES || b.kind != VALUES)
    judge_stop(j, "the model mixes sets of different things");
  struct judge_value v = values(j, a.count + b.count);
  for (int i = 0; i < v.count; i++)
    v.members[i] = i < a.count ? a.members[i] : b.members[i - a.count];
  return v;
}

/* The pair that two events make. */
static struct judge_value pair(struct judge *j, struct judge_value t) {
  struct judge_value v = judge_rel(judge_blank(j, j->n * j->n));
  v.element = true;
  for (int c = 0; c < j->n * j->n; c++)
    v.bits[c] = t.members[0].bits[c / j->n] && t.members[1].bits[c % j->n];
  return v;
}

static bool is_pair(struct judge_value v) {
  return v.kind == TUPLE && v.count == 2 && v.members[0].kind == SET && v.members[0].element &&
         v.members[1].kind == SET && v.members[1].element;
}

struct judge_value judge_add(struct judge *j, struct judge_value a, struct judge_value b) {
  if (is_pair(a))
    a = pair(j, a);
  if (a.element && (b.kind == EMPTY || b.kind == a.kind)) {
    struct judge_value v = {.kind = a.kind, .bits = judge_blank(j, j->n * j->n)};
    for (int c = 0; c < judge_size(j, a); c++)
      v.bits[c] = a.bits[c] || (b.kind != EMPTY && b.bits[c]);
    return v;
  }
  struct judge_value one = values(j, 1);
  one.members[0] = a;
  return judge_join(j, one, b);
}

bool judge_take(struct judge *j, struct judge_value set, struct judge_value *first,
                struct judge_value *rest) {
  if (set.kind == VALUES && set.count) {
    *first = set.members[0];
    *rest = set;
    rest->members++;
    rest->count--;
    return true;
  }
  if (set.kind != SET && set.kind != RELATION) {
    if (set.kind != EMPTY && set.kind != VALUES)
      judge_stop(j, "something is taken apart that is no set");
    return false;
  }
  int c = 0, count = judge_size(j, set);
  while (c < count && !set.bits[c])
    c++;
  if (c == count)
    return false;
  *first =
      (struct judge_value){.kind = set.kind, .element = true, .bits = judge_blank(j, j->n * j->n)};
  first->bits[c] = 1;
  bit *others = judge_blank(j, j->n * j->n);
  memcpy(others, set.bits, (size_t)count);
  others[c] = 0;
  *rest = (struct judge_value){.kind = set.kind, .bits = others};
  return true;
}

struct judge_value judge_match(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                               int x) {
  struct judge_value v = judge_eval(j, n->arg[0], s, x), first, rest;
  const struct cat_binding *b = n->bindings.data;
  if (n->kind == CAT_MATCH_TAG) {
    for (int i = 0; v.kind == TAG_VALUE && i < n->args.length; i++)
      if (!b[i].name || !strcmp(b[i].name, v.tag))
        return judge_eval(j, n->args.data[i], s, x);
    judge_stop(j, "no clause matches");
  }
  if (!judge_take(j, v, &first, &rest))
    return judge_eval(j, n->args.data[0], s, x);
  s = judge_bind(j, judge_bind(j, s, b->params.data[0], first), b->params.data[1], rest);
  return judge_eval(j, n->args.data[1], s, x);
}

/* ---- what can be chosen ------------------------------------------------------------------- */

static struct judge_value orders(struct judge *j, struct judge_value set, struct judge_value in,
                                 bool by_location) {
  struct judge_value v = judge_tuple(j, 2);
  v.kind = ORDERS;
  v.by_location = by_location;
  v.members[0] = set;
  v.members[1] = in;
  return v;
}

/* Classes of the members of `set` under r: each is named by its first member. */
static struct judge_value classes(struct judge *j, const bit *set, const bit *r, bool by_location) {
  struct judge_value v = values(j, j->n);
  v.by_location = by_location;
  v.count = 0;
  for (int a = 0; a < j->n; a++) {
    bool is_first = set[a] && r[a * j->n + a];
    for (int b = 0; b < a; b++)
      is_first = is_first && !(set[b] && r[a * j->n + b]);
    if (!is_first)
      continue;
    struct judge_value class = judge_set(judge_blank(j, j->n));
    for (int b = 0; b < j->n; b++)
      class.bits[b] = set[b] && r[a * j->n + b];
    v.members[v.count++] = class;
  }
  return v;
}

static struct judge_value per_class(struct judge *j, struct judge_value in,
                                    struct judge_value sets) {
  if (sets.kind != VALUES)
    return sets;
  struct judge_value v = values(j, sets.count);
  v.by_location = sets.by_location;
  for (int i = 0; i < v.count; i++)
    v.members[i] = orders(j, sets.members[i], in, sets.by_location);
  return v;
}

static struct judge_value united(struct judge *j, struct judge_value a, struct judge_value b) {
  struct judge_value v = judge_rel(judge_blank(j, j->n * j->n));
  const bit *p = judge_as(j, a, RELATION), *q = judge_as(j, b, RELATION);
  for (int c = 0; c < j->n * j->n; c++)
    v.bits[c] = p[c] | q[c];
  return v;
}

static struct judge_value cross(struct judge *j, struct judge_value sets) {
  struct judge_value v = values(j, 1), o = {.kind = ORDERS, .by_location = sets.by_location};
  v.members[0] = (struct judge_value){.kind = EMPTY};
  int listed = 0;
  for (int i = 0; i < sets.count; i++) {
    listed += sets.members[i].kind != ORDERS;
    o.count += sets.members[i].kind == ORDERS ? sets.members[i].count : 0;
  }
  if (sets.count && !listed) {
    o.members = arena_alloc(j->arena, (size_t)o.count * sizeof *o.members + 1);
    for (int i = 0, at = 0; i < sets.count; at += sets.members[i++].count)
      memcpy(o.members + at, sets.members[i].members,
             (size_t)sets.members[i].count * sizeof *o.members);
    return o;
  }
  for (int i = 0; i < sets.count; i++) {
    struct judge_value more = sets.members[i];
    int count = more.kind == VALUES ? more.count : 0;
    if (more.kind == ORDERS || (long)v.count * count > CROSS_MAX)
      judge_stop(j, "too many combinations to choose from");
    struct judge_value next = values(j, v.count * count);
    for (int k = 0; k < next.count; k++)
      next.members[k] = united(j, v.members[k / count], more.members[k % count]);
    v = next;
  }
  return v;
}

bool judge_generator(struct judge *j, const char *name, struct judge_value *args, int x,
                     struct judge_value *v) {
  if (!strcmp(name, "linearisations"))
    *v = orders(j, args[0], args[1], false);
  else if (!strcmp(name, "co_locs"))
    *v = per_class(j, args[0], args[1]);
  else if (!strcmp(name, "cross"))
    *v = cross(j, args[0]);
  else if (!strcmp(name, "classes"))
    *v = classes(j, judge_known(j, "_", x), judge_as(j, args[0], RELATION), false);
  else if (!strcmp(name, "partition") || !strcmp(name, "classes-loc"))
    *v = classes(j, judge_as(j, args[0], SET), judge_known(j, "loc", x), true);
  else if (!strcmp(name, "tag2scope"))
    judge_stop(j, "the test has no scopes");
  else if (!strncmp(name, "tag2", 4)) {
    enum tag tag = args[0].kind == TAG_VALUE ? tag_spelled(args[0].tag) : TAG_COUNT;
    *v = judge_set(judge_blank(j, j->n));
    for (int a = 0; tag != TAG_COUNT && a < j->n; a++)
      v->bits[a] = judge_executed(j, x, a) && tags_has(&judge_action(j, a)->tags, tag);
  } else
    return false;
  return true;
}
