/* Executions of a bitwise program, one by one: see enumerate.h.
 *
 * State is who reads from whom so far.  From that, the values of all expressions are computed as far
 * as they follow; a read that certainly happens at a known place and has no source yet is given each
 * write that may be its source, in turn. */
#include "axiom/enumerate.h"
#include "axiom/judge.h"
#include <string.h>

enum knowledge {
  UNKNOWN,      /* depends on reads without a source, or on itself */
  UNDETERMINED, /* depends on an input that has not been chosen */
  KNOWN
};

struct words {
  const struct program *p;
  const struct universe *u;
  const struct model *model;
  struct arena arena, scratch; /* scratch: one candidate */
  struct witness w;
  int n, wrong;
  bool has_flags, has_frees; /* candidates may go wrong whatever their values are */
  int *action_of;            /* by statement, -1 = none */
  int64_t *value;            /* by expression */
  unsigned char *knowledge;  /* by expression */
  signed char *chosen;       /* by input of one bit: -1 = not yet */
  long judged, judged_max;
  double work, work_max; /* about so many operations */
  enum refutation_opinion opinion;
};

static const struct stmt *stmt_at(const struct words *s, int action) {
  return &s->p->stmts.data[s->u->actions.data[action].stmt];
}

static bool is_known(const struct words *s, int e) {
  return s->knowledge[e] == KNOWN;
}

/* ---- what follows ---------------------------------------------------------------------------- */

enum happens { PERHAPS, NEVER, CERTAINLY };

/* An access outside of everything does not happen: the program is wrong there. */
static enum happens happens(const struct words *s, int action, int *location) {
  const struct stmt *st = stmt_at(s, action);
  *location = -1;
  if (!is_known(s, st->guard))
    return PERHAPS;
  if (!s->value[st->guard])
    return NEVER;
  if (st->address < 0)
    return CERTAINLY;
  if (!is_known(s, st->address))
    return PERHAPS;
  *location = program_location_at(s->p, s->value[st->address]);
  return *location < 0 ? NEVER : CERTAINLY;
}

static enum knowledge know_read(struct words *s, int stmt, int64_t *v) {
  int a = s->action_of[stmt], location;
  enum happens h = happens(s, a, &location);
  int from = s->w.executions[0].source[a];
  *v = 0;
  if (h == NEVER)
    return KNOWN; /* and zero */
  if (h == PERHAPS || from < 0)
    return UNKNOWN;
  int e = stmt_at(s, from)->value;
  *v = s->value[e];
  return s->knowledge[e];
}

static enum knowledge know_input(struct words *s, int input, int64_t *v) {
  *v = s->chosen[input];
  return s->chosen[input] < 0 ? UNDETERMINED : KNOWN;
}

static enum knowledge know_operator(const struct words *s, const struct expr *x, int64_t *v) {
  int64_t arg[3] = {0, 0, 0};
  enum knowledge k[3] = {KNOWN, KNOWN, KNOWN}, all = KNOWN;
  for (int i = 0; i < expr_arity(x->kind); i++) {
    arg[i] = s->value[x->arg[i]];
    k[i] = s->knowledge[x->arg[i]];
    all = k[i] < all ? k[i] : all;
  }
  if (x->kind == EXPR_ITE && k[0] == KNOWN) {
    *v = arg[0] ? arg[1] : arg[2];
    return arg[0] ? k[1] : k[2];
  }
  *v = expr_apply(x->kind, arg[0], arg[1], arg[2]);
  for (int i = 0; i < 2; i++) { /* one side may decide */
    bool decides = (x->kind == EXPR_LAND && !arg[i]) || (x->kind == EXPR_LOR && arg[i]);
    if (k[i] == KNOWN && decides) {
      *v = x->kind == EXPR_LOR;
      return KNOWN;
    }
  }
  return all;
}

static bool learn(struct words *s, int e) {
  const struct expr *x = &s->p->exprs.data[e];
  int64_t v = x->value;
  enum knowledge k = KNOWN;
  if (is_known(s, e))
    return false;
  if (x->kind == EXPR_READ)
    k = know_read(s, (int)x->value, &v);
  else if (x->kind == EXPR_INPUT)
    k = know_input(s, (int)x->value, &v);
  else if (x->kind != EXPR_CONST)
    k = know_operator(s, x, &v);
  bool news = k != s->knowledge[e];
  s->value[e] = v;
  s->knowledge[e] = (unsigned char)k;
  return news;
}

static void learn_all(struct words *s) {
  memset(s->knowledge, UNKNOWN, (size_t)s->p->exprs.length);
  for (bool changed = true; changed;) {
    changed = false;
    s->work += s->p->exprs.length;
    for (int e = 0; e < s->p->exprs.length; e++)
      changed = learn(s, e) || changed;
  }
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void judge_one(struct words *s) {
  bool broken = false, raised = false;
  s->judged++;
  s->work += (double)s->n * s->n * s->n; /* closures */
  if (!judge_program(&s->w, &s->scratch)) {
    bool wrong = s->value[s->wrong] != 0 || witness_use_after_free(&s->w) >= 0;
    const char *bad = judge_rules_and_flags(s->model, &s->w, &broken, &raised, &s->scratch);
    if (!bad && (wrong || raised))
      s->opinion = NOT_REFUTED;
    else if (bad && !broken && s->opinion == REFUTED)
      s->opinion = NO_OPINION;
  }
  arena_release(&s->scratch);
}

/* Every order of the writes of each location, initial writes first: the next write goes to every
 * place among those before it. */
static void choose_co(struct words *s, int next, int *order, int placed) {
  struct witness_execution *x = &s->w.executions[0];
  while (next < s->n && (s->u->actions.data[next].kind != STMT_WRITE || x->stmt[next] < 0))
    next++;
  if (s->judged >= s->judged_max || s->work > s->work_max || s->opinion != REFUTED) {
    s->opinion = s->opinion == REFUTED ? NO_OPINION : s->opinion;
  } else if (next == s->n) {
    memset(x->co, 0, (size_t)(s->n * s->n));
    for (int a = 0; a < placed; a++)
      for (int b = a + 1; b < placed; b++)
        x->co[order[a] * s->n + order[b]] = x->location[order[a]] == x->location[order[b]];
    judge_one(s);
  } else {
    int *mine = arena_alloc(&s->arena, (size_t)(s->n + 1) * sizeof *mine);
    for (int at = placed; at >= 0; at--) {
      memcpy(mine, order, (size_t)at * sizeof *mine);
      memcpy(mine + at + 1, order + at, (size_t)(placed - at) * sizeof *mine);
      mine[at] = next;
      choose_co(s, next + 1, mine, placed + 1);
      /* further to the left only past a write of the same location, and no initial one */
      while (at > 0 && x->location[order[at - 1]] != x->location[next])
        at--;
      if (at > 0 && stmt_at(s, order[at - 1])->thread == 0)
        break;
    }
  }
}

/* Contents that nothing determines do not matter if nobody looks at them. */
static bool is_looked_at(const struct words *s, int write) {
  for (int a = 0; a < s->n; a++)
    if (s->w.executions[0].source[a] == write)
      return true;
  return false;
}

/* All reads have sources: is it an execution?  Then what happens is known. */
static bool settle(struct words *s) {
  struct witness_execution *x = &s->w.executions[0];
  for (int a = 0; a < s->n; a++) {
    enum happens h = happens(s, a, &x->location[a]);
    const struct stmt *st = stmt_at(s, a);
    int e = st->kind == STMT_WRITE ? st->value : EXPR_ONE;
    bool open = h == CERTAINLY && !is_known(s, e);
    if (h == PERHAPS || (open && (s->knowledge[e] == UNKNOWN || is_looked_at(s, a))))
      return false;
    x->stmt[a] = h == CERTAINLY ? s->u->actions.data[a].stmt : -1;
    x->location[a] = h == CERTAINLY ? x->location[a] : -1;
    x->value[a] = open ? 0 : s->value[e];
  }
  for (int a = 0; a < s->n; a++) {
    if (s->u->actions.data[a].kind != STMT_READ || x->stmt[a] < 0)
      continue;
    if (x->stmt[x->source[a]] < 0 || x->location[x->source[a]] != x->location[a])
      return false;
    x->value[a] = x->value[x->source[a]];
  }
  return is_known(s, s->wrong);
}

static bool is_undetermined(const struct words *s) {
  bool some = s->knowledge[s->wrong] == UNDETERMINED;
  for (int a = 0; a < s->n && !some; a++) {
    const struct stmt *st = stmt_at(s, a);
    int what[] = {st->guard, st->address, st->value};
    for (int i = 0; i < 3; i++)
      some = some || (what[i] >= 0 && s->knowledge[what[i]] == UNDETERMINED);
  }
  return some;
}

static void explore(struct words *s);

/* An input of one bit is both; others cannot be tried out. */
static void choose_input(struct words *s) {
  for (int i = 0; i < s->p->inputs.length; i++) {
    if (s->p->inputs.data[i].bits != 1 || s->chosen[i] >= 0)
      continue;
    for (int v = 0; v < 2; v++) {
      s->chosen[i] = (signed char)v;
      s->w.inputs[i] = v;
      explore(s);
    }
    s->chosen[i] = -1;
    return;
  }
  s->opinion = s->opinion == REFUTED ? NO_OPINION : s->opinion;
}

static void finish(struct words *s) {
  if (!settle(s)) { /* otherwise values that only they themselves explain */
    if (is_undetermined(s))
      choose_input(s);
    return;
  }
  struct witness_execution *x = &s->w.executions[0];
  int *order = arena_alloc(&s->arena, (size_t)(s->n + 1) * sizeof *order);
  int *source = arena_alloc(&s->arena, (size_t)(s->n + 1) * sizeof *source);
  memcpy(source, x->source, (size_t)s->n * sizeof *source);
  if (s->value[s->wrong] || s->has_flags || s->has_frees)
    choose_co(s, 0, order, 0);
  memcpy(x->source, source, (size_t)s->n * sizeof *source);
}

static int next_read(const struct words *s, int *location) {
  for (int a = 0; a < s->n; a++)
    if (s->u->actions.data[a].kind == STMT_READ && s->w.executions[0].source[a] < 0 &&
        happens(s, a, location) == CERTAINLY)
      return a;
  return -1;
}

static void explore(struct words *s) {
  int location, r;
  if (s->opinion != REFUTED)
    return;
  if (s->work > s->work_max) {
    s->opinion = NO_OPINION;
    return;
  }
  learn_all(s);
  if ((r = next_read(s, &location)) < 0) {
    finish(s);
    return;
  }
  for (int w = 0; w < s->n; w++) {
    int there;
    if (s->u->actions.data[w].kind != STMT_WRITE ||
        !stmt_may_access(s->p, s->u->domains, s->u->actions.data[w].stmt, location))
      continue;
    enum happens h = happens(s, w, &there);
    if (h == NEVER || (h == CERTAINLY && there != location))
      continue;
    s->w.executions[0].source[r] = w;
    explore(s);
    s->w.executions[0].source[r] = -1;
    learn_all(s);
  }
}

/* ---- the whole search ------------------------------------------------------------------------ */

static bool items_have_flags(const struct cat_item *items, int count) {
  for (int i = 0; i < count; i++) {
    if (items[i].kind == ITEM_FLAG || items_have_flags(items[i].items, items[i].item_count))
      return true;
    for (int c = 0; c < items[i].clauses.length; c++)
      if (items_have_flags(items[i].clauses.data[c].items, items[i].clauses.data[c].item_count))
        return true;
  }
  return false;
}

static void prepare(struct words *s) {
  struct arena *a = &s->arena;
  size_t n = (size_t)s->n + 1, inputs = (size_t)s->p->inputs.length + 1;
  s->w = (struct witness){.universe = s->u, .executions = arena_alloc(a, sizeof *s->w.executions)};
  struct witness_execution *x = &s->w.executions[0];
  x->stmt = arena_alloc(a, n * sizeof *x->stmt);
  x->location = arena_alloc(a, n * sizeof *x->location);
  x->source = arena_alloc(a, n * sizeof *x->source);
  x->value = arena_alloc(a, n * sizeof *x->value);
  x->co = arena_alloc(a, n * n);
  x->choice = arena_alloc(a, 1);
  s->w.inputs = arena_alloc(a, inputs * sizeof *s->w.inputs);
  s->chosen = arena_alloc(a, inputs);
  memset(s->chosen, -1, inputs);
  s->value = arena_alloc(a, (size_t)s->p->exprs.length * sizeof *s->value + 1);
  s->knowledge = arena_alloc(a, (size_t)s->p->exprs.length + 1);
  s->action_of = arena_alloc(a, (size_t)s->p->stmts.length * sizeof *s->action_of + 1);
  for (int i = 0; i < s->n; i++) {
    x->source[i] = -1;
    s->action_of[s->u->actions.data[i].stmt] = i;
  }
  for (int i = 0; i < s->p->stmts.length; i++)
    s->has_frees = s->has_frees || s->p->stmts.data[i].frees;
  s->has_flags = items_have_flags(s->model->items, s->model->item_count);
}

enum refutation_opinion enumerate_words(const struct universe *u, const struct model *m, int wrong,
                                        long candidates_max, long *candidates) {
  enum { WORK_EACH = 10 * 1000 }; /* in large programs few candidates are a lot */
  struct words s = {.p = u->program,
                    .u = u,
                    .model = m,
                    .n = u->actions.length,
                    .wrong = wrong,
                    .judged_max = candidates_max,
                    .work_max = (double)candidates_max * WORK_EACH,
                    .opinion = REFUTED};
  *candidates = 0;
  if (m->many_executions)
    return NO_OPINION;
  prepare(&s);
  explore(&s);
  *candidates = s.judged;
  arena_release(&s.scratch);
  arena_release(&s.arena);
  return s.opinion;
}
