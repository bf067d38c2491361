#include "axiom/judge.h"
#include <string.h>

struct world {
  const struct witness *w;
  const struct witness_execution *x;
  const unsigned char *persisted;
  int64_t *known; /* bitwise programs, whose expressions share much: values by expression */
  bool *have;
};

static const struct program *program_of(const struct witness *w) {
  return w->universe->program;
}

static int action_of(const struct world *v, int stmt) {
  for (int a = 0; a < v->w->universe->actions.length; a++)
    if (v->x->stmt[a] == stmt)
      return a;
  return -1;
}

/* The last write of a location in coherence order, among `members` if given. */
static int64_t memory(const struct world *v, int location, const unsigned char *members) {
  int n = v->w->universe->actions.length, last = -1;
  for (int a = 0; a < n; a++) {
    if (v->x->stmt[a] < 0 || v->w->universe->actions.data[a].kind != STMT_WRITE ||
        v->x->location[a] != location || (members && !members[a]))
      continue;
    if (last < 0 || (v->x->co && v->x->co[last * n + a]))
      last = a;
  }
  return last < 0 ? 0 : v->x->value[last];
}

static int64_t eval(const struct world *v, int e);

/* Arguments come before their users: one pass over the expressions. */
static void know_all(struct world *v, struct arena *a) {
  const struct program *p = program_of(v->w);
  v->known = arena_alloc(a, (size_t)p->exprs.length * sizeof *v->known + 1);
  v->have = arena_alloc(a, (size_t)p->exprs.length * sizeof *v->have + 1);
  for (int e = 0; e < p->exprs.length; e++) {
    v->known[e] = eval(v, e);
    v->have[e] = true;
  }
}

static int64_t eval(const struct world *v, int e) {
  if (v->have && v->have[e])
    return v->known[e];
  const struct expr *x = &program_of(v->w)->exprs.data[e];
  switch (x->kind) {
  case EXPR_CONST:
    return x->value;
  case EXPR_READ: {
    int a = action_of(v, (int)x->value);
    return a < 0 ? 0 : v->x->value[a];
  }
  case EXPR_CHOICE:
    return v->x->choice[x->value];
  case EXPR_FINAL:
    return memory(v, (int)x->value, NULL);
  case EXPR_NVM:
    return memory(v, (int)x->value, v->persisted);
  case EXPR_INPUT:
    return v->w->inputs[x->value];
  case EXPR_ITE:
    return eval(v, x->arg[0]) ? eval(v, x->arg[1]) : eval(v, x->arg[2]);
  case EXPR_LAND:
    return eval(v, x->arg[0]) && eval(v, x->arg[1]);
  case EXPR_LOR:
    return eval(v, x->arg[0]) || eval(v, x->arg[1]);
  default: {
    int64_t arg[3] = {0, 0, 0};
    for (int i = 0; i < expr_arity(x->kind); i++)
      arg[i] = eval(v, x->arg[i]);
    return expr_apply(x->kind, arg[0], arg[1], arg[2]);
  }
  }
}

static const unsigned char *persisted_of(const struct witness *w) {
  for (int i = 0; i < w->relations.length; i++)
    if (!strcmp(w->relations.data[i].name, "persisted"))
      return w->relations.data[i].bits;
  return NULL;
}

int64_t judge_evaluate(const struct witness *w, int expr) {
  struct world v = {.w = w, .x = &w->executions[0], .persisted = persisted_of(w)};
  if (!program_of(w)->bitwise)
    return eval(&v, expr);
  struct arena a = {0};
  know_all(&v, &a);
  int64_t value = eval(&v, expr);
  arena_release(&a);
  return value;
}

static bool has_action(const struct witness *w, const struct stmt *s) {
  if (s->kind != STMT_START && s->kind != STMT_END)
    return true;
  for (int a = 0; a < w->universe->actions.length; a++)
    if (w->universe->actions.data[a].kind == s->kind)
      return true;
  return false;
}

/* Whether an access is to a place of which it is known: all others are violations, and no events. */
static bool is_somewhere(const struct world *v, const struct stmt *s) {
  int64_t address = eval(v, s->address);
  struct values known = v->w->universe->domains->expr[s->address];
  return program_location_at(program_of(v->w), address) >= 0 &&
         (known.count < 0 || values_contain(known, address));
}

static const char *judge_statement(const struct world *v, int i, struct arena *arena) {
  const struct program *p = program_of(v->w);
  const struct stmt *s = &p->stmts.data[i];
  if (!has_action(v->w, s))
    return NULL;
  int a = action_of(v, i), times = 0;
  for (int b = 0; b < v->w->universe->actions.length; b++)
    times += v->x->stmt[b] == i;
  bool runs = eval(v, s->guard) != 0;
  if (p->bitwise && s->address >= 0 && !is_somewhere(v, s))
    runs = false;
  if (times != runs)
    return arena_format(arena, "line %d: '%s' is performed %d times, but its guard is %d",
                        s->place.line, s->text, times, runs);
  if (!runs)
    return NULL;
  if (v->w->universe->actions.data[a].kind != s->kind ||
      v->w->universe->actions.data[a].thread != s->thread)
    return arena_format(arena, "line %d: '%s' is performed as another kind of action",
                        s->place.line, s->text);
  if (s->address >= 0 && program_location_at(p, eval(v, s->address)) != v->x->location[a])
    return arena_format(arena, "line %d: '%s' accesses another location", s->place.line, s->text);
  if (s->kind == STMT_WRITE && eval(v, s->value) != v->x->value[a])
    return arena_format(arena, "line %d: '%s' writes another value", s->place.line, s->text);
  return NULL;
}

static const char *judge_reads(const struct world *v, struct arena *arena) {
  const struct universe *u = v->w->universe;
  for (int r = 0; r < u->actions.length; r++) {
    if (v->x->stmt[r] < 0 || u->actions.data[r].kind != STMT_READ)
      continue;
    int w = v->x->source[r];
    if (w < 0 || v->x->stmt[w] < 0 || u->actions.data[w].kind != STMT_WRITE ||
        v->x->location[w] != v->x->location[r] || v->x->value[w] != v->x->value[r])
      return arena_format(arena, "%s does not see a write of that value and location",
                          u->actions.data[r].name);
  }
  return NULL;
}

/* co: total on the writes of each location, initial write first, no cycle. */
static const char *judge_co(const struct world *v, struct arena *arena) {
  const struct universe *u = v->w->universe;
  int n = u->actions.length;
  const unsigned char *co = v->x->co;
  for (int a = 0; co && a < n; a++)
    for (int b = 0; b < n; b++) {
      bool writes =
          v->x->stmt[a] >= 0 && v->x->stmt[b] >= 0 && u->actions.data[a].kind == STMT_WRITE &&
          u->actions.data[b].kind == STMT_WRITE && v->x->location[a] == v->x->location[b] && a != b;
      if (writes != (co[a * n + b] || co[b * n + a]) || (co[a * n + b] && co[b * n + a]))
        return arena_format(arena, "co is not total between %s and %s", u->actions.data[a].name,
                            u->actions.data[b].name);
      if (co[a * n + b] && u->actions.data[b].thread == 0)
        return arena_format(arena, "co puts %s before an initial write", u->actions.data[a].name);
      for (int c = 0; c < n; c++)
        if (co[a * n + b] && co[b * n + c] && !co[a * n + c])
          return arena_format(arena, "co is not transitive at %s", u->actions.data[b].name);
    }
  return NULL;
}

const char *judge_program(const struct witness *w, struct arena *a) {
  for (int x = 0; x <= w->k; x++) {
    struct world v = {.w = w, .x = &w->executions[x]};
    const char *wrong = NULL;
    if (program_of(w)->bitwise)
      know_all(&v, a);
    for (int s = 0; !wrong && s < program_of(w)->stmts.length; s++)
      wrong = judge_statement(&v, s, a);
    if (!wrong)
      wrong = judge_reads(&v, a);
    if (!wrong)
      wrong = judge_co(&v, a);
    if (wrong)
      return w->k ? arena_format(a, "E%d: %s", x, wrong) : wrong;
  }
  const struct program *p = program_of(w);
  for (int i = 0; i < p->assumes.length; i++)
    if (!judge_evaluate(w, p->assumes.data[i]))
      return "an assumption of the test does not hold";
  return NULL;
}
