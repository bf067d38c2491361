#include "axiom/judge.h"
#include <setjmp.h>
#include <string.h>

typedef unsigned char bit;

enum kind { EMPTY, SET, RELATION, FUNCTION, FAMILY, EXECUTION, INDEX };

struct value {
  enum kind kind;
  bit *bits;
  const struct cat_binding *function;
  const char *builtin;
  struct scope *scope;
  int execution;
  struct value *members;
  int low, count;
  enum cat_domain domain;
};

struct scope {
  const char *name;
  struct value value;
  struct scope *next;
};

struct judge {
  const struct model *model;
  const struct witness *w;
  struct arena *arena;
  int n;
  struct scope **blocks; /* by execution: names of the execution block */
  struct scope **cache;  /* by execution: built-in names already computed */
  const char *wrong;
  jmp_buf stop;
};

static struct value eval(struct judge *j, const struct cat_node *n, struct scope *s, int x);
static bool holds(struct judge *j, const struct cat_node *n, struct scope *s, int x);

_Noreturn static void stop(struct judge *j, const char *why) {
  j->wrong = why;
  longjmp(j->stop, 1);
}

/* ---- bits --------------------------------------------------------------------------------- */

static bit *blank(struct judge *j, int count) {
  return arena_alloc(j->arena, (size_t)count + 1);
}

static int size_of(const struct judge *j, struct value v) {
  return v.kind == SET ? j->n : v.kind == RELATION ? j->n * j->n : 0;
}

static bit *as(struct judge *j, struct value v, enum kind kind) {
  if (v.kind == EMPTY)
    return blank(j, j->n * j->n);
  if (v.kind != kind)
    stop(j, "the model mixes sets and relations");
  return v.bits;
}

static bit *compose(struct judge *j, const bit *a, const bit *b) {
  bit *r = blank(j, j->n * j->n);
  for (int i = 0; i < j->n; i++)
    for (int k = 0; k < j->n; k++)
      for (int l = 0; a[i * j->n + k] && l < j->n; l++)
        r[i * j->n + l] |= b[k * j->n + l];
  return r;
}

static bit *closure(struct judge *j, const bit *a) {
  bit *r = blank(j, j->n * j->n);
  memcpy(r, a, (size_t)(j->n * j->n));
  for (int k = 0; k < j->n; k++)
    for (int i = 0; i < j->n; i++)
      for (int l = 0; r[i * j->n + k] && l < j->n; l++)
        r[i * j->n + l] |= r[k * j->n + l];
  return r;
}

static bit *inverse(struct judge *j, const bit *a) {
  bit *r = blank(j, j->n * j->n);
  for (int i = 0; i < j->n * j->n; i++)
    r[i % j->n * j->n + i / j->n] = a[i];
  return r;
}

static struct value rel(bit *bits) {
  return (struct value){.kind = RELATION, .bits = bits};
}

static struct value set(bit *bits) {
  return (struct value){.kind = SET, .bits = bits};
}

/* ---- what every execution has ------------------------------------------------------------- */

static const struct action *act(const struct judge *j, int a) {
  return &j->w->universe->actions.data[a];
}

static const struct stmt *stmt_of(const struct judge *j, int x, int a) {
  return &j->w->universe->program->stmts.data[j->w->executions[x].stmt[a]];
}

static bool member(const struct judge *j, const char *name, int a) {
  const struct action *x = act(j, a);
  bool r = x->kind == STMT_READ, w = x->kind == STMT_WRITE;
  const struct {
    const char *name;
    bool in;
  } sets[] = {{"_", true}, {"Exp", true}, {"W", w}, {"R", r}, {"M", r || w}, {"IW", w && x->thread == 0},
              {"Init", x->thread == 0}, {"F", x->kind == STMT_FENCE}, {"MFENCE", x->flavour == FLAVOUR_MFENCE},
              {"SFENCE", x->flavour == FLAVOUR_SFENCE}, {"LFENCE", x->flavour == FLAVOUR_LFENCE},
              {"ClFlush", x->flavour == FLAVOUR_CLFLUSH}, {"ClFlushOpt", x->flavour == FLAVOUR_CLFLUSHOPT},
              {"ClWb", x->flavour == FLAVOUR_CLWB}, {"X", x->atomic}, {"Lock", x->kind == STMT_LOCK},
              {"Unlock", x->kind == STMT_UNLOCK}, {"External", x->kind == STMT_EXTERNAL},
              {"Start", x->kind == STMT_START}, {"End", x->kind == STMT_END}, {"V", x->is_volatile}};
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
    if (!strcmp(sets[i].name, name))
      return sets[i].in;
  return false;
}

static bool is_set_name(const char *name) {
  static const char *const names[] = {"_", "Exp", "W", "R", "M", "IW", "Init", "F", "MFENCE", "SFENCE", "LFENCE",
                                      "ClFlush", "ClFlushOpt", "ClWb", "X", "Lock", "Unlock", "External", "Start",
                                      "End", "V", "emptyset", "NExp", "PTE", "EX", "LKW", NULL};
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

static bool joined(const struct judge *j, int a, int b) {
  if (act(j, a)->kind != STMT_END || act(j, b)->kind != STMT_START || act(j, a)->thread == act(j, b)->thread)
    return false;
  const struct thread *t = &j->w->universe->program->threads.data[act(j, b)->thread];
  for (int i = 0; i < t->after.length; i++)
    if (t->after.data[i] == act(j, a)->thread)
      return true;
  return act(j, a)->thread == 0;
}

static bool same_line(const struct judge *j, int x, int a, int b) {
  const struct location *l = j->w->universe->program->locations.data;
  int p = j->w->executions[x].location[a], q = j->w->executions[x].location[b];
  return p >= 0 && q >= 0 && l[p].line == l[q].line;
}

static bool same_place(const struct judge *j, int x, int a, int b) {
  int p = j->w->executions[x].location[a], q = j->w->executions[x].location[b];
  return (p >= 0 && p == q) || (act(j, a)->monitor >= 0 && act(j, a)->monitor == act(j, b)->monitor);
}

/* Relations that are given, not derived. */
#define BASE_RELATIONS(X)                                                                          \
  X(PO, "po") X(RF, "rf") X(CO, "co") X(LOC, "loc") X(LINE, "line") X(INT, "int") X(EXT, "ext") X(ID, "id")              \
  X(RMW, "rmw") X(AMO, "amo") X(CRIT, "crit") X(JOIN, "join") X(INSTANCE, "same-instance") X(SI, "si") X(SM, "sm")       \
  X(DATA, "data") X(ADDR, "addr") X(CTRL, "ctrl") X(LXSX, "lxsx")

enum base {
#define X(name, text) BASE_##name,
  BASE_RELATIONS(X)
#undef X
  BASE_COUNT
};

static enum base base_named(const char *name) {
  static const char *const names[] = {
#define X(name, text) text,
      BASE_RELATIONS(X)
#undef X
  };
  int i = 0;
  while (i < BASE_COUNT && strcmp(names[i], name))
    i++;
  return (enum base)i;
}

static bool related(const struct judge *j, enum base base, int x, int a, int b) {
  const struct witness_execution *e = &j->w->executions[x];
  const struct stmt *s = stmt_of(j, x, a), *t = stmt_of(j, x, b);
  const struct program *p = j->w->universe->program;
  bool same_thread = act(j, a)->thread == act(j, b)->thread;
  switch (base) {
  case BASE_PO: return same_thread && e->stmt[a] < e->stmt[b] && (act(j, a)->thread > 0 || j->model->uses_start_end);
  case BASE_RF: return e->source[b] == a;
  case BASE_CO: return e->co && e->co[a * j->n + b];
  case BASE_LOC: return same_place(j, x, a, b);
  case BASE_LINE: return same_line(j, x, a, b);
  case BASE_INT: return same_thread;
  case BASE_EXT: return !same_thread;
  case BASE_ID: return a == b;
  case BASE_RMW:
  case BASE_AMO: return s->kind == STMT_READ && s->partner == e->stmt[b];
  case BASE_CRIT: return s->kind == STMT_LOCK && s->partner == e->stmt[b];
  case BASE_JOIN: return joined(j, a, b);
  case BASE_INSTANCE:
  case BASE_SI:
  case BASE_SM: return s->instruction == t->instruction;
  case BASE_DATA: return s->kind == STMT_READ && expr_depends(p, t->value, e->stmt[a]);
  case BASE_ADDR: return s->kind == STMT_READ && expr_depends(p, t->address, e->stmt[a]);
  case BASE_CTRL: return s->kind == STMT_READ && expr_depends(p, t->guard, e->stmt[a]);
  default: return false;
  }
}

static bool executed(const struct judge *j, int x, int a) {
  return j->w->executions[x].stmt[a] >= 0;
}

static bool base_relation(struct judge *j, const char *name, int x, bit **out) {
  enum base base = base_named(name);
  if (base == BASE_COUNT)
    return false;
  bit *r = blank(j, j->n * j->n);
  for (int a = 0; a < j->n; a++)
    for (int b = 0; executed(j, x, a) && b < j->n; b++)
      r[a * j->n + b] = executed(j, x, b) && related(j, base, x, a, b);
  *out = r;
  return true;
}

static bit *known(struct judge *j, const char *name, int x) {
  bit *r = NULL;
  if (!strcmp(name, "fr")) {
    bit *fr = compose(j, inverse(j, known(j, "rf", x)), known(j, "co", x));
    for (int i = 0; i < j->n; i++)
      fr[i * j->n + i] = 0;
    return fr;
  }
  base_relation(j, name, x, &r);
  return r;
}

static bool builtin(struct judge *j, const char *name, int x, struct value *v) {
  static const char *const derived[][3] = {{"rfe", "rf", "ext"}, {"rfi", "rf", "int"}, {"coe", "co", "ext"},
                                           {"coi", "co", "int"}, {"fre", "fr", "ext"}, {"fri", "fr", "int"},
                                           {"po-loc", "po", "loc"}};
  static const char *const functions[] = {"domain", "range", "fencerel", "toid", "of", "same-value", "same-location",
                                          "udr", "singlestep"};
  if (is_set_name(name)) {
    *v = set(blank(j, j->n));
    for (int a = 0; a < j->n; a++)
      v->bits[a] = executed(j, x, a) && member(j, name, a);
    return true;
  }
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i], name)) {
      *v = (struct value){.kind = FUNCTION, .builtin = name, .execution = x};
      return true;
    }
  for (unsigned i = 0; i < sizeof derived / sizeof *derived; i++)
    if (!strcmp(derived[i][0], name)) {
      *v = rel(known(j, derived[i][1], x));
      const bit *with = known(j, derived[i][2], x);
      for (int c = 0; c < j->n * j->n; c++)
        v->bits[c] &= with[c];
      return true;
    }
  *v = rel(NULL);
  if (!strcmp(name, "ca")) {
    v->bits = known(j, "fr", x);
    const bit *co = known(j, "co", x);
    for (int c = 0; c < j->n * j->n; c++)
      v->bits[c] |= co[c];
    return true;
  }
  if (!strcmp(name, "fr"))
    v->bits = known(j, "fr", x);
  return v->bits || base_relation(j, name, x, &v->bits);
}

/* ---- names -------------------------------------------------------------------------------- */

static struct scope *bind(struct judge *j, struct scope *s, const char *name, struct value v) {
  struct scope *t = arena_alloc(j->arena, sizeof *t);
  *t = (struct scope){name, v, s};
  return t;
}

static bool find(struct judge *j, const char *name, struct scope *s, int x, struct value *v) {
  for (int pass = 0; pass < 2; pass++)
    for (struct scope *t = pass ? j->blocks[x] : s; t; t = t->next)
      if (!strcmp(t->name, name)) {
        *v = t->value;
        return true;
      }
  if (!strcmp(name, "E")) {
    *v = (struct value){.kind = EXECUTION, .execution = 0};
    return true;
  }
  for (struct scope *t = j->cache[x]; t; t = t->next)
    if (!strcmp(t->name, name)) {
      *v = t->value;
      return true;
    }
  if (!builtin(j, name, x, v))
    return false;
  j->cache[x] = bind(j, j->cache[x], name, *v);
  return true;
}

static int index_of(struct judge *j, struct cat_index i, struct scope *s) {
  if (!i.base)
    return i.offset;
  if (!strcmp(i.base, "k"))
    return j->w->k + i.offset;
  for (; s; s = s->next)
    if (!strcmp(s->name, i.base) && s->value.kind == INDEX)
      return s->value.low + i.offset;
  stop(j, "an index that is not bound");
}

static int domain_size(struct judge *j, enum cat_domain d, struct cat_index low, struct cat_index high, struct scope *s,
                       int *first) {
  const struct program *p = j->w->universe->program;
  int lines = 0;
  *first = d == DOMAIN_THREADS;
  switch (d) {
  case DOMAIN_ACTIONS: return j->n;
  case DOMAIN_THREADS: return p->threads.length - 1;
  case DOMAIN_LOCATIONS: return p->locations.length;
  case DOMAIN_LINES:
    for (int l = 0; l < p->locations.length; l++)
      lines = p->locations.data[l].line >= lines ? p->locations.data[l].line + 1 : lines;
    return lines;
  default:
    *first = index_of(j, low, s);
    return index_of(j, high, s) - *first + 1;
  }
}

static struct scope *bind_member(struct judge *j, const char *name, enum cat_domain d, int i, struct scope *s) {
  struct value v = {.kind = INDEX, .low = i, .domain = d};
  if (d == DOMAIN_ACTIONS) {
    v = set(blank(j, j->n));
    v.bits[i] = 1;
  }
  return bind(j, s, name, v);
}

/* ---- expressions -------------------------------------------------------------------------- */

static struct value combine(struct judge *j, enum cat_kind op, struct value a, struct value b) {
  if (a.kind == EMPTY && b.kind == EMPTY)
    return a;
  enum kind kind = a.kind == EMPTY ? b.kind : a.kind;
  const bit *p = as(j, a, kind), *q = as(j, b, kind);
  struct value r = {.kind = kind, .bits = blank(j, j->n * j->n)};
  for (int c = 0; c < size_of(j, r); c++)
    r.bits[c] = op == CAT_UNION ? p[c] | q[c] : op == CAT_INTER ? p[c] & q[c] : p[c] & !q[c];
  return r;
}

static bit *product(struct judge *j, const bit *a, const bit *b) {
  bit *r = blank(j, j->n * j->n);
  for (int i = 0; i < j->n * j->n; i++)
    r[i] = a[i / j->n] && b[i % j->n];
  return r;
}

static struct value of(struct judge *j, struct value i, int x) {
  struct value v = set(blank(j, j->n));
  const struct location *l = j->w->universe->program->locations.data;
  for (int a = 0; a < j->n; a++) {
    int place = j->w->executions[x].location[a];
    bool in = i.domain == DOMAIN_THREADS     ? act(j, a)->thread == i.low
              : i.domain == DOMAIN_LOCATIONS ? place == i.low
                                             : place >= 0 && l[place].line == i.low;
    v.bits[a] = executed(j, x, a) && in;
  }
  return v;
}

static struct value agree(struct judge *j, int x, int y, bool values) {
  struct value v = set(blank(j, j->n));
  const struct witness_execution *e = &j->w->executions[x], *f = &j->w->executions[y];
  for (int a = 0; a < j->n; a++) {
    bool access = act(j, a)->kind == STMT_READ || act(j, a)->kind == STMT_WRITE;
    bool same = values ? access && e->value[a] == f->value[a]
                       : (access && e->location[a] == f->location[a]) || act(j, a)->monitor >= 0;
    v.bits[a] = executed(j, x, a) && executed(j, y, a) && same;
  }
  return v;
}

static struct value call_builtin(struct judge *j, const char *name, struct value *args, int x) {
  int n = j->n;
  if (!strncmp(name, "same-", 5))
    return agree(j, args[0].execution, args[1].execution, !strcmp(name, "same-value"));
  if (!strcmp(name, "of"))
    return of(j, args[0], x);
  if (!strcmp(name, "toid") || !strcmp(name, "fencerel")) {
    const bit *s = as(j, args[0], SET);
    bit *id = blank(j, n * n);
    for (int a = 0; a < n; a++)
      id[a * n + a] = s[a];
    if (name[0] == 't')
      return rel(id);
    bit *po = known(j, "po", x);
    return rel(compose(j, compose(j, po, id), po));
  }
  const bit *r = as(j, args[0], RELATION);
  if (!strcmp(name, "singlestep"))
    return combine(j, CAT_DIFF, rel((bit *)r), rel(compose(j, r, r)));
  struct value v = set(blank(j, n));
  for (int c = 0; c < n * n; c++) {
    v.bits[c / n] |= r[c] && strcmp(name, "range");
    v.bits[c % n] |= r[c] && strcmp(name, "domain");
  }
  return v;
}

static struct value call(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  struct value f = eval(j, n->arg[0], s, x), args[8];
  if (f.kind != FUNCTION || n->args.length > 8)
    stop(j, "a call of something that is no function");
  for (int i = 0; i < n->args.length; i++)
    args[i] = eval(j, n->args.data[i], s, x);
  if (f.builtin)
    return call_builtin(j, f.builtin, args, x);
  struct scope *inner = f.scope;
  for (int i = 0; i < f.function->params.length; i++)
    inner = bind(j, inner, f.function->params.data[i], args[i]);
  return eval(j, f.function->body, inner, f.execution);
}

static struct scope *bind_all(struct judge *j, const struct cat_binding *b, int count, bool recursive, struct scope *s,
                              int x) {
  struct scope *inner = s;
  for (int i = 0; i < count; i++) {
    struct value v = {.kind = EMPTY};
    if (b[i].params.length || b[i].takes_tuple)
      v = (struct value){.kind = FUNCTION, .function = &b[i], .scope = s, .execution = x};
    else if (!recursive)
      v = eval(j, b[i].body, s, x);
    inner = bind(j, inner, b[i].name, v);
  }
  for (bool changed = recursive; changed;) { /* grows until nothing changes */
    changed = false;
    struct scope *t = inner;
    for (int i = count - 1; i >= 0; i--, t = t->next) {
      struct value v = eval(j, b[i].body, inner, x);
      changed = changed || v.kind != t->value.kind ||
                (v.bits && memcmp(v.bits, t->value.bits, (size_t)size_of(j, v)));
      t->value = v;
    }
  }
  return inner;
}

static struct value try_names(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  jmp_buf outer;
  memcpy(outer, j->stop, sizeof outer);
  if (setjmp(j->stop) == 0) {
    struct value v = eval(j, n->arg[0], s, x);
    memcpy(j->stop, outer, sizeof outer);
    return v;
  }
  memcpy(j->stop, outer, sizeof outer);
  j->wrong = NULL;
  return eval(j, n->arg[1], s, x);
}

static struct value family_member(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  int i = index_of(j, n->low, s);
  if (!strcmp(n->arg[0]->text, "E"))
    return (struct value){.kind = EXECUTION, .execution = i};
  struct value f = eval(j, n->arg[0], s, x);
  if (f.kind != FAMILY || i < f.low || i >= f.low + f.count)
    stop(j, "a member that the family does not have");
  return f.members[i - f.low];
}

static struct value big_union(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  struct value sum = {.kind = EMPTY};
  int first, count = domain_size(j, n->domain, n->low, n->high, s, &first);
  for (int i = 0; i < count; i++)
    sum = combine(j, CAT_UNION, sum, eval(j, n->arg[0], bind_member(j, n->text, n->domain, first + i, s), x));
  return sum;
}

static struct value unary(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  struct value a = eval(j, n->arg[0], s, x);
  bit *all = known(j, "id", x), *id = all;
  if (n->kind == CAT_COMPLEMENT) {
    struct value any;
    builtin(j, "_", x, &any);
    return combine(j, CAT_DIFF, a.kind == SET ? any : rel(product(j, any.bits, any.bits)), a);
  }
  if (n->kind == CAT_IDENTITY)
    return call_builtin(j, "toid", &a, x);
  bit *r = as(j, a, RELATION);
  if (n->kind == CAT_INVERSE)
    return rel(inverse(j, r));
  if (n->kind == CAT_PLUS)
    return rel(closure(j, r));
  return combine(j, CAT_UNION, rel(n->kind == CAT_STAR ? closure(j, r) : r), rel(id));
}

static struct value eval(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  struct value v;
  switch (n->kind) {
  case CAT_NAME:
  case CAT_ANY:
    if (!find(j, n->kind == CAT_ANY ? "_" : n->text, s, x, &v))
      stop(j, arena_format(j->arena, "unknown name '%s'", n->text));
    return v;
  case CAT_FIELD: {
    int i = n->arg[0] ? index_of(j, n->low, s) : 0;
    if (i < 0 || i > j->w->k || !find(j, n->text, NULL, i, &v))
      stop(j, "an execution without that name");
    return v;
  }
  case CAT_EMPTY: return (struct value){.kind = EMPTY};
  case CAT_UNION:
  case CAT_INTER:
  case CAT_DIFF: v = eval(j, n->arg[0], s, x); return combine(j, n->kind, v, eval(j, n->arg[1], s, x));
  case CAT_SEQ: {
    bit *a = as(j, eval(j, n->arg[0], s, x), RELATION);
    return rel(compose(j, a, as(j, eval(j, n->arg[1], s, x), RELATION)));
  }
  case CAT_PRODUCT: {
    bit *a = as(j, eval(j, n->arg[0], s, x), SET);
    return rel(product(j, a, as(j, eval(j, n->arg[1], s, x), SET)));
  }
  case CAT_CALL: return call(j, n, s, x);
  case CAT_TRY: return try_names(j, n, s, x);
  case CAT_LET_IN:
    return eval(j, n->arg[0], bind_all(j, n->bindings.data, n->bindings.length, n->recursive, s, x), x);
  case CAT_FUN: return (struct value){.kind = FUNCTION, .function = n->bindings.data, .scope = s, .execution = x};
  case CAT_IF: return eval(j, n->arg[1], s, x);
  case CAT_INDEX: return family_member(j, n, s, x);
  case CAT_BIG_UNION: return big_union(j, n, s, x);
  default: return unary(j, n, s, x);
  }
}

/* ---- rules -------------------------------------------------------------------------------- */

static int members(struct judge *j, struct value v) {
  int count = 0;
  for (int c = 0; c < size_of(j, v); c++)
    count += v.bits[c];
  return count;
}

static bool subset(struct judge *j, struct value a, struct value b) {
  return members(j, combine(j, CAT_DIFF, a, b)) == 0;
}

static bool quantified(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  int first, count = domain_size(j, n->domain, n->low, n->high, s, &first);
  const bit *in = n->domain == DOMAIN_ACTIONS ? as(j, eval(j, n->set, s, x), SET) : NULL;
  for (int i = 0; i < count; i++)
    if ((!in || in[i]) &&
        holds(j, n->arg[0], bind_member(j, n->text, n->domain, first + i, s), x) == (n->kind == CAT_EXISTS))
      return n->kind == CAT_EXISTS;
  return n->kind == CAT_FORALL;
}

static bool irreflexive(struct judge *j, const bit *r) {
  for (int i = 0; i < j->n; i++)
    if (r[i * j->n + i])
      return false;
  return true;
}

static bool holds(struct judge *j, const struct cat_node *n, struct scope *s, int x) {
  switch (n->kind) {
  case CAT_ACYCLIC: return irreflexive(j, closure(j, as(j, eval(j, n->arg[0], s, x), RELATION)));
  case CAT_IRREFLEXIVE: return irreflexive(j, as(j, eval(j, n->arg[0], s, x), RELATION));
  case CAT_IS_EMPTY: return members(j, eval(j, n->arg[0], s, x)) == 0;
  case CAT_ONE: return members(j, eval(j, n->arg[0], s, x)) == 1;
  case CAT_LONE: return members(j, eval(j, n->arg[0], s, x)) <= 1;
  case CAT_SUBSET: return subset(j, eval(j, n->arg[0], s, x), eval(j, n->arg[1], s, x));
  case CAT_EQUAL: {
    struct value a = eval(j, n->arg[0], s, x), b = eval(j, n->arg[1], s, x);
    return subset(j, a, b) && subset(j, b, a);
  }
  case CAT_PAIR_IN: {
    bit *a = as(j, eval(j, n->args.data[0], s, x), SET), *b = as(j, eval(j, n->args.data[1], s, x), SET);
    return subset(j, rel(product(j, a, b)), eval(j, n->arg[0], s, x));
  }
  case CAT_NOT: return !holds(j, n->arg[0], s, x);
  case CAT_AND: return holds(j, n->arg[0], s, x) && holds(j, n->arg[1], s, x);
  case CAT_OR: return holds(j, n->arg[0], s, x) || holds(j, n->arg[1], s, x);
  case CAT_IMPLIES: return !holds(j, n->arg[0], s, x) || holds(j, n->arg[1], s, x);
  case CAT_IFF: return holds(j, n->arg[0], s, x) == holds(j, n->arg[1], s, x);
  case CAT_FORALL:
  case CAT_EXISTS: return quantified(j, n, s, x);
  default: return n->kind == CAT_TRUE;
  }
}

/* ---- declared relations ------------------------------------------------------------------- */

static const bit *found_relation(struct judge *j, const struct cat_item *i, int execution, int index) {
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
        stop(j, arena_format(j->arena, "'%s' is not a total order", i->name));
    }
  if (!subset(j, rel(compose(j, r, r)), rel((bit *)r)))
    stop(j, arena_format(j->arena, "'%s' is not transitive", i->name));
}

static struct value declared(struct judge *j, const struct cat_item *i, struct scope *s, int x, int execution, int index) {
  struct value bound = eval(j, i->body, s, x);
  bool is_rel = i->kind != ITEM_SOME_SET;
  const bit *r = found_relation(j, i, execution, index);
  if (!r) { /* not part of the execution: fine only if there is nothing to choose */
    if (members(j, bound))
      stop(j, arena_format(j->arena, "the execution does not say what '%s' is", i->name));
    r = blank(j, j->n * j->n);
  }
  struct value v = is_rel ? rel((bit *)r) : set((bit *)r);
  if (i->kind == ITEM_SOME_ORDER)
    judge_order(j, i, r, as(j, bound, SET));
  else if (!subset(j, v, bound))
    stop(j, arena_format(j->arena, "'%s' is larger than its bound", i->name));
  return v;
}

static struct value declared_family(struct judge *j, const struct cat_item *i, struct scope *s, int x, int execution) {
  int first, count = domain_size(j, i->domain, i->low, i->high, s, &first);
  struct value f = {.kind = FAMILY, .low = first, .count = count};
  f.members = arena_alloc(j->arena, (size_t)count * sizeof *f.members + 1);
  for (int c = 0; c < count; c++)
    f.members[c] = declared(j, i, bind_member(j, i->index_name, i->domain, first + c, s), x, execution, first + c);
  return f;
}

static struct scope *items(struct judge *j, const struct cat_item *list, int count, struct scope *s, int x, int execution) {
  for (int i = 0; i < count; i++) {
    const struct cat_item *item = &list[i];
    if (item->kind == ITEM_LET)
      s = bind_all(j, item->bindings.data, item->bindings.length, item->recursive, s, x);
    else if (item->kind == ITEM_REQUIRE && !holds(j, item->body, s, x))
      stop(j, arena_format(j->arena, "rule '%s' does not hold%s", item->name, execution > 0 ? " in a justifying execution" : ""));
    else if (item->kind >= ITEM_SOME_REL && item->kind <= ITEM_SOME_ORDER)
      s = bind(j, s, item->name, item->family ? declared_family(j, item, s, x, execution)
                                              : declared(j, item, s, x, execution, 0));
  }
  return s;
}

const char *judge_model(const struct model *m, const struct witness *w, struct arena *a) {
  struct judge *j = arena_alloc(a, sizeof *j);
  *j = (struct judge){.model = m, .w = w, .arena = a, .n = w->universe->actions.length};
  j->blocks = arena_alloc(a, (size_t)(w->k + 1) * sizeof *j->blocks);
  j->cache = arena_alloc(a, (size_t)(w->k + 1) * sizeof *j->cache);
  if (setjmp(j->stop))
    return j->wrong;
  for (int x = 0; x <= w->k; x++)
    for (int i = 0; i < m->item_count; i++)
      if (m->items[i].kind == ITEM_EXECUTION)
        j->blocks[x] = items(j, m->items[i].items, m->items[i].item_count, j->blocks[x], x, x);
  items(j, m->items, m->item_count, NULL, 0, -1);
  return NULL;
}
