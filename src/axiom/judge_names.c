#include "axiom/absent.h"
#include "axiom/depend.h"
#include "axiom/judge_internal.h"
#include <string.h>

_Noreturn void judge_stop(struct judge *j, const char *why) {
  j->wrong = why;
  longjmp(j->stop, 1);
}

/* ---- bits --------------------------------------------------------------------------------- */

bit *judge_blank(struct judge *j, int count) {
  return arena_alloc(j->arena, (size_t)count + 1);
}

int judge_size(const struct judge *j, struct judge_value v) {
  return v.kind == SET ? j->n : v.kind == RELATION ? j->n * j->n : 0;
}

bit *judge_as(struct judge *j, struct judge_value v, enum judge_kind kind) {
  if (v.kind == EMPTY)
    return judge_blank(j, j->n * j->n);
  if (v.kind != kind)
    judge_stop(j, "the model mixes sets and relations");
  return v.bits;
}

bit *judge_compose(struct judge *j, const bit *a, const bit *b) {
  bit *r = judge_blank(j, j->n * j->n);
  for (int i = 0; i < j->n; i++)
    for (int k = 0; k < j->n; k++)
      for (int l = 0; a[i * j->n + k] && l < j->n; l++)
        r[i * j->n + l] |= b[k * j->n + l];
  return r;
}

bit *judge_closure(struct judge *j, const bit *a) {
  bit *r = judge_blank(j, j->n * j->n);
  memcpy(r, a, (size_t)(j->n * j->n));
  for (int k = 0; k < j->n; k++)
    for (int i = 0; i < j->n; i++)
      for (int l = 0; r[i * j->n + k] && l < j->n; l++)
        r[i * j->n + l] |= r[k * j->n + l];
  return r;
}

bit *judge_inverse(struct judge *j, const bit *a) {
  bit *r = judge_blank(j, j->n * j->n);
  for (int i = 0; i < j->n * j->n; i++)
    r[i % j->n * j->n + i / j->n] = a[i];
  return r;
}

struct judge_value judge_rel(bit *bits) {
  return (struct judge_value){.kind = RELATION, .bits = bits};
}

struct judge_value judge_set(bit *bits) {
  return (struct judge_value){.kind = SET, .bits = bits};
}

/* ---- what every execution has ------------------------------------------------------------- */

const struct action *judge_action(const struct judge *j, int a) {
  return &j->w->universe->actions.data[a];
}

static const struct stmt *stmt_of(const struct judge *j, int x, int a) {
  return &j->w->universe->program->stmts.data[j->w->executions[x].stmt[a]];
}

static bool member(const struct judge *j, const char *name, int a) {
  const struct action *x = judge_action(j, a);
  bool r = x->kind == STMT_READ, w = x->kind == STMT_WRITE;
  const struct {
    const char *name;
    bool in;
  } sets[] = {{"_", true},
              {"Exp", true},
              {"W", w},
              {"R", r},
              {"M", r || w},
              {"IW", w && x->thread == 0},
              {"Init", x->thread == 0},
              {"F", x->kind == STMT_FENCE},
              {"EXEC", true},
              {"MFENCE", x->flavour == FLAVOUR_MFENCE},
              {"mfence", x->flavour == FLAVOUR_MFENCE},
              {"SFENCE", x->flavour == FLAVOUR_SFENCE},
              {"LFENCE", x->flavour == FLAVOUR_LFENCE},
              {"ClFlush", x->flavour == FLAVOUR_CLFLUSH},
              {"ClFlushOpt", x->flavour == FLAVOUR_CLFLUSHOPT},
              {"ClWb", x->flavour == FLAVOUR_CLWB},
              {"X", x->atomic || tags_has(&x->tags, TAG_X)},
              {"Lock", x->kind == STMT_LOCK},
              {"Unlock", x->kind == STMT_UNLOCK},
              {"External", x->kind == STMT_EXTERNAL},
              {"Start", x->kind == STMT_START},
              {"End", x->kind == STMT_END},
              {"V", x->is_volatile}};
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
    if (!strcmp(sets[i].name, name))
      return sets[i].in;
  enum tag tag = tag_find(name);
  return tag != TAG_COUNT && tags_has(&x->tags, tag);
}

static bool is_set_name(const char *name) {
  static const char *const names[] = {"_",    "Exp",   "W",      "R",      "M",        "IW",
                                      "Init", "F",     "MFENCE", "SFENCE", "LFENCE",   "ClFlush",
                                      "X",    "V",     "Lock",   "Unlock", "External", "ClFlushOpt",
                                      "ClWb", "Start", "End",    "EXEC",   "mfence",   NULL};
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name))
      return true;
  return tag_find(name) != TAG_COUNT;
}

static bool joined(const struct judge *j, int a, int b) {
  if (judge_action(j, a)->kind != STMT_END || judge_action(j, b)->kind != STMT_START ||
      judge_action(j, a)->thread == judge_action(j, b)->thread)
    return false;
  return program_thread_before(j->w->universe->program, judge_action(j, a)->thread,
                               judge_action(j, b)->thread);
}

static bool same_line(const struct judge *j, int x, int a, int b) {
  const struct location *l = j->w->universe->program->locations.data;
  int p = j->w->executions[x].location[a], q = j->w->executions[x].location[b];
  return p >= 0 && q >= 0 && l[p].line == l[q].line;
}

static bool same_place(const struct judge *j, int x, int a, int b) {
  int p = j->w->executions[x].location[a], q = j->w->executions[x].location[b];
  return (p >= 0 && p == q) || (judge_action(j, a)->monitor >= 0 &&
                                judge_action(j, a)->monitor == judge_action(j, b)->monitor);
}

/* Relations that are given, not derived. */
/* clang-format off */
#define BASE_RELATIONS(X) \
  X(PO, "po") \
  X(RF, "rf") \
  X(CO, "co") \
  X(LOC, "loc") \
  X(LINE, "line") \
  X(INT, "int") \
  X(EXT, "ext") \
  X(ID, "id") \
  X(RMW, "rmw") \
  X(AMO, "amo") X(CRIT, "crit") X(JOIN, "join") X(INSTANCE, "same-instance") X(SI, "si") \
      X(SM, "sm") X(DATA, "data") X(ADDR, "addr") X(CTRL, "ctrl") X(LXSX, "lxsx") \
          X(THREAD_ORDER, "thread-order") X(LOW_BITS, "same-low-order-bits") X(ALIGNED, "aligned") \
              X(PICKS, "picks")
/* clang-format on */

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

/* t uses what s gave.  Only front ends that make one execution have conditions. */
static bool uses(const struct judge *j, enum dependence which, int s, int t) {
  int when = depend_when(j->w->universe->program, which, s, t);
  return when >= 0 && judge_evaluate(j->w, when);
}

static bool related(const struct judge *j, enum base base, int x, int a, int b) {
  const struct witness_execution *e = &j->w->executions[x];
  const struct stmt *s = stmt_of(j, x, a), *t = stmt_of(j, x, b);
  const struct program *p = j->w->universe->program;
  bool same_thread = judge_action(j, a)->thread == judge_action(j, b)->thread;
  switch (base) {
  case BASE_PO:
    return program_order(p, e->stmt[a], e->stmt[b]) &&
           (judge_action(j, a)->thread > 0 || j->model->uses_start_end);
  case BASE_RF:
    return e->source[b] == a;
  case BASE_CO:
    return e->co && e->co[a * j->n + b];
  case BASE_LOC:
  case BASE_LOW_BITS:
    return same_place(j, x, a, b);
  case BASE_LINE:
    return same_line(j, x, a, b);
  case BASE_INT:
    return same_thread;
  case BASE_EXT:
    return !same_thread;
  case BASE_ID:
  case BASE_ALIGNED:
    return a == b;
  case BASE_SI:
  case BASE_SM:
    return a == b || (s->access && s->access == t->access);
  case BASE_RMW:
    return t->kind == STMT_WRITE && t->partner == e->stmt[a];
  case BASE_AMO:
  case BASE_LXSX:
    return t->kind == STMT_WRITE && t->partner == e->stmt[a] &&
           (s->instruction == t->instruction) == (base == BASE_AMO);
  case BASE_CRIT:
    return s->kind == STMT_LOCK && s->partner == e->stmt[b];
  case BASE_JOIN:
    return joined(j, a, b);
  case BASE_THREAD_ORDER:
    return program_thread_before(p, judge_action(j, a)->thread, judge_action(j, b)->thread);
  case BASE_INSTANCE:
    return s->instruction == t->instruction;
  case BASE_DATA:
    return uses(j, DEPEND_VALUE, e->stmt[a], e->stmt[b]);
  case BASE_ADDR:
    return uses(j, DEPEND_ADDRESS, e->stmt[a], e->stmt[b]);
  case BASE_CTRL:
    return uses(j, DEPEND_GUARD, e->stmt[a], e->stmt[b]);
  case BASE_PICKS:
    return uses(j, DEPEND_PICK, e->stmt[a], e->stmt[b]);
  default:
    return false;
  }
}

bool judge_executed(const struct judge *j, int x, int a) {
  return j->w->executions[x].stmt[a] >= 0;
}

static bool base_relation(struct judge *j, const char *name, int x, bit **out) {
  enum base base = base_named(name);
  if (base == BASE_COUNT)
    return false;
  bit *r = judge_blank(j, j->n * j->n);
  for (int a = 0; a < j->n; a++)
    for (int b = 0; judge_executed(j, x, a) && b < j->n; b++)
      r[a * j->n + b] = judge_executed(j, x, b) && related(j, base, x, a, b);
  *out = r;
  return true;
}

static bool cached(struct judge *j, const char *name, int x, struct judge_value *v) {
  for (struct judge_scope *t = j->cache[x]; t; t = t->next)
    if (!strcmp(t->name, name)) {
      *v = t->value;
      return true;
    }
  return false;
}

static void remember(struct judge *j, const char *name, int x, struct judge_value v) {
  struct judge_scope *t = arena_alloc(j->arena, sizeof *t);
  *t = (struct judge_scope){name, v, j->cache[x]};
  j->cache[x] = t;
}

const bit *judge_known(struct judge *j, const char *name, int x) {
  struct judge_value v;
  return judge_builtin(j, name, x, &v) ? v.bits : judge_blank(j, j->n * j->n);
}

static bit *from_reads(struct judge *j, int x) {
  bit *fr = judge_compose(j, judge_inverse(j, judge_known(j, "rf", x)), judge_known(j, "co", x));
  for (int i = 0; i < j->n; i++)
    fr[i * j->n + i] = 0;
  return fr;
}

static bit *final_writes(struct judge *j, int x) {
  const bit *co = judge_known(j, "co", x);
  bit *set = judge_blank(j, j->n);
  for (int a = 0; a < j->n; a++) {
    set[a] = judge_executed(j, x, a) && judge_action(j, a)->kind == STMT_WRITE;
    for (int b = 0; b < j->n; b++)
      set[a] = set[a] && !co[a * j->n + b];
  }
  return set;
}

/* The initial write comes first, the final one last. */
static bit *coherence_ends(struct judge *j, int x) {
  const bit *loc = judge_known(j, "loc", x), *last = judge_known(j, "FW", x);
  bit *r = judge_blank(j, j->n * j->n);
  for (int c = 0; c < j->n * j->n; c++) {
    const struct action *a = judge_action(j, c / j->n), *b = judge_action(j, c % j->n);
    bool writes = a->kind == STMT_WRITE && b->kind == STMT_WRITE && loc[c];
    r[c] = writes && ((a->thread == 0 && b->thread != 0) || (!last[c / j->n] && last[c % j->n]));
  }
  return r;
}

/* Relations made of two others: by intersection or by union. */
static bit *combined(struct judge *j, const char *a, char op, const char *b, int x) {
  const bit *p = judge_known(j, a, x), *q = judge_known(j, b, x);
  bit *r = judge_blank(j, j->n * j->n);
  for (int c = 0; c < j->n * j->n; c++)
    r[c] = op == '&' ? p[c] & q[c] : p[c] | q[c];
  return r;
}

static bool compute(struct judge *j, const char *name, int x, struct judge_value *v) {
  static const struct {
    const char *name, *a;
    char op;
    const char *b;
  } derived[] = {{"rfe", "rf", '&', "ext"}, {"rfi", "rf", '&', "int"},   {"coe", "co", '&', "ext"},
                 {"coi", "co", '&', "int"}, {"fre", "fr", '&', "ext"},   {"fri", "fr", '&', "int"},
                 {"ca", "fr", '|', "co"},   {"po-loc", "po", '&', "loc"}};
  static const char *const functions[] = {
#define FUNCTION(name) name,
#include "axiom/function.def"
#undef FUNCTION
  };
  enum absent absent = absent_find(j->model, name);
  if (absent == ABSENT_EMPTY_SET || absent == ABSENT_EMPTY_RELATION) {
    *v = (struct judge_value){.kind = absent == ABSENT_EMPTY_SET ? SET : RELATION,
                              .bits = judge_blank(j, j->n * j->n)};
    return true;
  }
  if (!strcmp(name, "FW")) {
    *v = judge_set(final_writes(j, x));
    return true;
  }
  if (is_set_name(name)) {
    *v = judge_set(judge_blank(j, j->n));
    for (int a = 0; a < j->n; a++)
      v->bits[a] = judge_executed(j, x, a) && member(j, name, a);
    return true;
  }
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i], name)) {
      *v = (struct judge_value){.kind = FUNCTION, .builtin = functions[i], .execution = x};
      return true;
    }
  *v = judge_rel(NULL);
  for (unsigned i = 0; i < sizeof derived / sizeof *derived; i++)
    if (!strcmp(derived[i].name, name))
      v->bits = combined(j, derived[i].a, derived[i].op, derived[i].b, x);
  if (!strcmp(name, "fr"))
    v->bits = from_reads(j, x);
  if (!strcmp(name, "co0"))
    v->bits = coherence_ends(j, x);
  return v->bits || base_relation(j, name, x, &v->bits);
}

bool judge_builtin(struct judge *j, const char *name, int x, struct judge_value *v) {
  if (cached(j, name, x, v))
    return true;
  if (!compute(j, name, x, v))
    return false;
  remember(j, name, x, *v);
  return true;
}
