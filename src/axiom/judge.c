#include "axiom/judge_internal.h"
#include "base/check.h"
#include <string.h>

enum { CALLS_MAX = 1000 };

/* ---- names -------------------------------------------------------------------------------- */

struct judge_scope *judge_bind(struct judge *j, struct judge_scope *s, const char *name,
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

int judge_domain_size(struct judge *j, enum cat_domain d, struct cat_index low,
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

struct judge_scope *judge_bind_member(struct judge *j, const char *name, enum cat_domain d, int i,
                                      struct judge_scope *s) {
  struct judge_value v = {.kind = INDEX, .low = i, .domain = d};
  if (d == DOMAIN_ACTIONS) {
    v = judge_set(judge_blank(j, j->n));
    v.bits[i] = 1;
    v.element = true;
  }
  return judge_bind(j, s, name, v);
}

/* ---- expressions -------------------------------------------------------------------------- */

static struct judge_value combine(struct judge *j, enum cat_kind op, struct judge_value a,
                                  struct judge_value b) {
  if (a.kind == EMPTY && b.kind == EMPTY)
    return a;
  if (a.kind == VALUES || b.kind == VALUES)
    return judge_join(j, a, b);
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

static struct judge_value different_values(struct judge *j, const bit *r, int x) {
  struct judge_value v = judge_rel(judge_blank(j, j->n * j->n));
  const struct witness_execution *e = &j->w->executions[x];
  for (int c = 0; c < j->n * j->n; c++) {
    int a = c / j->n, b = c % j->n;
    v.bits[c] = r[c] && judge_action(j, a)->kind <= STMT_WRITE &&
                judge_action(j, b)->kind <= STMT_WRITE && e->value[a] != e->value[b];
  }
  return v;
}

static struct judge_value call_builtin(struct judge *j, const char *name, struct judge_value *args,
                                       int x) {
  int n = j->n;
  struct judge_value made;
  if (judge_generator(j, name, args, x, &made))
    return made;
  if (!strcmp(name, "same-value") || !strcmp(name, "same-location"))
    return agree(j, args[0].execution, args[1].execution, !strcmp(name, "same-value"));
  if (!strcmp(name, "of"))
    return of(j, args[0], x);
  if (!strcmp(name, "same-oa") || !strcmp(name, "at-least-one-writable") ||
      !strcmp(name, "oa-changes"))
    return (struct judge_value){.kind = EMPTY}; /* there are no page tables */
  if (!strcmp(name, "toid") || !strcmp(name, "fencerel") || !strcmp(name, "fromto")) {
    const bit *s = judge_as(j, args[0], SET);
    bit *id = judge_blank(j, n * n);
    for (int a = 0; a < n; a++)
      id[a * n + a] =
          s[a] && (strcmp(name, "fromto") != 0 || judge_action(j, a)->kind == STMT_FENCE);
    if (name[0] == 't')
      return judge_rel(id);
    const bit *po = judge_known(j, "po", x);
    return judge_rel(judge_compose(j, judge_compose(j, po, id), po));
  }
  const bit *r = judge_as(j, args[0], RELATION);
  if (!strcmp(name, "different-values"))
    return different_values(j, r, x);
  if (!strcmp(name, "singlestep"))
    return combine(j, CAT_DIFF, judge_rel((bit *)r), judge_rel(judge_compose(j, r, r)));
  struct judge_value v = judge_set(judge_blank(j, n));
  for (int c = 0; c < n * n; c++) {
    v.bits[c / n] |= r[c] && strcmp(name, "range");
    v.bits[c % n] |= r[c] && strcmp(name, "domain");
  }
  return v;
}

struct judge_scope *judge_bind_arguments(struct judge *j, const struct cat_binding *b,
                                         struct judge_value *args, int count,
                                         struct judge_scope *s) {
  struct judge_value whole = judge_tuple(j, count);
  if (count == 1 && b->takes_tuple && b->params.length != 1 && args[0].kind == TUPLE) {
    count = args[0].count;
    args = args[0].members;
  } else if (count != 1 && b->params.length == 1) {
    memcpy(whole.members, args, (size_t)count * sizeof *args);
    args = &whole;
    count = 1;
  }
  if (count != b->params.length)
    judge_stop(j, "a call with too few or too many arguments");
  for (int i = 0; i < count; i++)
    s = judge_bind(j, s, b->params.data[i], args[i]);
  return s;
}

static struct judge_value call(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                               int x) {
  struct judge_value f = judge_eval(j, n->arg[0], s, x), args = judge_tuple(j, n->args.length);
  if (f.kind != FUNCTION)
    judge_stop(j, "a call of something that is no function");
  for (int i = 0; i < n->args.length; i++)
    args.members[i] = judge_eval(j, n->args.data[i], s, x);
  if (f.builtin)
    return call_builtin(j, f.builtin, args.members, x);
  CHECK(f.function, "a function without a definition");
  if (++j->depth > CALLS_MAX)
    judge_stop(j, "calls nested too deep");
  struct judge_scope *inner =
      judge_bind_arguments(j, f.function, args.members, args.count, f.scope);
  struct judge_value v = judge_eval(j, f.function->body, inner, f.execution);
  j->depth--;
  return v;
}

/* One round of a recursive definition: the names one after the other, as they are written. */
static bool changes(struct judge *j, const struct cat_binding *b, int count,
                    struct judge_scope *inner, int x) {
  bool changed = false;
  for (int i = 0; i < count; i++) {
    struct judge_scope *t = inner;
    for (int later = count - 1; later > i; later--)
      t = t->next;
    if (t->value.kind == FUNCTION)
      continue;
    struct judge_value v = judge_eval(j, b[i].body, inner, x);
    changed = changed || v.kind != t->value.kind ||
              (v.bits && memcmp(v.bits, t->value.bits, (size_t)judge_size(j, v)));
    t->value = v;
  }
  return changed;
}

struct judge_scope *judge_bind_all(struct judge *j, const struct cat_binding *b, int count,
                                   bool recursive, struct judge_scope *s, int x) {
  struct judge_scope *inner = s;
  for (int i = 0; i < count; i++) {
    struct judge_value v = {.kind = EMPTY};
    if (b[i].params.length || b[i].takes_tuple)
      v = (struct judge_value){.kind = FUNCTION, .function = &b[i], .scope = s, .execution = x};
    else if (!recursive)
      v = judge_eval(j, b[i].body, s, x);
    for (int p = 0; p < b[i].pattern.length; p++) {
      if (v.kind != TUPLE || v.count != b[i].pattern.length)
        judge_stop(j, "a definition of several names without a tuple");
      inner = judge_bind(j, inner, b[i].pattern.data[p], v.members[p]);
    }
    if (b[i].name)
      inner = judge_bind(j, inner, b[i].name, v);
  }
  if (!recursive)
    return inner;
  for (struct judge_scope *t = inner; t != s; t = t->next)
    if (t->value.kind == FUNCTION)
      t->value.scope = inner;
  int rounds = j->n * j->n * count + count;
  while (changes(j, b, count, inner, x))
    if (--rounds < 0)
      judge_stop(j, arena_format(j->arena, "'let rec %s' comes to no rest", b->name));
  return inner;
}

static struct judge_value try_names(struct judge *j, const struct cat_node *n,
                                    struct judge_scope *s, int x) {
  jmp_buf outer;
  int depth = j->depth;
  memcpy(outer, j->stop, sizeof outer);
  if (setjmp(j->stop) == 0) {
    struct judge_value v = judge_eval(j, n->arg[0], s, x);
    memcpy(j->stop, outer, sizeof outer);
    return v;
  }
  memcpy(j->stop, outer, sizeof outer);
  j->wrong = NULL;
  j->depth = depth;
  return judge_eval(j, n->arg[1], s, x);
}

static struct judge_value family_member(struct judge *j, const struct cat_node *n,
                                        struct judge_scope *s, int x) {
  int i = index_of(j, n->low, s);
  if (!strcmp(n->arg[0]->text, "E"))
    return (struct judge_value){.kind = EXECUTION, .execution = i};
  struct judge_value f = judge_eval(j, n->arg[0], s, x);
  if (f.kind != FAMILY || i < f.low || i >= f.low + f.count)
    judge_stop(j, "a member that the family does not have");
  return f.members[i - f.low];
}

static struct judge_value big_union(struct judge *j, const struct cat_node *n,
                                    struct judge_scope *s, int x) {
  struct judge_value sum = {.kind = EMPTY};
  int first, count = judge_domain_size(j, n->domain, n->low, n->high, s, &first);
  for (int i = 0; i < count; i++)
    sum = combine(
        j, CAT_UNION, sum,
        judge_eval(j, n->arg[0], judge_bind_member(j, n->text, n->domain, first + i, s), x));
  return sum;
}

static struct judge_value unary(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                                int x) {
  struct judge_value a = judge_eval(j, n->arg[0], s, x);
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

/* (a, b) or {a, b} */
static struct judge_value listed(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                                 int x) {
  struct judge_value tuple = judge_tuple(j, n->args.length), set = {.kind = EMPTY};
  for (int i = 0; i < tuple.count; i++)
    tuple.members[i] = judge_eval(j, n->args.data[i], s, x);
  for (int i = tuple.count - 1; n->kind == CAT_LITERAL && i >= 0; i--)
    set = judge_add(j, tuple.members[i], set);
  return n->kind == CAT_LITERAL ? set : tuple;
}

struct judge_value judge_eval(struct judge *j, const struct cat_node *n, struct judge_scope *s,
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
    v = judge_eval(j, n->arg[0], s, x);
    return combine(j, n->kind, v, judge_eval(j, n->arg[1], s, x));
  case CAT_SEQ: {
    bit *a = judge_as(j, judge_eval(j, n->arg[0], s, x), RELATION);
    return judge_rel(judge_compose(j, a, judge_as(j, judge_eval(j, n->arg[1], s, x), RELATION)));
  }
  case CAT_PRODUCT: {
    bit *a = judge_as(j, judge_eval(j, n->arg[0], s, x), SET);
    return judge_rel(product(j, a, judge_as(j, judge_eval(j, n->arg[1], s, x), SET)));
  }
  case CAT_CALL:
    return call(j, n, s, x);
  case CAT_TRY:
    return try_names(j, n, s, x);
  case CAT_LET_IN:
    return judge_eval(j, n->arg[0],
                      judge_bind_all(j, n->bindings.data, n->bindings.length, n->recursive, s, x),
                      x);
  case CAT_FUN:
    return (struct judge_value){
        .kind = FUNCTION, .function = n->bindings.data, .scope = s, .execution = x};
  case CAT_IF:
    return judge_eval(j, n->arg[judge_holds(j, n->set, s, x) ? 0 : 1], s, x);
  case CAT_TUPLE:
  case CAT_LITERAL:
    return listed(j, n, s, x);
  case CAT_ADD:
    v = judge_eval(j, n->arg[0], s, x);
    return judge_add(j, v, judge_eval(j, n->arg[1], s, x));
  case CAT_TAG:
    return (struct judge_value){.kind = TAG_VALUE, .tag = n->text};
  case CAT_MATCH_SET:
  case CAT_MATCH_TAG:
    return judge_match(j, n, s, x);
  case CAT_INDEX:
    return family_member(j, n, s, x);
  case CAT_BIG_UNION:
    return big_union(j, n, s, x);
  default:
    return unary(j, n, s, x);
  }
}

/* ---- rules -------------------------------------------------------------------------------- */

int judge_members(struct judge *j, struct judge_value v) {
  int count = 0;
  for (int c = 0; c < judge_size(j, v); c++)
    count += v.bits[c];
  return count;
}

bool judge_subset(struct judge *j, struct judge_value a, struct judge_value b) {
  return judge_members(j, combine(j, CAT_DIFF, a, b)) == 0;
}

static bool quantified(struct judge *j, const struct cat_node *n, struct judge_scope *s, int x) {
  int first, count = judge_domain_size(j, n->domain, n->low, n->high, s, &first);
  const bit *in =
      n->domain == DOMAIN_ACTIONS ? judge_as(j, judge_eval(j, n->set, s, x), SET) : NULL;
  for (int i = 0; i < count; i++)
    if ((!in || in[i]) &&
        judge_holds(j, n->arg[0], judge_bind_member(j, n->text, n->domain, first + i, s), x) ==
            (n->kind == CAT_EXISTS))
      return n->kind == CAT_EXISTS;
  return n->kind == CAT_FORALL;
}

static bool irreflexive(struct judge *j, const bit *r) {
  for (int i = 0; i < j->n; i++)
    if (r[i * j->n + i])
      return false;
  return true;
}

bool judge_holds(struct judge *j, const struct cat_node *n, struct judge_scope *s, int x) {
  switch (n->kind) {
  case CAT_ACYCLIC:
    return irreflexive(j, judge_closure(j, judge_as(j, judge_eval(j, n->arg[0], s, x), RELATION)));
  case CAT_IRREFLEXIVE:
    return irreflexive(j, judge_as(j, judge_eval(j, n->arg[0], s, x), RELATION));
  case CAT_IS_EMPTY:
    return judge_members(j, judge_eval(j, n->arg[0], s, x)) == 0;
  case CAT_ONE:
    return judge_members(j, judge_eval(j, n->arg[0], s, x)) == 1;
  case CAT_LONE:
    return judge_members(j, judge_eval(j, n->arg[0], s, x)) <= 1;
  case CAT_SUBSET:
    return judge_subset(j, judge_eval(j, n->arg[0], s, x), judge_eval(j, n->arg[1], s, x));
  case CAT_EQUAL: {
    struct judge_value a = judge_eval(j, n->arg[0], s, x), b = judge_eval(j, n->arg[1], s, x);
    return judge_subset(j, a, b) && judge_subset(j, b, a);
  }
  case CAT_PAIR_IN: {
    bit *a = judge_as(j, judge_eval(j, n->args.data[0], s, x), SET),
        *b = judge_as(j, judge_eval(j, n->args.data[1], s, x), SET);
    return judge_subset(j, judge_rel(product(j, a, b)), judge_eval(j, n->arg[0], s, x));
  }
  case CAT_NOT:
    return !judge_holds(j, n->arg[0], s, x);
  case CAT_AND:
    return judge_holds(j, n->arg[0], s, x) && judge_holds(j, n->arg[1], s, x);
  case CAT_OR:
    return judge_holds(j, n->arg[0], s, x) || judge_holds(j, n->arg[1], s, x);
  case CAT_IMPLIES:
    return !judge_holds(j, n->arg[0], s, x) || judge_holds(j, n->arg[1], s, x);
  case CAT_IFF:
    return judge_holds(j, n->arg[0], s, x) == judge_holds(j, n->arg[1], s, x);
  case CAT_FORALL:
  case CAT_EXISTS:
    return quantified(j, n, s, x);
  default:
    return n->kind == CAT_TRUE;
  }
}

static const char *judge_all(struct judge *j) {
  const struct model *m = j->model;
  const struct witness *w = j->w;
  j->n = w->universe->actions.length;
  j->blocks = arena_alloc(j->arena, (size_t)(w->k + 1) * sizeof *j->blocks);
  j->cache = arena_alloc(j->arena, (size_t)(w->k + 1) * sizeof *j->cache);
  if (setjmp(j->stop))
    return j->wrong;
  for (int x = 0; x <= w->k; x++)
    for (int i = 0; i < m->item_count; i++)
      if (m->items[i].kind == ITEM_EXECUTION)
        j->blocks[x] =
            judge_items(j, m->items[i].items, m->items[i].item_count, j->blocks[x], x, x);
  judge_items(j, m->items, m->item_count, NULL, 0, -1);
  return NULL;
}

const char *judge_model(const struct model *m, const struct witness *w, struct arena *a) {
  struct judge j = {.model = m, .w = w, .arena = a};
  return judge_all(&j);
}

const char *judge_rules(const struct model *m, const struct witness *w, bool *broken,
                        struct arena *a) {
  struct judge j = {.model = m, .w = w, .arena = a};
  const char *wrong = judge_all(&j);
  *broken = j.broken;
  return wrong;
}

const char *judge_rules_and_flags(const struct model *m, const struct witness *w, bool *broken,
                                  bool *raised, struct arena *a) {
  struct judge j = {.model = m, .w = w, .arena = a, .any_flag = true};
  const char *wrong = judge_all(&j);
  *broken = j.broken;
  *raised = !wrong && j.raised;
  return wrong;
}

bool judge_raises(const struct model *m, const struct witness *w, const char *flag,
                  struct arena *a) {
  struct judge j = {.model = m, .w = w, .arena = a, .flag = flag};
  return !judge_all(&j) && j.raised;
}

void judge_explain(const struct model *m, const struct witness *w, struct arena *a,
                   struct violations *v) {
  struct judge j = {.model = m, .w = w, .arena = a, .violations = v};
  judge_all(&j);
}
