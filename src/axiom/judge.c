#include "axiom/judge_internal.h"
#include "base/check.h"
#include <string.h>

static struct judge_value eval(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                               int x);
static bool holds(struct judge *j, const struct cat_node *n, struct judge_scope *s, int x);

/* ---- names -------------------------------------------------------------------------------- */

static struct judge_scope *bind(struct judge *j, struct judge_scope *s, const char *name,
                                struct judge_value v) {
  struct judge_scope *t = arena_alloc(j->arena, sizeof *t);
  *t = (struct judge_scope){name, v, s};
  return t;
}

static bool find(struct judge *j, const char *name, struct judge_scope *s, int x,
                 struct judge_value *v) {
  for (int pass = 0; pass < 2; pass++)
    for (struct judge_scope *t = pass ? j->blocks[x] : s; t; t = t->next)
      if (!strcmp(t->name, name)) {
        *v = t->value;
        return true;
      }
  if (!strcmp(name, "E")) {
    *v = (struct judge_value){.kind = EXECUTION, .execution = 0};
    return true;
  }
  return judge_builtin(j, name, x, v);
}

static int index_of(struct judge *j, struct cat_index i, struct judge_scope *s) {
  if (!i.base)
    return i.offset;
  if (!strcmp(i.base, "k"))
    return j->w->k + i.offset;
  for (; s; s = s->next)
    if (!strcmp(s->name, i.base) && s->value.kind == INDEX)
      return s->value.low + i.offset;
  judge_stop(j, "an index that is not bound");
}

static int domain_size(struct judge *j, enum cat_domain d, struct cat_index low,
                       struct cat_index high, struct judge_scope *s, int *first) {
  const struct program *p = j->w->universe->program;
  int lines = 0;
  *first = d == DOMAIN_THREADS;
  switch (d) {
  case DOMAIN_ACTIONS:
    return j->n;
  case DOMAIN_THREADS:
    return p->threads.length - 1;
  case DOMAIN_LOCATIONS:
    return p->locations.length;
  case DOMAIN_LINES:
    for (int l = 0; l < p->locations.length; l++)
      lines = p->locations.data[l].line >= lines ? p->locations.data[l].line + 1 : lines;
    return lines;
  default:
    *first = index_of(j, low, s);
    return index_of(j, high, s) - *first + 1;
  }
}

static struct judge_scope *bind_member(struct judge *j, const char *name, enum cat_domain d, int i,
                                       struct judge_scope *s) {
  struct judge_value v = {.kind = INDEX, .low = i, .domain = d};
  if (d == DOMAIN_ACTIONS) {
    v = judge_set(judge_blank(j, j->n));
    v.bits[i] = 1;
  }
  return bind(j, s, name, v);
}

/* ---- expressions -------------------------------------------------------------------------- */

static struct judge_value combine(struct judge *j, enum cat_kind op, struct judge_value a,
                                  struct judge_value b) {
  if (a.kind == EMPTY && b.kind == EMPTY)
    return a;
  enum judge_kind kind = a.kind == EMPTY ? b.kind : a.kind;
  const bit *p = judge_as(j, a, kind), *q = judge_as(j, b, kind);
  struct judge_value r = {.kind = kind, .bits = judge_blank(j, j->n * j->n)};
  for (int c = 0; c < judge_size(j, r); c++)
    r.bits[c] = op == CAT_UNION ? p[c] | q[c] : op == CAT_INTER ? p[c] & q[c] : p[c] & !q[c];
  return r;
}

static bit *product(struct judge *j, const bit *a, const bit *b) {
  bit *r = judge_blank(j, j->n * j->n);
  for (int i = 0; i < j->n * j->n; i++)
    r[i] = a[i / j->n] && b[i % j->n];
  return r;
}

static struct judge_value of(struct judge *j, struct judge_value i, int x) {
  struct judge_value v = judge_set(judge_blank(j, j->n));
  const struct location *l = j->w->universe->program->locations.data;
  for (int a = 0; a < j->n; a++) {
    int place = j->w->executions[x].location[a];
    bool in = i.domain == DOMAIN_THREADS     ? judge_action(j, a)->thread == i.low
              : i.domain == DOMAIN_LOCATIONS ? place == i.low
                                             : place >= 0 && l[place].line == i.low;
    v.bits[a] = judge_executed(j, x, a) && in;
  }
  return v;
}

static struct judge_value agree(struct judge *j, int x, int y, bool values) {
  struct judge_value v = judge_set(judge_blank(j, j->n));
  const struct witness_execution *e = &j->w->executions[x], *f = &j->w->executions[y];
  for (int a = 0; a < j->n; a++) {
    bool access = judge_action(j, a)->kind == STMT_READ || judge_action(j, a)->kind == STMT_WRITE;
    bool same =
        values ? access && e->value[a] == f->value[a]
               : (access && e->location[a] == f->location[a]) || judge_action(j, a)->monitor >= 0;
    v.bits[a] = judge_executed(j, x, a) && judge_executed(j, y, a) && same;
  }
  return v;
}

static struct judge_value call_builtin(struct judge *j, const char *name, struct judge_value *args,
                                       int x) {
  int n = j->n;
  if (!strncmp(name, "same-", 5))
    return agree(j, args[0].execution, args[1].execution, !strcmp(name, "same-value"));
  if (!strcmp(name, "of"))
    return of(j, args[0], x);
  if (!strcmp(name, "toid") || !strcmp(name, "fencerel")) {
    const bit *s = judge_as(j, args[0], SET);
    bit *id = judge_blank(j, n * n);
    for (int a = 0; a < n; a++)
      id[a * n + a] = s[a];
    if (name[0] == 't')
      return judge_rel(id);
    const bit *po = judge_known(j, "po", x);
    return judge_rel(judge_compose(j, judge_compose(j, po, id), po));
  }
  const bit *r = judge_as(j, args[0], RELATION);
  if (!strcmp(name, "singlestep"))
    return combine(j, CAT_DIFF, judge_rel((bit *)r), judge_rel(judge_compose(j, r, r)));
  struct judge_value v = judge_set(judge_blank(j, n));
  for (int c = 0; c < n * n; c++) {
    v.bits[c / n] |= r[c] && strcmp(name, "range");
    v.bits[c % n] |= r[c] && strcmp(name, "domain");
  }
  return v;
}

static struct judge_value call(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                               int x) {
  struct judge_value f = eval(j, n->arg[0], s, x), args[8];
  if (f.kind != FUNCTION || n->args.length > 8)
    judge_stop(j, "a call of something that is no function");
  for (int i = 0; i < n->args.length; i++)
    args[i] = eval(j, n->args.data[i], s, x);
  if (f.builtin)
    return call_builtin(j, f.builtin, args, x);
  struct judge_scope *inner = f.scope;
  for (int i = 0; i < f.function->params.length; i++)
    inner = bind(j, inner, f.function->params.data[i], args[i]);
  return eval(j, f.function->body, inner, f.execution);
}

static struct judge_scope *bind_all(struct judge *j, const struct cat_binding *b, int count,
                                    bool recursive, struct judge_scope *s, int x) {
  struct judge_scope *inner = s;
  for (int i = 0; i < count; i++) {
    struct judge_value v = {.kind = EMPTY};
    if (b[i].params.length || b[i].takes_tuple)
      v = (struct judge_value){.kind = FUNCTION, .function = &b[i], .scope = s, .execution = x};
    else if (!recursive)
      v = eval(j, b[i].body, s, x);
    inner = bind(j, inner, b[i].name, v);
  }
  for (bool changed = recursive; changed;) { /* grows until nothing changes */
    changed = false;
    struct judge_scope *t = inner;
    for (int i = count - 1; i >= 0; i--, t = t->next) {
      CHECK(t, "no scope for binding %d", i);
      struct judge_value v = eval(j, b[i].body, inner, x);
      changed = changed || v.kind != t->value.kind ||
                (v.bits && memcmp(v.bits, t->value.bits, (size_t)judge_size(j, v)));
      t->value = v;
    }
  }
  return inner;
}

static struct judge_value try_names(struct judge *j, const struct cat_node *n,
                                    struct judge_scope *s, int x) {
  jmp_buf outer;
  memcpy(outer, j->stop, sizeof outer);
  if (setjmp(j->stop) == 0) {
    struct judge_value v = eval(j, n->arg[0], s, x);
    memcpy(j->stop, outer, sizeof outer);
    return v;
  }
  memcpy(j->stop, outer, sizeof outer);
  j->wrong = NULL;
  return eval(j, n->arg[1], s, x);
}

static struct judge_value family_member(struct judge *j, const struct cat_node *n,
                                        struct judge_scope *s, int x) {
  int i = index_of(j, n->low, s);
  if (!strcmp(n->arg[0]->text, "E"))
    return (struct judge_value){.kind = EXECUTION, .execution = i};
  struct judge_value f = eval(j, n->arg[0], s, x);
  if (f.kind != FAMILY || i < f.low || i >= f.low + f.count)
    judge_stop(j, "a member that the family does not have");
  return f.members[i - f.low];
}

static struct judge_value big_union(struct judge *j, const struct cat_node *n,
                                    struct judge_scope *s, int x) {
  struct judge_value sum = {.kind = EMPTY};
  int first, count = domain_size(j, n->domain, n->low, n->high, s, &first);
  for (int i = 0; i < count; i++)
    sum = combine(j, CAT_UNION, sum,
                  eval(j, n->arg[0], bind_member(j, n->text, n->domain, first + i, s), x));
  return sum;
}

static struct judge_value unary(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                                int x) {
  struct judge_value a = eval(j, n->arg[0], s, x);
  if (n->kind == CAT_COMPLEMENT) {
    struct judge_value any;
    judge_builtin(j, "_", x, &any);
    return combine(j, CAT_DIFF, a.kind == SET ? any : judge_rel(product(j, any.bits, any.bits)), a);
  }
  if (n->kind == CAT_IDENTITY)
    return call_builtin(j, "toid", &a, x);
  bit *r = judge_as(j, a, RELATION);
  if (n->kind == CAT_INVERSE)
    return judge_rel(judge_inverse(j, r));
  if (n->kind == CAT_PLUS)
    return judge_rel(judge_closure(j, r));
  return combine(j, CAT_UNION, judge_rel(n->kind == CAT_STAR ? judge_closure(j, r) : r),
                 judge_rel((bit *)judge_known(j, "id", x)));
}

static struct judge_value eval(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                               int x) {
  struct judge_value v;
  switch (n->kind) {
  case CAT_NAME:
  case CAT_ANY:
    if (!find(j, n->kind == CAT_ANY ? "_" : n->text, s, x, &v))
      judge_stop(j, arena_format(j->arena, "unknown name '%s'", n->text));
    return v;
  case CAT_FIELD: {
    int i = n->arg[0] ? index_of(j, n->low, s) : 0;
    if (i < 0 || i > j->w->k || !find(j, n->text, NULL, i, &v))
      judge_stop(j, "an execution without that name");
    return v;
  }
  case CAT_EMPTY:
    return (struct judge_value){.kind = EMPTY};
  case CAT_UNION:
  case CAT_INTER:
  case CAT_DIFF:
    v = eval(j, n->arg[0], s, x);
    return combine(j, n->kind, v, eval(j, n->arg[1], s, x));
  case CAT_SEQ: {
    bit *a = judge_as(j, eval(j, n->arg[0], s, x), RELATION);
    return judge_rel(judge_compose(j, a, judge_as(j, eval(j, n->arg[1], s, x), RELATION)));
  }
  case CAT_PRODUCT: {
    bit *a = judge_as(j, eval(j, n->arg[0], s, x), SET);
    return judge_rel(product(j, a, judge_as(j, eval(j, n->arg[1], s, x), SET)));
  }
  case CAT_CALL:
    return call(j, n, s, x);
  case CAT_TRY:
    return try_names(j, n, s, x);
  case CAT_LET_IN:
    return eval(j, n->arg[0], bind_all(j, n->bindings.data, n->bindings.length, n->recursive, s, x),
                x);
  case CAT_FUN:
    return (struct judge_value){
        .kind = FUNCTION, .function = n->bindings.data, .scope = s, .execution = x};
  case CAT_IF:
    return eval(j, n->arg[1], s, x);
  case CAT_INDEX:
    return family_member(j, n, s, x);
  case CAT_BIG_UNION:
    return big_union(j, n, s, x);
  default:
    return unary(j, n, s, x);
  }
}

/* ---- rules -------------------------------------------------------------------------------- */

static int members(struct judge *j, struct judge_value v) {
  int count = 0;
  for (int c = 0; c < judge_size(j, v); c++)
    count += v.bits[c];
  return count;
}

static bool subset(struct judge *j, struct judge_value a, struct judge_value b) {
  return members(j, combine(j, CAT_DIFF, a, b)) == 0;
}

static bool quantified(struct judge *j, const struct cat_node *n, struct judge_scope *s, int x) {
  int first, count = domain_size(j, n->domain, n->low, n->high, s, &first);
  const bit *in = n->domain == DOMAIN_ACTIONS ? judge_as(j, eval(j, n->set, s, x), SET) : NULL;
  for (int i = 0; i < count; i++)
    if ((!in || in[i]) && holds(j, n->arg[0], bind_member(j, n->text, n->domain, first + i, s),
                                x) == (n->kind == CAT_EXISTS))
      return n->kind == CAT_EXISTS;
  return n->kind == CAT_FORALL;
}

static bool irreflexive(struct judge *j, const bit *r) {
  for (int i = 0; i < j->n; i++)
    if (r[i * j->n + i])
      return false;
  return true;
}

static bool holds(struct judge *j, const struct cat_node *n, struct judge_scope *s, int x) {
  switch (n->kind) {
  case CAT_ACYCLIC:
    return irreflexive(j, judge_closure(j, judge_as(j, eval(j, n->arg[0], s, x), RELATION)));
  case CAT_IRREFLEXIVE:
    return irreflexive(j, judge_as(j, eval(j, n->arg[0], s, x), RELATION));
  case CAT_IS_EMPTY:
    return members(j, eval(j, n->arg[0], s, x)) == 0;
  case CAT_ONE:
    return members(j, eval(j, n->arg[0], s, x)) == 1;
  case CAT_LONE:
    return members(j, eval(j, n->arg[0], s, x)) <= 1;
  case CAT_SUBSET:
    return subset(j, eval(j, n->arg[0], s, x), eval(j, n->arg[1], s, x));
  case CAT_EQUAL: {
    struct judge_value a = eval(j, n->arg[0], s, x), b = eval(j, n->arg[1], s, x);
    return subset(j, a, b) && subset(j, b, a);
  }
  case CAT_PAIR_IN: {
    bit *a = judge_as(j, eval(j, n->args.data[0], s, x), SET),
        *b = judge_as(j, eval(j, n->args.data[1], s, x), SET);
    return subset(j, judge_rel(product(j, a, b)), eval(j, n->arg[0], s, x));
  }
  case CAT_NOT:
    return !holds(j, n->arg[0], s, x);
  case CAT_AND:
    return holds(j, n->arg[0], s, x) && holds(j, n->arg[1], s, x);
  case CAT_OR:
    return holds(j, n->arg[0], s, x) || holds(j, n->arg[1], s, x);
  case CAT_IMPLIES:
    return !holds(j, n->arg[0], s, x) || holds(j, n->arg[1], s, x);
  case CAT_IFF:
    return holds(j, n->arg[0], s, x) == holds(j, n->arg[1], s, x);
  case CAT_FORALL:
  case CAT_EXISTS:
    return quantified(j, n, s, x);
  default:
    return n->kind == CAT_TRUE;
  }
}

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
  if (!subset(j, judge_rel(judge_compose(j, r, r)), judge_rel((bit *)r)))
    judge_stop(j, arena_format(j->arena, "'%s' is not transitive", i->name));
}

static struct judge_value declared(struct judge *j, const struct cat_item *i, struct judge_scope *s,
                                   int x, int execution, int index) {
  struct judge_value bound = eval(j, i->body, s, x);
  bool is_rel = i->kind != ITEM_SOME_SET;
  const bit *r = found_relation(j, i, execution, index);
  if (!r) { /* not part of the execution: fine only if there is nothing to choose */
    if (members(j, bound))
      judge_stop(j, arena_format(j->arena, "the execution does not say what '%s' is", i->name));
    r = judge_blank(j, j->n * j->n);
  }
  struct judge_value v = is_rel ? judge_rel((bit *)r) : judge_set((bit *)r);
  if (i->kind == ITEM_SOME_ORDER)
    judge_order(j, i, r, judge_as(j, bound, SET));
  else if (!subset(j, v, bound))
    judge_stop(j, arena_format(j->arena, "'%s' is larger than its bound", i->name));
  return v;
}

static struct judge_value declared_family(struct judge *j, const struct cat_item *i,
                                          struct judge_scope *s, int x, int execution) {
  int first, count = domain_size(j, i->domain, i->low, i->high, s, &first);
  struct judge_value f = {.kind = FAMILY, .low = first, .count = count};
  f.members = arena_alloc(j->arena, (size_t)count * sizeof *f.members + 1);
  for (int c = 0; c < count; c++)
    f.members[c] = declared(j, i, bind_member(j, i->index_name, i->domain, first + c, s), x,
                            execution, first + c);
  return f;
}

static struct judge_scope *items(struct judge *j, const struct cat_item *list, int count,
                                 struct judge_scope *s, int x, int execution) {
  for (int i = 0; i < count; i++) {
    const struct cat_item *item = &list[i];
    if (item->kind == ITEM_LET)
      s = bind_all(j, item->bindings.data, item->bindings.length, item->recursive, s, x);
    else if (item->kind == ITEM_REQUIRE && !holds(j, item->body, s, x))
      judge_stop(j, arena_format(j->arena, "rule '%s' does not hold%s", item->name,
                                 execution > 0 ? " in a justifying execution" : ""));
    else if (item->kind == ITEM_FLAG && holds(j, item->body, s, x))
      j->flags = arena_format(j->arena, "%s%s%s", j->flags, j->flags[0] ? ", " : "", item->name);
    else if (item->kind >= ITEM_SOME_REL && item->kind <= ITEM_SOME_ORDER)
      s = bind(j, s, item->name,
               item->family ? declared_family(j, item, s, x, execution)
                            : declared(j, item, s, x, execution, 0));
  }
  return s;
}

static const char *judge_all(const struct model *m, const struct witness *w, struct arena *a,
                             const char **flags) {
  struct judge *j = arena_alloc(a, sizeof *j);
  *j =
      (struct judge){.model = m, .w = w, .arena = a, .n = w->universe->actions.length, .flags = ""};
  j->blocks = arena_alloc(a, (size_t)(w->k + 1) * sizeof *j->blocks);
  j->cache = arena_alloc(a, (size_t)(w->k + 1) * sizeof *j->cache);
  if (setjmp(j->stop))
    return j->wrong;
  for (int x = 0; x <= w->k; x++)
    for (int i = 0; i < m->item_count; i++)
      if (m->items[i].kind == ITEM_EXECUTION)
        j->blocks[x] = items(j, m->items[i].items, m->items[i].item_count, j->blocks[x], x, x);
  items(j, m->items, m->item_count, NULL, 0, -1);
  *flags = j->flags;
  return NULL;
}

const char *judge_model(const struct model *m, const struct witness *w, struct arena *a) {
  const char *flags;
  return judge_all(m, w, a, &flags);
}

const char *judge_flags(const struct model *m, const struct witness *w, struct arena *a) {
  const char *flags = "";
  judge_all(m, w, a, &flags);
  return flags;
}
