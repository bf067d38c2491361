/* The frame of one execution: which statements run, what they access, which write each read sees. */
#include "axiom/encode.h"
#include "base/check.h"
#include <string.h>

static const struct stmt *stmt_at(const struct encoder *e, int s) {
  return &e->program->stmts.data[s];
}

static const struct action *action_at(const struct encoder *e, int a) {
  return &e->universe->actions.data[a];
}

static bool may_alias(const struct encoder *e, int a, int b) {
  int la = action_at(e, a)->location, lb = action_at(e, b)->location;
  if (la >= 0 && lb >= 0)
    return la == lb;
  const struct universe *u = e->universe;
  for (int i = 0; i < u->performers.length; i++)
    for (int j = 0; u->performers.data[i].action == a && j < u->performers.length; j++)
      if (u->performers.data[j].action == b &&
          stmts_may_alias(e->program, e->domains, u->performers.data[i].stmt,
                          u->performers.data[j].stmt))
        return true;
  return false;
}

static void at_most_one(struct encoder *e, const int *l, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (l[i] != LIT_FALSE && l[j] != LIT_FALSE)
        encoder_clause(e, (int[]){-l[i], -l[j]}, 2, -1);
}

/* ---- which write each read sees ------------------------------------------------------------ */

/* What is known of the statements of two actions.  A core may have to do without the rules that it follows from. */
static bool is_known(const struct encoder *e, const unsigned char *pairs, int a, int b) {
  return pairs && !e->explain &&
         pairs[(size_t)action_at(e, a)->stmt * (size_t)e->program->stmts.length +
               (size_t)action_at(e, b)->stmt];
}

static void create_rf(struct execution *x) {
  struct encoder *e = x->encoder;
  int n = e->universe->actions.length;
  for (int r = 0; r < n; r++)
    for (int w = 0; w < n; w++)
      if (action_at(e, r)->kind == STMT_READ && action_at(e, w)->kind == STMT_WRITE &&
          action_at(e, r)->is_volatile == action_at(e, w)->is_volatile && may_alias(e, r, w) &&
          !is_known(e, e->program->unseen, w, r))
        x->rf[w * n + r] = encoder_input(e, INPUT_RF, x->index, w, r, NULL);
}

/* The value that every performer of a write writes, if that is one constant. */
static bool constant_value(const struct encoder *e, int w, int64_t *value) {
  bool first = true;
  const struct universe *u = e->universe;
  for (int i = 0; i < u->performers.length; i++) {
    if (u->performers.data[i].action != w)
      continue;
    int64_t v;
    if (!expr_is_const(e->program, stmt_at(e, u->performers.data[i].stmt)->value, &v) ||
        (!first && v != *value))
      return false;
    *value = v;
    first = false;
  }
  return !first && !e->explain;
}

static struct value_map map_create(struct encoder *e, int count) {
  int64_t *v = arena_alloc(e->arena, (size_t)count * sizeof *v + 1);
  int *l = arena_alloc(e->arena, (size_t)count * sizeof *l + 1);
  return (struct value_map){v, l, count};
}

static void map_set(struct value_map m, int i, int64_t value, int literal) {
  ((int64_t *)m.value)[i] = value;
  ((int *)m.literal)[i] = literal;
}

/* Possible values of a read action. */
static struct values read_values(const struct encoder *e, int a) {
  if (e->explain)
    return encoder_values(e, action_at(e, a)->stmt);
  if (action_at(e, a)->location < 0)
    return e->domains->all;
  return e->domains->read[action_at(e, a)->stmt];
}

/* If all writes it may see write constants, a read's value is a disjunction over rf; otherwise it
 * is a variable of its own, linked to rf later (values may depend on each other in a circle). */
static bool direct_value(struct execution *x, int r) {
  struct encoder *e = x->encoder;
  int n = e->universe->actions.length;
  struct values dom = read_values(e, r);
  struct value_map m = map_create(e, dom.count);
  int *sees = arena_alloc(e->arena, (size_t)n * sizeof *sees);
  for (int i = 0; i < dom.count; i++) {
    int k = 0;
    for (int w = 0; w < n; w++) {
      int64_t v = 0;
      if (x->rf[w * n + r] == LIT_FALSE)
        continue;
      if (!constant_value(e, w, &v))
        return false;
      if (v == dom.data[i])
        sees[k++] = x->rf[w * n + r];
    }
    map_set(m, i, dom.data[i], circuit_or(e->circuit, sees, k));
  }
  x->value[r] = m;
  return true;
}

static void create_read_values(struct execution *x) {
  struct encoder *e = x->encoder;
  int n = e->universe->actions.length;
  for (int r = 0; r < n; r++) {
    if (action_at(e, r)->kind != STMT_READ || direct_value(x, r))
      continue;
    struct values dom = read_values(e, r);
    struct value_map m = map_create(e, dom.count);
    for (int i = 0; i < dom.count; i++)
      map_set(m, i, dom.data[i], encoder_input(e, INPUT_READ_VALUE, x->index, r, i, NULL));
    x->value[r] = m;
  }
}

/* ---- who performs what --------------------------------------------------------------------- */

static void create_performs(struct execution *x) {
  struct encoder *e = x->encoder;
  const struct universe *u = e->universe;
  for (int s = 0; s < e->program->stmts.length; s++)
    for (int i = u->first[s]; i < u->first[s + 1]; i++)
      if (u->first[s + 1] - u->first[s] > 1)
        x->performs[i] =
            encoder_input(e, INPUT_PERFORMS, x->index, s, u->performers.data[i].action, NULL);
}

/* Instructions that do nothing but order others: the question is whether they have to be there. */
static bool may_be_missing(const struct stmt *s) {
  return s->kind == STMT_FENCE || s->kind == STMT_FLUSH || s->kind == STMT_LOCK ||
         s->kind == STMT_UNLOCK;
}

int execution_strong(struct execution *x, int action) {
  struct encoder *e = x->encoder;
  int stmt = action_at(e, action)->stmt;
  bool fresh;
  int l = encoder_input(e, INPUT_STRONG, x->index, stmt_at(e, stmt)->instruction,
                        stmt_at(e, stmt)->thread, &fresh);
  if (fresh)
    encoder_assert(e, l, e->stmt_group[stmt]);
  return l;
}

int execution_depends(struct execution *x, const char *kind, int from, int to) {
  struct encoder *e = x->encoder;
  const struct stmt *s = stmt_at(e, action_at(e, from)->stmt),
                    *t = stmt_at(e, action_at(e, to)->stmt);
  const struct group *owner = &e->groups.data[e->stmt_group[action_at(e, to)->stmt]];
  const char *text = arena_format(e->arena, "%s from '%s' to '%s'", kind, s->text, t->text);
  int group = encoder_group(e, GROUP_DEPENDENCY, owner->place, owner->name, text);
  bool fresh;
  int l = encoder_input(e, INPUT_DEPENDS, x->index, group, from, &fresh);
  if (fresh)
    encoder_assert(e, l, group);
  return l;
}

static void create_guards(struct execution *x) {
  struct encoder *e = x->encoder;
  for (int s = 0; s < e->program->stmts.length; s++) {
    int g = execution_truth(x, stmt_at(e, s)->guard);
    bool free = (g != LIT_TRUE && g != LIT_FALSE) || may_be_missing(stmt_at(e, s));
    if (e->explain && free) {
      int free_guard = encoder_input(e, INPUT_GUARD, x->index, s, 0, NULL);
      encoder_assert(e, circuit_iff(e->circuit, free_guard, g), e->stmt_group[s]);
      g = free_guard;
    }
    if (stmt_at(e, s)->kind == STMT_FENCE)
      g = circuit_and2(e->circuit, g, encoder_order(e, s));
    x->guard[s] = g;
  }
}

static void link_performs(struct execution *x) {
  struct encoder *e = x->encoder;
  const struct universe *u = e->universe;
  int n = u->actions.length;
  for (int s = 0; s < e->program->stmts.length; s++) {
    int first = u->first[s], count = u->first[s + 1] - first;
    if (count == 1) {
      x->performs[first] = x->guard[s];
    } else if (count > 1) {
      encoder_assert(
          e,
          circuit_iff(e->circuit, x->guard[s], circuit_or(e->circuit, x->performs + first, count)),
          -1);
      at_most_one(e, x->performs + first, count);
    }
  }
  int *who = arena_alloc(e->arena, (size_t)(u->performers.length + 1) * sizeof *who);
  for (int a = 0; a < n; a++) {
    int k = 0;
    for (int i = 0; i < u->performers.length; i++)
      if (u->performers.data[i].action == a)
        who[k++] = x->performs[i];
    x->executed[a] = circuit_or(e->circuit, who, k);
    at_most_one(e, who, k);
  }
}

/* An access whose address is none of a location is not executed: the program is wrong there. */
static void create_bitwise_location(struct execution *x, int s, int a) {
  struct encoder *e = x->encoder;
  int locations = e->program->locations.length;
  for (int l = 0; l < locations; l++)
    if (stmt_may_access(e->program, e->domains, s, l))
      x->at[a * locations + l] =
          execution_at_address(x, stmt_at(e, s)->address, program_address(e->program, l));
  int somewhere = circuit_or(e->circuit, x->at + a * locations, locations);
  x->guard[s] = circuit_and2(e->circuit, x->guard[s], somewhere);
  x->executed[a] = x->performs[e->universe->first[s]] = x->guard[s];
}

static void create_locations(struct execution *x) {
  struct encoder *e = x->encoder;
  const struct universe *u = e->universe;
  int locations = e->program->locations.length;
  for (int i = 0; i < u->performers.length; i++) {
    int a = u->performers.data[i].action, s = u->performers.data[i].stmt;
    int address = stmt_at(e, s)->address;
    if (address < 0)
      continue;
    if (action_at(e, a)->location >= 0) {
      x->at[a * locations + action_at(e, a)->location] = LIT_TRUE;
      continue;
    }
    if (e->program->bitwise) {
      create_bitwise_location(x, s, a);
      continue;
    }
    struct value_map m = execution_expr(x, address);
    int *somewhere = arena_alloc(e->arena, (size_t)(locations + 1) * sizeof *somewhere);
    somewhere[0] = -x->guard[s];
    for (int l = 0; l < locations; l++) {
      int here = value_map_at(m, program_address(e->program, l));
      somewhere[l + 1] = here;
      int *at = &x->at[a * locations + l];
      *at = circuit_or2(e->circuit, *at, circuit_and2(e->circuit, x->performs[i], here));
    }
    /* executions that leave the program's locations are not considered */
    encoder_clause(e, somewhere, locations + 1, e->explain ? e->stmt_group[s] : -1);
  }
}

static struct value_map written_by(struct execution *x, int s) {
  struct encoder *e = x->encoder;
  struct value_map m = execution_expr(x, stmt_at(e, s)->value);
  if (!e->explain)
    return m;
  struct values all = encoder_values(e, s);
  struct value_map f = map_create(e, all.count);
  int *some = arena_alloc(e->arena, (size_t)all.count * sizeof *some + 1);
  for (int i = 0; i < all.count; i++) {
    some[i] = encoder_input(e, INPUT_WRITE_VALUE, x->index, s, i, NULL);
    map_set(f, i, all.data[i], some[i]);
  }
  encoder_clause(e, some, all.count, -1);
  at_most_one(e, some, all.count);
  for (int i = 0; i < m.count; i++) /* executed with that value in the program: written */
    encoder_clause(e, (int[]){-x->guard[s], -m.literal[i], value_map_at(f, m.value[i])}, 3,
                   e->stmt_group[s]);
  return f;
}

static void create_write_values(struct execution *x) {
  struct encoder *e = x->encoder;
  const struct universe *u = e->universe;
  struct value_map *by_stmt =
      arena_alloc(e->arena, (size_t)e->program->stmts.length * sizeof *by_stmt);
  for (int s = 0; s < e->program->stmts.length; s++)
    if (stmt_at(e, s)->kind == STMT_WRITE)
      by_stmt[s] = written_by(x, s);
  for (int a = 0; a < u->actions.length; a++) {
    if (action_at(e, a)->kind != STMT_WRITE)
      continue;
    int total = 0, who = -1, performers = 0;
    for (int i = 0; i < u->performers.length; i++)
      if (u->performers.data[i].action == a) {
        total += by_stmt[u->performers.data[i].stmt].count;
        who = u->performers.data[i].stmt;
        performers++;
      }
    if (performers == 1) {
      x->value[a] = by_stmt[who];
      continue;
    }
    struct value_map m = map_create(e, total);
    int used = 0;
    for (int i = 0; i < u->performers.length; i++) {
      if (u->performers.data[i].action != a)
        continue;
      struct value_map f = by_stmt[u->performers.data[i].stmt];
      for (int v = 0; v < f.count; v++) {
        int l = circuit_and2(e->circuit, x->performs[i], f.literal[v]), j = 0;
        while (j < used && m.value[j] != f.value[v])
          j++;
        map_set(m, j, f.value[v], j < used ? circuit_or2(e->circuit, m.literal[j], l) : l);
        used += j == used;
      }
    }
    m.count = used;
    x->value[a] = m;
  }
}

int execution_same_location(struct execution *x, int a, int b) {
  struct encoder *e = x->encoder;
  const struct action *f = action_at(e, a), *g = action_at(e, b);
  if (f->monitor >= 0 || g->monitor >= 0)
    return f->monitor == g->monitor ? LIT_TRUE : LIT_FALSE;
  if (f->location >= 0 && g->location >= 0)
    return f->location == g->location ? LIT_TRUE : LIT_FALSE;
  int locations = e->program->locations.length;
  const int *at = x->at + a * locations, *other = x->at + b * locations;
  e->places.length = 0;
  for (int l = 0; l < locations; l++)
    if (at[l] != LIT_FALSE && other[l] != LIT_FALSE)
      list_push(e->arena, &e->places, circuit_and2(e->circuit, at[l], other[l]));
  return circuit_or(e->circuit, e->places.data, e->places.length);
}

static void link_values(struct execution *x, int w, int r) {
  struct encoder *e = x->encoder;
  int rf = x->rf[w * e->universe->actions.length + r];
  struct value_map from = x->value[w], to = x->value[r];
  for (int i = 0; i < from.count; i++)
    encoder_clause(e, (int[]){-rf, -from.literal[i], value_map_at(to, from.value[i])}, 3, -1);
  for (int i = 0; i < to.count; i++)
    encoder_clause(e, (int[]){-rf, -to.literal[i], value_map_at(from, to.value[i])}, 3, -1);
}

static bool has_own_values(const struct encoder *e, int r) {
  int n = e->universe->actions.length;
  for (int w = 0; w < n; w++) {
    int64_t v;
    if (action_at(e, w)->kind == STMT_WRITE && may_alias(e, r, w) && !constant_value(e, w, &v))
      return true;
  }
  return false;
}

/* Around a circle of copies, having no value or two would be consistent otherwise. */
static void one_value(struct execution *x, int r) {
  struct encoder *e = x->encoder;
  struct value_map m = x->value[r];
  int *some = arena_alloc(e->arena, (size_t)(m.count + 1) * sizeof *some);
  memcpy(some, m.literal, (size_t)m.count * sizeof *some);
  some[m.count] = -x->executed[r];
  encoder_clause(e, some, m.count + 1, -1);
  at_most_one(e, some, m.count);
}

static void link_rf(struct execution *x) {
  struct encoder *e = x->encoder;
  int n = e->universe->actions.length;
  int *sees = arena_alloc(e->arena, (size_t)(n + 1) * sizeof *sees);
  for (int r = 0; r < n; r++) {
    if (action_at(e, r)->kind != STMT_READ)
      continue;
    bool bitwise = e->program->bitwise, own_values = !bitwise && has_own_values(e, r);
    if (own_values)
      one_value(x, r);
    if (bitwise)
      execution_zero_unless_executed(x, r);
    int k = 1;
    sees[0] = -x->executed[r];
    for (int w = 0; w < n; w++) {
      int rf = x->rf[w * n + r];
      if (rf == LIT_FALSE)
        continue;
      sees[k++] = rf;
      encoder_clause(e, (int[]){-rf, x->executed[w]}, 2, -1);
      encoder_clause(e, (int[]){-rf, x->executed[r]}, 2, -1);
      encoder_clause(e, (int[]){-rf, execution_same_location(x, w, r)}, 2, -1);
      if (own_values)
        link_values(x, w, r);
      if (bitwise)
        execution_link_words(x, w, r);
    }
    encoder_clause(e, sees, k, -1);
    at_most_one(e, sees + 1, k - 1);
  }
}

static int *cells(struct encoder *e, int count) {
  int *c = arena_alloc(e->arena, (size_t)count * sizeof *c + 1);
  for (int i = 0; i < count; i++)
    c[i] = LIT_FALSE;
  return c;
}

/* A filter, or "no path goes over the loop bound"; of a C program, that guesses were right. */
static void assert_assumptions(struct execution *x) {
  struct encoder *e = x->encoder;
  const struct program *p = e->program;
  const char *text = p->cut ? "loops end within the bound, and the filter holds" : "the filter";
  for (int i = 0; i < p->assumes.length; i++) {
    bool part = e->explain && !p->bitwise;
    int group =
        part ? encoder_group(e, GROUP_CONDITION, (struct place){p->file, 0, 0}, "assumption", text)
             : -1;
    encoder_assert(e, execution_truth(x, p->assumes.data[i]), group);
  }
}

struct execution *execution_create(struct encoder *e, int index) {
  int n = e->universe->actions.length, locations = e->program->locations.length;
  struct execution *x = arena_alloc(e->arena, sizeof *x);
  x->encoder = e;
  x->index = index;
  x->guard = cells(e, e->program->stmts.length);
  x->performs = cells(e, e->universe->performers.length);
  x->executed = cells(e, n);
  x->at = cells(e, n * locations);
  x->rf = cells(e, n * n);
  x->value = arena_alloc(e->arena, (size_t)n * sizeof *x->value + 1);
  x->expr = arena_alloc(e->arena, (size_t)e->program->exprs.length * sizeof *x->expr);
  for (int i = 0; i < e->program->exprs.length; i++)
    x->expr[i].count = -1;
  x->truths = arena_alloc(e->arena, (size_t)e->program->exprs.length * sizeof *x->truths + 1);
  create_rf(x);
  if (e->program->bitwise) {
    x->word = arena_alloc(e->arena, (size_t)n * sizeof *x->word + 1);
    x->words = arena_alloc(e->arena, (size_t)e->program->exprs.length * sizeof *x->words + 1);
    execution_create_read_words(x);
  } else {
    create_read_values(x);
  }
  create_performs(x);
  create_guards(x);
  link_performs(x);
  create_locations(x);
  if (e->program->bitwise)
    execution_create_write_words(x);
  else
    create_write_values(x);
  link_rf(x);
  if (index == 0)
    assert_assumptions(x);
  return x;
}

/* Coherence: a total order of the executed writes of each location, initial writes first. */
void execution_co(struct execution *x) {
  if (x->co)
    return;
  struct encoder *e = x->encoder;
  int n = e->universe->actions.length;
  x->co = cells(e, n * n);
  int *before = cells(e, n * n); /* for a < b: the literal that says a comes first; */
  bool *open = arena_alloc(e->arena, (size_t)n * (size_t)n * sizeof *open); /* there is one */
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++) {
      if (action_at(e, a)->kind != STMT_WRITE || action_at(e, b)->kind != STMT_WRITE ||
          !may_alias(e, a, b))
        continue;
      bool init_a = action_at(e, a)->thread == 0, init_b = action_at(e, b)->thread == 0;
      if (init_a && init_b)
        continue;
      int both = circuit_and(
          e->circuit, (int[]){x->executed[a], x->executed[b], execution_same_location(x, a, b)}, 3);
      int first = init_a || is_known(e, e->program->in_order, a, b) ? LIT_TRUE
                  : is_known(e, e->program->in_order, b, a)
                      ? LIT_FALSE
                      : encoder_input(e, INPUT_CO, x->index, a, b, NULL);
      before[a * n + b] = first;
      open[a * n + b] = !init_a;
      x->co[a * n + b] = circuit_and2(e->circuit, first, both);
      x->co[b * n + a] = circuit_and2(e->circuit, -first, both);
    }
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      for (int c = b + 1; open[a * n + b] && c < n; c++) {
        int ab = before[a * n + b], bc = before[b * n + c], ac = before[a * n + c];
        if (!open[b * n + c] || !open[a * n + c])
          continue;
        encoder_clause(e, (int[]){-ab, -bc, ac}, 3, -1);
        encoder_clause(e, (int[]){ab, bc, -ac}, 3, -1);
      }
}
