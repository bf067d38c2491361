/* The names every model may use: sets and relations of an execution, and a few functions.
 * docs/models.md lists them. */
#include "axiom/absent.h"
#include "axiom/depend.h"
#include "axiom/model_encode.h"
#include <string.h>

typedef bool (*member)(const struct action *a);

static bool is_write(const struct action *a) {
  return a->kind == STMT_WRITE;
}
static bool is_read(const struct action *a) {
  return a->kind == STMT_READ;
}
static bool is_memory(const struct action *a) {
  return a->kind == STMT_WRITE || a->kind == STMT_READ;
}
static bool is_initial_write(const struct action *a) {
  return a->kind == STMT_WRITE && a->thread == 0;
}
static bool is_initial(const struct action *a) {
  return a->thread == 0;
}
static bool is_fence(const struct action *a) {
  return a->kind == STMT_FENCE;
}
static bool is_mfence(const struct action *a) {
  return a->flavour == FLAVOUR_MFENCE;
}
static bool is_sfence(const struct action *a) {
  return a->flavour == FLAVOUR_SFENCE;
}
static bool is_lfence(const struct action *a) {
  return a->flavour == FLAVOUR_LFENCE;
}
static bool is_clflush(const struct action *a) {
  return a->flavour == FLAVOUR_CLFLUSH;
}
static bool is_clflushopt(const struct action *a) {
  return a->flavour == FLAVOUR_CLFLUSHOPT;
}
static bool is_clwb(const struct action *a) {
  return a->flavour == FLAVOUR_CLWB;
}
static bool is_atomic(const struct action *a) {
  return a->atomic || tags_has(&a->tags, TAG_X);
}
static bool is_lock(const struct action *a) {
  return a->kind == STMT_LOCK;
}
static bool is_unlock(const struct action *a) {
  return a->kind == STMT_UNLOCK;
}
static bool is_external(const struct action *a) {
  return a->kind == STMT_EXTERNAL;
}
static bool is_start(const struct action *a) {
  return a->kind == STMT_START;
}
static bool is_end(const struct action *a) {
  return a->kind == STMT_END;
}
static bool is_volatile(const struct action *a) {
  return a->is_volatile;
}
static bool is_any(const struct action *a) {
  (void)a;
  return true;
}
static const struct {
  const char *name;
  member test;
} sets[] = {{"_", is_any},         {"W", is_write},           {"R", is_read},
            {"M", is_memory},      {"IW", is_initial_write},  {"Init", is_initial},
            {"F", is_fence},       {"MFENCE", is_mfence},     {"SFENCE", is_sfence},
            {"LFENCE", is_lfence}, {"ClFlush", is_clflush},   {"ClFlushOpt", is_clflushopt},
            {"ClWb", is_clwb},     {"X", is_atomic},          {"Lock", is_lock},
            {"Unlock", is_unlock}, {"External", is_external}, {"Start", is_start},
            {"End", is_end},       {"V", is_volatile},        {"Exp", is_any},
            {"EXEC", is_any},      {"mfence", is_mfence}};

/* Relations that hold between two actions whatever else happens, if both are executed. */
static bool static_int(const struct action *a, const struct action *b) {
  return a->thread == b->thread;
}

static bool static_ext(const struct action *a, const struct action *b) {
  return a->thread != b->thread;
}

static const struct action *action_at(const struct model_encoding *m, int a) {
  return &m->encoder->universe->actions.data[a];
}

static int both(struct model_encoding *m, struct execution *x, int a, int b) {
  return circuit_and2(m->space.circuit, x->executed[a], x->executed[b]);
}

static const int *static_relation(struct model_encoding *m, struct execution *x,
                                  bool (*test)(const struct action *, const struct action *)) {
  int n = m->space.n, *r = cells_create(&m->space, n * n);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      if (test(action_at(m, a), action_at(m, b)))
        r[a * n + b] = both(m, x, a, b);
  return r;
}

/* Relations between statements, moved to the actions that they perform. */
typedef bool (*stmt_test)(const struct model_encoding *m, int s, int t);

static const struct stmt *stmt_at(const struct model_encoding *m, int s) {
  return &m->encoder->program->stmts.data[s];
}

static bool stmt_po(const struct model_encoding *m, int s, int t) {
  if (stmt_at(m, s)->thread == 0 && !m->model->uses_start_end)
    return false; /* initial writes are unordered unless the model looks at threads' ends */
  return program_order(m->encoder->program, s, t);
}

static bool stmt_access(const struct model_encoding *m, int s, int t) {
  return s == t || (stmt_at(m, s)->access && stmt_at(m, s)->access == stmt_at(m, t)->access);
}

static bool stmt_rmw(const struct model_encoding *m, int s, int t) {
  return stmt_at(m, t)->kind == STMT_WRITE && stmt_at(m, t)->partner == s;
}

/* The halves of an atomic instruction, or of a pair of exclusive instructions. */
static bool stmt_amo(const struct model_encoding *m, int s, int t) {
  return stmt_rmw(m, s, t) && stmt_at(m, s)->instruction == stmt_at(m, t)->instruction;
}

static bool stmt_lxsx(const struct model_encoding *m, int s, int t) {
  return stmt_rmw(m, s, t) && stmt_at(m, s)->instruction != stmt_at(m, t)->instruction;
}

static bool stmt_crit(const struct model_encoding *m, int s, int t) {
  return stmt_at(m, s)->kind == STMT_LOCK && stmt_at(m, s)->partner == t;
}

static bool stmt_instance(const struct model_encoding *m, int s, int t) {
  return stmt_at(m, s)->instruction == stmt_at(m, t)->instruction;
}

static bool stmt_join(const struct model_encoding *m, int s, int t) {
  const struct stmt *end = stmt_at(m, s), *start = stmt_at(m, t);
  if (end->kind != STMT_END || start->kind != STMT_START || end->thread == start->thread)
    return false;
  return program_thread_before(m->encoder->program, end->thread, start->thread);
}

static bool stmt_thread_order(const struct model_encoding *m, int s, int t) {
  return program_thread_before(m->encoder->program, stmt_at(m, s)->thread, stmt_at(m, t)->thread);
}

static const int *stmt_relation(struct model_encoding *m, struct execution *x, stmt_test test) {
  const struct universe *u = m->encoder->universe;
  int n = m->space.n, *r = cells_create(&m->space, n * n);
  for (int i = 0; i < u->performers.length; i++)
    for (int j = 0; j < u->performers.length; j++) {
      int a = u->performers.data[i].action, b = u->performers.data[j].action;
      if (!test(m, u->performers.data[i].stmt, u->performers.data[j].stmt))
        continue;
      int l = circuit_and2(m->space.circuit, x->performs[i], x->performs[j]);
      r[a * n + b] = circuit_or2(m->space.circuit, r[a * n + b], l);
    }
  return r;
}

/* t uses what s gave, where the path makes it so. */
static const int *dependency_relation(struct model_encoding *m, struct execution *x,
                                      enum dependence which) {
  const struct universe *u = m->encoder->universe;
  int n = m->space.n, *r = cells_create(&m->space, n * n);
  for (int i = 0; i < u->performers.length; i++)
    for (int j = 0; j < u->performers.length; j++) {
      int a = u->performers.data[i].action, b = u->performers.data[j].action;
      int when = depend_when(m->encoder->program, which, u->performers.data[i].stmt,
                             u->performers.data[j].stmt);
      if (when < 0)
        continue;
      int lits[] = {x->performs[i], x->performs[j], execution_truth(x, when)};
      r[a * n + b] =
          circuit_or2(m->space.circuit, r[a * n + b], circuit_and(m->space.circuit, lits, 3));
    }
  return r;
}

static const int *location_relation(struct model_encoding *m, struct execution *x) {
  int n = m->space.n, *r = cells_create(&m->space, n * n);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      bool places =
          stmt_at(m, action_at(m, a)->stmt)->address >= 0 || action_at(m, a)->monitor >= 0;
      int same = places ? execution_same_location(x, a, b) : LIT_FALSE;
      if (same != LIT_FALSE)
        r[a * n + b] = circuit_and2(m->space.circuit, same, both(m, x, a, b));
    }
  return r;
}

static const int *line_relation(struct model_encoding *m, struct execution *x) {
  int n = m->space.n, locations = m->encoder->program->locations.length,
      *r = cells_create(&m->space, n * n);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int i = 0; i < locations; i++)
        for (int j = 0; x->at[a * locations + i] != LIT_FALSE && j < locations; j++) {
          const struct location *l = m->encoder->program->locations.data;
          if (l[i].line != l[j].line || x->at[b * locations + j] == LIT_FALSE)
            continue;
          int lits[] = {x->at[a * locations + i], x->at[b * locations + j], both(m, x, a, b)};
          r[a * n + b] =
              circuit_or2(m->space.circuit, r[a * n + b], circuit_and(m->space.circuit, lits, 3));
        }
  return r;
}

static const int *named(struct model_encoding *m, const char *name, struct execution *x) {
  struct cat_value v;
  cat_builtin(m, name, x, &v);
  return v.cells;
}

static const int *from_reads(struct model_encoding *m, struct execution *x) {
  const struct space *s = &m->space;
  int *fr = relation_compose(s, relation_inverse(s, x->rf), named(m, "co", x));
  for (int i = 0; i < s->n; i++)
    fr[i * s->n + i] = LIT_FALSE;
  return fr;
}

/* Writes that memory holds in the end. */
static const int *final_writes(struct model_encoding *m, struct execution *x) {
  int n = m->space.n, *set = cells_create(&m->space, n);
  const int *co = named(m, "co", x);
  for (int a = 0; a < n; a++)
    if (action_at(m, a)->kind == STMT_WRITE)
      set[a] = circuit_and2(m->space.circuit, x->executed[a],
                            -circuit_or(m->space.circuit, co + a * n, n));
  return set;
}

/* The part of co that is known from the start: the initial write first, the final one last. */
static const int *coherence_ends(struct model_encoding *m, struct execution *x) {
  const struct space *s = &m->space;
  const int *w = named(m, "W", x), *iw = named(m, "IW", x), *fw = named(m, "FW", x);
  const int *first = relation_product(s, iw, cells_minus(s, w, iw, s->n));
  const int *last = relation_product(s, cells_minus(s, w, fw, s->n), fw);
  return cells_and(s, named(m, "loc", x), cells_or(s, first, last, s->n * s->n), s->n * s->n);
}

static const int *derived(struct model_encoding *m, const char *name, struct execution *x) {
  static const struct {
    const char *name, *base, *with;
  } table[] = {{"rfe", "rf", "ext"},   {"rfi", "rf", "int"}, {"coe", "co", "ext"},
               {"coi", "co", "int"},   {"fre", "fr", "ext"}, {"fri", "fr", "int"},
               {"po-loc", "po", "loc"}};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name))
      return cells_and(&m->space, named(m, table[i].base, x), named(m, table[i].with, x),
                       m->space.n * m->space.n);
  return NULL;
}

static const int *find_relation(struct model_encoding *m, const char *name, struct execution *x) {
  static const struct {
    const char *name;
    stmt_test test;
  } by_stmt[] = {{"po", stmt_po},     {"rmw", stmt_rmw},
                 {"amo", stmt_amo},   {"lxsx", stmt_lxsx},
                 {"crit", stmt_crit}, {"same-instance", stmt_instance},
                 {"si", stmt_access}, {"sm", stmt_access},
                 {"join", stmt_join}, {"thread-order", stmt_thread_order}};
  for (unsigned i = 0; i < sizeof by_stmt / sizeof *by_stmt; i++)
    if (!strcmp(by_stmt[i].name, name))
      return stmt_relation(m, x, by_stmt[i].test);
  static const struct {
    const char *name;
    enum dependence which;
  } dependences[] = {{"addr", DEPEND_ADDRESS},
                     {"data", DEPEND_VALUE},
                     {"ctrl", DEPEND_GUARD},
                     {"picks", DEPEND_PICK}};
  for (unsigned i = 0; i < sizeof dependences / sizeof *dependences; i++)
    if (!strcmp(dependences[i].name, name))
      return dependency_relation(m, x, dependences[i].which);
  if (!strcmp(name, "rf"))
    return x->rf;
  if (!strcmp(name, "co")) {
    execution_co(x);
    return x->co;
  }
  if (!strcmp(name, "fr"))
    return from_reads(m, x);
  if (!strcmp(name, "ca"))
    return cells_or(&m->space, named(m, "fr", x), named(m, "co", x), m->space.n * m->space.n);
  if (!strcmp(name, "co0"))
    return coherence_ends(m, x);
  if (!strcmp(name, "loc") || !strcmp(name, "same-low-order-bits"))
    return location_relation(m, x);
  if (!strcmp(name, "line"))
    return line_relation(m, x);
  if (!strcmp(name, "id") || !strcmp(name, "aligned"))
    return relation_identity(&m->space, x->executed);
  if (!strcmp(name, "int"))
    return static_relation(m, x, static_int);
  if (!strcmp(name, "ext"))
    return static_relation(m, x, static_ext);
  return derived(m, name, x);
}

static const char *const functions[] = {
#define FUNCTION(name) name,
#include "axiom/function.def"
#undef FUNCTION
    NULL};

/* Built-in names are kept in the execution's scope list once computed. */
static bool cached(struct model_encoding *m, const char *name, struct execution *x,
                   struct cat_value *v) {
  for (struct env *e = m->scopes.data[x->index]; e; e = e->next)
    if (e->name[0] == '#' && !strcmp(e->name + 1, name)) {
      *v = e->value;
      return true;
    }
  return false;
}

/* Whether an action has a tag.  An order that a core does without leaves only the weak tags. */
static int has_tag(struct model_encoding *m, int a, enum tag tag) {
  const struct action *x = action_at(m, a);
  const struct stmt *s = stmt_at(m, x->stmt);
  bool strong = tags_has(&x->tags, tag), weak = tags_has(&s->weak, tag);
  if (s->kind == STMT_FENCE || !s->order_site || strong == weak)
    return strong ? LIT_TRUE : LIT_FALSE;
  int on = encoder_order(m->encoder, x->stmt);
  return strong ? on : -on;
}

/* What makes an instruction more than an ordinary one: without its group in a core it need not be in
 * these sets (or relations), and is in the weaker set instead, if its language has one. */
static const struct strength {
  const char *name, *weaker;
} strengths[] = {{"X", NULL},        {"rmw", NULL},       {"amo", NULL},       {"lxsx", NULL},
                 {"V", NULL},        {"A", NULL},         {"Q", NULL},         {"L", NULL},
                 {"Acq", NULL},      {"Rel", NULL},       {"AcqRel", NULL},    {"Sc", NULL},
                 {"ACQ", "RLX"},     {"CON", "RLX"},      {"REL", "RLX"},      {"ACQ_REL", "RLX"},
                 {"SC", "RLX"},      {"ACQUIRE", "ONCE"}, {"RELEASE", "ONCE"}, {"Acquire", "Once"},
                 {"Release", "Once"}};

enum { STRENGTHS = sizeof strengths / sizeof *strengths };

static bool is_dependency(const char *name) {
  return !strcmp(name, "data") || !strcmp(name, "addr") || !strcmp(name, "ctrl") ||
         !strcmp(name, "picks");
}

/* Takes out what a core may leave out. */
static void leave_out(struct model_encoding *m, const char *name, struct execution *x, int *cells,
                      bool is_set) {
  int n = m->space.n, count = is_set ? n : n * n;
  for (int c = 0; c < count; c++)
    if (cells[c] != LIT_FALSE && !(is_set && stmt_at(m, action_at(m, c)->stmt)->order_site))
      cells[c] = circuit_and2(m->space.circuit, cells[c],
                              is_dependency(name) ? execution_depends(x, name, c / n, c % n)
                                                  : execution_strong(x, is_set ? c : c / n));
}

/* Actions of a stronger set that are not strong are in this one. */
static void take_in(struct model_encoding *m, const char *stronger, struct execution *x,
                    int *cells) {
  struct cat_value v;
  if (!cat_builtin(m, stronger, x, &v))
    return;
  for (int a = 0; a < m->space.n; a++)
    if (v.cells[a] != LIT_FALSE && !stmt_at(m, action_at(m, a)->stmt)->order_site)
      cells[a] =
          circuit_or2(m->space.circuit, cells[a],
                      circuit_and2(m->space.circuit, x->executed[a], -execution_strong(x, a)));
}

static const int *explained(struct model_encoding *m, const char *name, struct execution *x,
                            const int *cells, bool is_set) {
  bool changes = is_dependency(name), weak = false;
  /* orders of C programs are groups of their own: see has_tag */
  bool orders_apart = is_set && m->encoder->program->bitwise && strcmp(name, "X");
  for (int i = 0; m->encoder->explain && !orders_apart && i < STRENGTHS; i++) {
    changes = changes || !strcmp(strengths[i].name, name);
    weak = weak || (strengths[i].weaker && !strcmp(strengths[i].weaker, name));
  }
  if (!m->encoder->explain || (!changes && !weak))
    return cells;
  int count = is_set ? m->space.n : m->space.n * m->space.n, *r = cells_create(&m->space, count);
  memcpy(r, cells, (size_t)count * sizeof *r);
  if (changes)
    leave_out(m, name, x, r, is_set);
  for (int i = 0; weak && i < STRENGTHS; i++)
    if (strengths[i].weaker && !strcmp(strengths[i].weaker, name))
      take_in(m, strengths[i].name, x, r);
  return r;
}

bool model_mentions(const struct model_encoding *m, const char *name) {
  for (int x = 0; x < m->scopes.length; x++)
    for (const struct env *e = m->scopes.data[x]; e; e = e->next)
      if (e->name[0] == '#' && !strcmp(e->name + 1, name))
        return true;
  return false;
}

/* A set by name: one of the table, else a tag; NULL if it is neither. */
static const int *find_set(struct model_encoding *m, const char *name, struct execution *x) {
  if (!strcmp(name, "FW"))
    return final_writes(m, x);
  unsigned known = 0, count = sizeof sets / sizeof *sets;
  while (known < count && strcmp(sets[known].name, name))
    known++;
  enum tag tag = known < count ? TAG_COUNT : tag_find(name);
  if (known == count && tag == TAG_COUNT)
    return NULL;
  int *cells = cells_create(&m->space, m->space.n);
  for (int a = 0; a < m->space.n; a++)
    if (known < count)
      cells[a] = sets[known].test(action_at(m, a)) ? x->executed[a] : LIT_FALSE;
    else
      cells[a] = circuit_and2(m->space.circuit, x->executed[a], has_tag(m, a, tag));
  return cells;
}

bool cat_builtin(struct model_encoding *m, const char *name, struct execution *x,
                 struct cat_value *v) {
  if (cached(m, name, x, v))
    return true;
  enum absent absent = absent_find(m->model, name);
  if (absent == ABSENT_EMPTY_SET || absent == ABSENT_EMPTY_RELATION) {
    bool set = absent == ABSENT_EMPTY_SET;
    *v = (struct cat_value){
        .kind = set ? VALUE_SET : VALUE_RELATION,
        .cells = cells_create(&m->space, set ? m->space.n : m->space.n * m->space.n)};
    return true;
  }
  *v = (struct cat_value){.kind = VALUE_SET, .cells = find_set(m, name, x)};
  for (int i = 0; functions[i]; i++)
    if (!strcmp(functions[i], name)) {
      *v = (struct cat_value){.kind = VALUE_FUNCTION, .builtin = functions[i], .execution = x};
      return true;
    }
  if (!v->cells) {
    const int *cells = find_relation(m, name, x);
    if (!cells)
      return false;
    *v = (struct cat_value){.kind = VALUE_RELATION, .cells = cells};
  }
  v->cells = explained(m, name, x, v->cells, v->kind == VALUE_SET);
  char *key = arena_format(m->space.arena, "#%s", name);
  m->scopes.data[x->index] = env_bind(m, m->scopes.data[x->index], key, *v);
  return true;
}

/* ---- functions ---------------------------------------------------------------------------- */

static const int *members_of(struct model_encoding *m, const struct cat_node *n, struct cat_value i,
                             struct execution *x) {
  const struct program *p = m->encoder->program;
  int locations = p->locations.length, *set = cells_create(&m->space, m->space.n);
  for (int a = 0; a < m->space.n; a++) {
    int in = LIT_FALSE;
    if (i.domain == DOMAIN_THREADS)
      in = action_at(m, a)->thread == i.index ? LIT_TRUE : LIT_FALSE;
    else if (i.domain == DOMAIN_LOCATIONS)
      in = x->at[a * locations + i.index];
    else if (i.domain == DOMAIN_LINES)
      for (int l = 0; l < locations; l++)
        in = p->locations.data[l].line == i.index
                 ? circuit_or2(m->space.circuit, in, x->at[a * locations + l])
                 : in;
    else
      cat_fail(m, n, "of(...) takes a thread, a location or a line");
    set[a] = circuit_and2(m->space.circuit, in, x->executed[a]);
  }
  return set;
}

static int same_value(struct model_encoding *m, struct execution *x, struct execution *y, int a) {
  struct value_map f = x->value[a], g = y->value[a];
  int *same = arena_alloc(m->space.arena, (size_t)f.count * sizeof *same + 1);
  for (int i = 0; i < f.count; i++)
    same[i] = circuit_and2(m->space.circuit, f.literal[i], value_map_at(g, f.value[i]));
  return circuit_or(m->space.circuit, same, f.count);
}

static int same_place(struct model_encoding *m, struct execution *x, struct execution *y, int a) {
  int locations = m->encoder->program->locations.length;
  if (action_at(m, a)->location >= 0 || action_at(m, a)->monitor >= 0)
    return LIT_TRUE;
  int *same = arena_alloc(m->space.arena, (size_t)locations * sizeof *same + 1);
  for (int l = 0; l < locations; l++)
    same[l] = circuit_and2(m->space.circuit, x->at[a * locations + l], y->at[a * locations + l]);
  return circuit_or(m->space.circuit, same, locations);
}

/* Actions on which two executions agree. */
static const int *agreement(struct model_encoding *m, const struct cat_node *n,
                            struct cat_value *args, int count, bool value) {
  if (count != 2 || args[0].kind != VALUE_EXECUTION || args[1].kind != VALUE_EXECUTION)
    cat_fail(m, n, "expected two executions, as in same-value(E, E[i])");
  struct execution *x = args[0].execution, *y = args[1].execution;
  int *set = cells_create(&m->space, m->space.n);
  for (int a = 0; a < m->space.n; a++) {
    enum stmt_kind k = action_at(m, a)->kind;
    if (k != STMT_READ && k != STMT_WRITE && (value || action_at(m, a)->monitor < 0))
      continue;
    int lits[] = {x->executed[a], y->executed[a],
                  value ? same_value(m, x, y, a) : same_place(m, x, y, a)};
    set[a] = circuit_and(m->space.circuit, lits, 3);
  }
  return set;
}

/* The statements with a tag: 'rcu-lock is the set Rcu-lock, 'acq is ACQ. */
static const int *tagged(struct model_encoding *m, const struct cat_node *n, struct cat_value v,
                         struct execution *x) {
  if (v.kind != VALUE_TAG)
    cat_fail(m, n, "expected a tag, as in 'acquire");
  enum tag tag = tag_spelled(v.tag);
  return tag == TAG_COUNT ? cells_create(&m->space, m->space.n) : named(m, tag_name(tag), x);
}

/* Pairs of r whose actions read or write different values. */
static const int *different_values(struct model_encoding *m, const int *r, struct execution *x) {
  int n = m->space.n, *cells = cells_create(&m->space, n * n);
  for (int c = 0; c < n * n; c++) {
    struct value_map f = x->value[c / n], g = x->value[c % n];
    if (r[c] == LIT_FALSE || !is_memory(action_at(m, c / n)) || !is_memory(action_at(m, c % n)))
      continue;
    int *same = arena_alloc(m->space.arena, (size_t)f.count * sizeof *same + 1);
    for (int i = 0; i < f.count; i++)
      same[i] = circuit_and2(m->space.circuit, f.literal[i], value_map_at(g, f.value[i]));
    cells[c] = circuit_and2(m->space.circuit, r[c], -circuit_or(m->space.circuit, same, f.count));
  }
  return cells;
}

/* Functions about descriptors of page tables, which no test has. */
static bool is_about_page_tables(const char *name) {
  return !strcmp(name, "same-oa") || !strcmp(name, "at-least-one-writable") ||
         !strcmp(name, "oa-changes");
}

struct cat_value cat_call_builtin(struct model_encoding *m, const struct cat_node *n,
                                  const char *name, struct cat_value *args, int count,
                                  struct execution *x) {
  const struct space *s = &m->space;
  struct cat_value v;
  if (cat_call_generator(m, n, name, args, count, x, &v))
    return v;
  if (!strcmp(name, "same-value") || !strcmp(name, "same-location"))
    return (struct cat_value){.kind = VALUE_SET,
                              .cells = agreement(m, n, args, count, !strcmp(name, "same-value"))};
  if (is_about_page_tables(name))
    return (struct cat_value){.kind = VALUE_EMPTY};
  if (count != 1)
    cat_fail(m, n, "%s takes one argument, not %d", name, count);
  if (!strcmp(name, "of")) {
    if (args[0].kind != VALUE_INDEX)
      cat_fail(m, n, "of(...) takes a thread, a location or a line");
    return (struct cat_value){.kind = VALUE_SET, .cells = members_of(m, n, args[0], x)};
  }
  if (!strcmp(name, "tag2scope"))
    cat_fail(m, n, "the test has no scopes");
  if (!strncmp(name, "tag2", 4))
    return (struct cat_value){.kind = VALUE_SET, .cells = tagged(m, n, args[0], x)};
  if (!strcmp(name, "toid"))
    return (struct cat_value){.kind = VALUE_RELATION,
                              .cells = relation_identity(s, cat_set(m, n, args[0]))};
  if (!strcmp(name, "fencerel") || !strcmp(name, "fromto")) {
    const int *po = named(m, "po", x), *set = cat_set(m, n, args[0]);
    if (name[1] == 'r')
      set = cells_and(s, set, named(m, "F", x), s->n);
    const int *fence = relation_identity(s, set);
    return (struct cat_value){.kind = VALUE_RELATION,
                              .cells = relation_compose(s, relation_compose(s, po, fence), po)};
  }
  const int *r = cat_relation(m, n, args[0]);
  if (!strcmp(name, "different-values"))
    return (struct cat_value){.kind = VALUE_RELATION, .cells = different_values(m, r, x)};
  if (!strcmp(name, "domain"))
    return (struct cat_value){.kind = VALUE_SET, .cells = relation_domain(s, r)};
  if (!strcmp(name, "range"))
    return (struct cat_value){.kind = VALUE_SET, .cells = relation_range(s, r)};
  if (!strcmp(name, "singlestep"))
    return (struct cat_value){.kind = VALUE_RELATION,
                              .cells = cells_minus(s, r, relation_compose(s, r, r), s->n * s->n)};
  return (struct cat_value){
      .kind = VALUE_SET, .cells = cells_or(s, relation_domain(s, r), relation_range(s, r), s->n)};
}
