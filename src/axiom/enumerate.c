#include "axiom/enumerate.h"
#include "axiom/judge.h"
#include <string.h>

struct search {
  const struct program *p;
  const struct model *model;
  struct enumeration *out;
  struct arena *arena;  /* results */
  struct arena scratch; /* one candidate */
  long candidates_max;
  struct witness w;
  int n;
  int *reads, read_count;
  int *writes, write_count;
  int **sources, *source_count; /* by read: the writes it may see */
  bool *known;                  /* by action: its value is known */
  bool *reached, *guard_known;  /* by action: what its guard says */
  bool refuting;                /* only candidates that answer the condition count */
  enum refutation_opinion opinion;
  long judged;
};

static const struct stmt *stmt_at(const struct search *s, int action) {
  return &s->p->stmts.data[s->w.universe->actions.data[action].stmt];
}

static int action_of(const struct search *s, int stmt) {
  for (int a = 0; a < s->n; a++)
    if (s->w.universe->actions.data[a].stmt == stmt)
      return a;
  return -1;
}

/* ---- what the program does, given who reads from whom ------------------------------------- */

/* False if the value is not known yet.  && and || need only one side if that decides. */
static bool value_of(struct search *s, int e, int64_t *v) {
  const struct expr *x = &s->p->exprs.data[e];
  if (x->kind == EXPR_CONST) {
    *v = x->value;
    return true;
  }
  if (x->kind == EXPR_CHOICE) {
    *v = s->w.executions[0].choice[x->value];
    return true;
  }
  if (x->kind == EXPR_READ) {
    int a = action_of(s, (int)x->value);
    *v = s->w.executions[0].value[a];
    return s->known[a];
  }
  int64_t arg[3] = {0, 0, 0};
  bool have[3] = {true, true, true};
  for (int i = 0; i < expr_arity(x->kind); i++)
    have[i] = value_of(s, x->arg[i], &arg[i]);
  *v = expr_apply(x->kind, arg[0], arg[1], arg[2]);
  if (x->kind == EXPR_LAND && ((have[0] && !arg[0]) || (have[1] && !arg[1]))) {
    *v = 0;
    return true;
  }
  if (x->kind == EXPR_LOR && ((have[0] && arg[0]) || (have[1] && arg[1]))) {
    *v = 1;
    return true;
  }
  if (x->kind == EXPR_ITE && have[0])
    return arg[0] ? have[1] : have[2];
  return have[0] && have[1] && have[2];
}

static bool settle(struct search *s, int a) {
  struct witness_execution *x = &s->w.executions[0];
  const struct stmt *st = stmt_at(s, a);
  int64_t v;
  bool changed = false;
  if (!s->guard_known[a] && value_of(s, st->guard, &v)) {
    s->guard_known[a] = changed = true;
    s->reached[a] = v != 0;
    x->stmt[a] = v ? s->w.universe->actions.data[a].stmt : -1;
    s->known[a] = !v; /* not executed: nobody looks at its value */
  }
  if (s->known[a] || !s->guard_known[a])
    return changed;
  if (st->kind == STMT_WRITE && value_of(s, st->value, &v)) {
    x->value[a] = v;
    s->known[a] = changed = true;
  } else if (st->kind == STMT_READ && s->known[x->source[a]]) {
    x->value[a] = x->value[x->source[a]];
    s->known[a] = changed = true;
  } else if (st->kind != STMT_READ && st->kind != STMT_WRITE) {
    s->known[a] = changed = true;
  }
  return changed;
}

/* Runs the program with the chosen sources; false if it cannot go this way. */
static bool run(struct search *s) {
  struct witness_execution *x = &s->w.executions[0];
  memset(s->known, 0, (size_t)s->n);
  memset(s->guard_known, 0, (size_t)s->n);
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < s->n; a++)
      changed = settle(s, a) || changed;
  }
  for (int a = 0; a < s->n; a++) {
    if (!s->known[a] || !s->guard_known[a]) {
      s->out->circular = true;
      return false;
    }
    int64_t address;
    x->location[a] = -1;
    if (s->reached[a] && stmt_at(s, a)->address >= 0) {
      if (!value_of(s, stmt_at(s, a)->address, &address))
        return false;
      x->location[a] = program_location_at(s->p, address);
      if (x->location[a] < 0)
        return false;
    }
  }
  for (int i = 0; i < s->read_count; i++) {
    int r = s->reads[i], w = x->source[r];
    if (!s->reached[r] ? w != s->writes[0] : !s->reached[w] || x->location[w] != x->location[r])
      return false; /* a read that does not happen is counted with one source only */
  }
  return true;
}

/* ---- coherence ---------------------------------------------------------------------------- */

static bool answers_condition(const struct search *s) {
  return (judge_evaluate(&s->w, s->p->condition) != 0) == (s->p->quantifier != QUANT_FORALL);
}

/* A candidate that answers the condition: does it break a rule? */
static void judge_candidate(struct search *s) {
  s->judged++;
  if (judge_program(&s->w, &s->scratch))
    return; /* no execution of the program */
  bool broken = false;
  if (!judge_rules(s->model, &s->w, &broken, &s->scratch))
    s->opinion = NOT_REFUTED;
  else if (!broken && s->opinion == REFUTED)
    s->opinion = NO_OPINION; /* it could not be judged */
}

static void record(struct search *s) {
  struct witness_execution *x = &s->w.executions[0];
  int *source = arena_alloc(&s->scratch, (size_t)s->n * sizeof *source + 1);
  memcpy(source, x->source, (size_t)s->n * sizeof *source);
  for (int a = 0; a < s->n; a++)
    if (x->stmt[a] < 0)
      x->source[a] = -1;
  if (s->refuting && answers_condition(s))
    judge_candidate(s);
  bool fine = !s->refuting && !judge_program(&s->w, &s->scratch) &&
              !judge_model(s->model, &s->w, &s->scratch);
  if (fine) {
    struct final_state f = {.executions = 1,
                            .satisfies = judge_evaluate(&s->w, s->p->condition) != 0};
    int count = s->p->observed.length;
    f.values = arena_alloc(s->arena, (size_t)count * sizeof *f.values + 1);
    for (int i = 0; i < count; i++)
      f.values[i] = judge_evaluate(&s->w, s->p->observed.data[i].expr);
    s->out->executions++;
    int i = 0;
    while (i < s->out->states.length &&
           memcmp(s->out->states.data[i].values, f.values, (size_t)count * sizeof *f.values))
      i++;
    if (i < s->out->states.length)
      s->out->states.data[i].executions++;
    else
      list_push(s->arena, &s->out->states, f);
  }
  memcpy(x->source, source, (size_t)s->n * sizeof *source);
  arena_release(&s->scratch);
}

/* Puts the writes into coherence order one by one: each executed write in turn goes to every place
 * among the earlier ones of its location.  `rank` holds the current order. */
static void choose_co(struct search *s, int i, int *order, int placed) {
  if (s->out->candidates > s->candidates_max)
    return;
  struct witness_execution *x = &s->w.executions[0];
  while (i < s->write_count && !s->reached[s->writes[i]])
    i++;
  if (i == s->write_count) {
    memset(x->co, 0, (size_t)(s->n * s->n));
    for (int a = 0; a < placed; a++)
      for (int b = a + 1; b < placed; b++)
        x->co[order[a] * s->n + order[b]] = x->location[order[a]] == x->location[order[b]];
    s->out->candidates++;
    record(s);
    return;
  }
  int w = s->writes[i];
  bool initial = stmt_at(s, w)->thread == 0;
  for (int at = placed; at >= 0; at--) {
    if (at <
        placed) { /* moving left past another location's write would give the same order again */
      int other = order[at];
      order[at + 1] = other;
      order[at] = w;
      if (initial || stmt_at(s, other)->thread == 0)
        break;
      if (x->location[other] != x->location[w])
        continue;
    } else {
      order[placed] = w;
    }
    int saved[64];
    memcpy(saved, order, sizeof(int) * (size_t)(placed + 1));
    choose_co(s, i + 1, order, placed + 1);
    memcpy(order, saved, sizeof(int) * (size_t)(placed + 1));
  }
}

/* ---- sources ------------------------------------------------------------------------------ */

static void choose_rf(struct search *s, int i) {
  if (s->out->candidates > s->candidates_max)
    return;
  if (i == s->read_count) {
    int order[64];
    s->out->candidates++;
    if (run(s))
      choose_co(s, 0, order, 0);
    return;
  }
  int r = s->reads[i];
  for (int w = 0; w < s->source_count[i]; w++) {
    s->w.executions[0].source[r] = s->sources[i][w];
    choose_rf(s, i + 1);
  }
}

/* All combinations of what nobody decides. */
static void choose_choices(struct search *s, int i) {
  if (i == s->p->choices) {
    choose_rf(s, 0);
    return;
  }
  for (int v = 0; v < 2; v++) {
    s->w.executions[0].choice[i] = (unsigned char)v;
    choose_choices(s, i + 1);
  }
}

/* "1:rax=2" as a conjunct, where rax is what the read gives: it sees no write of another value. */
static bool ruled_out(const struct search *s, int read, int write) {
  int64_t written, wanted;
  bool exists = s->refuting && s->p->quantifier != QUANT_FORALL;
  if (!exists || !expr_is_const(s->p, stmt_at(s, write)->value, &written))
    return false;
  for (int i = 0; i < s->p->parts.length; i++) {
    const struct expr *e = &s->p->exprs.data[s->p->parts.data[i].expr];
    if (e->kind != EXPR_EQ || !expr_is_const(s->p, e->arg[1], &wanted) || wanted == written)
      continue;
    const struct expr *left = &s->p->exprs.data[e->arg[0]];
    if (left->kind == EXPR_READ && left->value == s->w.universe->actions.data[read].stmt)
      return true;
  }
  return false;
}

static void find_sources(struct search *s) {
  const struct universe *u = s->w.universe;
  s->sources = arena_alloc(s->arena, (size_t)s->read_count * sizeof *s->sources + 1);
  s->source_count = arena_alloc(s->arena, (size_t)s->read_count * sizeof *s->source_count + 1);
  for (int i = 0; i < s->read_count; i++) {
    int r = s->reads[i];
    s->sources[i] = arena_alloc(s->arena, (size_t)s->write_count * sizeof **s->sources + 1);
    bool optional = !expr_is_const(s->p, stmt_at(s, r)->guard, NULL);
    for (int w = 0; w < s->write_count; w++) {
      bool possible = stmts_may_alias(s->p, u->domains, u->actions.data[r].stmt,
                                      u->actions.data[s->writes[w]].stmt);
      if (w == 0 && optional) /* writes[0] also stands for "not executed" */
        possible = true;
      else if (possible && !optional)
        possible = !ruled_out(s, r, s->writes[w]);
      if (possible)
        s->sources[i][s->source_count[i]++] = s->writes[w];
    }
  }
}

static void prepare(struct search *s, const struct universe *u) {
  struct arena *a = s->arena;
  size_t n = (size_t)u->actions.length;
  s->n = u->actions.length;
  s->w = (struct witness){.universe = u, .executions = arena_alloc(a, sizeof *s->w.executions)};
  struct witness_execution *x = &s->w.executions[0];
  x->stmt = arena_alloc(a, n * sizeof(int) + 1);
  x->location = arena_alloc(a, n * sizeof(int) + 1);
  x->source = arena_alloc(a, n * sizeof(int) + 1);
  x->value = arena_alloc(a, n * sizeof(int64_t) + 1);
  x->co = arena_alloc(a, n * n + 1);
  x->choice = arena_alloc(a, (size_t)s->p->choices + 1);
  s->reads = arena_alloc(a, n * sizeof(int) + 1);
  s->writes = arena_alloc(a, n * sizeof(int) + 1);
  s->known = arena_alloc(a, n + 1);
  s->reached = arena_alloc(a, n + 1);
  s->guard_known = arena_alloc(a, n + 1);
  for (int i = 0; i < s->n; i++) {
    x->source[i] = -1;
    if (u->actions.data[i].kind == STMT_READ)
      s->reads[s->read_count++] = i;
    if (u->actions.data[i].kind == STMT_WRITE)
      s->writes[s->write_count++] = i;
  }
  find_sources(s);
}

/* An upper bound on the number of candidates: sources of the reads, orders of the writes. */
static double candidate_bound(const struct search *s) {
  double bound = 1;
  const struct universe *u = s->w.universe;
  for (int i = 0; i < s->p->choices; i++)
    bound *= 2;
  for (int i = 0; i < s->read_count; i++)
    bound *= s->source_count[i];
  for (int w = 0; w < s->write_count; w++) {
    int before = 0;
    for (int v = 0; v < w; v++)
      before += stmt_at(s, s->writes[v])->thread && stmt_at(s, s->writes[w])->thread &&
                stmts_may_alias(s->p, u->domains, u->actions.data[s->writes[v]].stmt,
                                u->actions.data[s->writes[w]].stmt);
    bound *= before + 1;
  }
  return bound;
}

enum refutation_opinion enumerate_refutes(const struct universe *u, const struct model *m,
                                          long candidates_max, long *candidates) {
  const struct program *p = u->program;
  *candidates = 0;
  if (p->monitors.length || m->many_executions || m->uses_start_end)
    return NO_OPINION;
  for (int e = 0; e < p->exprs.length; e++)
    if (p->exprs.data[e].kind == EXPR_NVM)
      return NO_OPINION;
  struct arena arena = {0};
  struct enumeration found = {0};
  struct search s = {.p = p,
                     .model = m,
                     .out = &found,
                     .arena = &arena,
                     .candidates_max = 2 * candidates_max, /* sources and orders count apart */
                     .refuting = true,
                     .opinion = REFUTED};
  prepare(&s, u);
  if (s.write_count > 60 || candidate_bound(&s) > (double)candidates_max)
    s.opinion = NO_OPINION;
  else
    choose_choices(&s, 0);
  *candidates = s.judged;
  arena_release(&s.scratch);
  arena_release(&arena);
  return s.opinion;
}

bool enumerate_run(const struct program *p, const struct model *m, long candidates_max,
                   struct arena *a, struct enumeration *e, struct diag *d) {
  memset(e, 0, sizeof *e);
  struct place where = {p->file, 0, 0};
  if (p->monitors.length || m->many_executions) {
    diag_set(d, where, "only tests without locks and models of one execution can be enumerated");
    return false;
  }
  const struct domains *domains = domains_compute(p, a, d);
  if (!domains)
    return false;
  struct search s = {.p = p, .model = m, .out = e, .arena = a, .candidates_max = candidates_max};
  prepare(&s, universe_create(p, domains, a, false, false));
  if (s.write_count > 60) {
    diag_set(d, where, "more than 60 writes");
    return false;
  }
  choose_choices(&s, 0);
  e->complete = e->candidates <= candidates_max;
  return true;
}

static bool contains(const struct program *p, const struct final_state *list, int n,
                     const struct final_state *x) {
  size_t bytes = (size_t)p->observed.length * sizeof *x->values;
  for (int i = 0; i < n; i++)
    if (!memcmp(list[i].values, x->values, bytes) && list[i].satisfies == x->satisfies)
      return true;
  return false;
}

bool states_equal(const struct program *p, const struct final_state *a, int na,
                  const struct final_state *b, int nb, const struct final_state **missing) {
  for (int i = 0; i < na; i++)
    if (!contains(p, b, nb, &a[i])) {
      *missing = &a[i];
      return false;
    }
  for (int i = 0; i < nb; i++)
    if (!contains(p, a, na, &b[i])) {
      *missing = &b[i];
      return false;
    }
  return true;
}
