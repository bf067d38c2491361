#include "axiom/witness.h"
#include "axiom/model_encode.h"
#include "base/mem.h"
#include <string.h>

static void extract_actions(const struct execution *x, const unsigned char *model,
                            struct witness_execution *e) {
  const struct universe *u = x->encoder->universe;
  int n = u->actions.length, locations = u->program->locations.length;
  for (int a = 0; a < n; a++) {
    e->stmt[a] = e->location[a] = e->source[a] = -1;
    for (int l = 0; l < locations; l++)
      if (model_value(model, x->at[a * locations + l]))
        e->location[a] = l;
    for (int b = 0; x->word && x->word[a] && b < 64; b++)
      e->value[a] |= (int64_t)((uint64_t)model_value(model, x->word[a][b]) << b);
    for (int v = 0; v < x->value[a].count; v++)
      if (model_value(model, x->value[a].literal[v]))
        e->value[a] = x->value[a].value[v];
    for (int w = 0; w < n; w++)
      if (model_value(model, x->rf[w * n + a]))
        e->source[a] = w;
  }
  for (int i = 0; i < u->performers.length; i++)
    if (model_value(model, x->performs[i]))
      e->stmt[u->performers.data[i].action] = u->performers.data[i].stmt;
  for (int a = 0; a < n; a++)
    if (e->stmt[a] < 0)
      e->location[a] = e->source[a] = -1;
}

static void extract_inputs(const struct execution *x, const unsigned char *model, struct witness *w,
                           struct arena *a) {
  const struct program *p = x->encoder->program;
  w->inputs = arena_alloc(a, (size_t)p->inputs.length * sizeof *w->inputs + 1);
  for (int e = 0; p->inputs.length && e < p->exprs.length; e++)
    for (int b = 0; p->exprs.data[e].kind == EXPR_INPUT && x->words[e] && b < 64; b++)
      w->inputs[p->exprs.data[e].value] |=
          (int64_t)((uint64_t)model_value(model, x->words[e][b]) << b);
}

static unsigned char *bits_of(const int *cells, int count, const unsigned char *model,
                              struct arena *a) {
  unsigned char *bits = arena_alloc(a, (size_t)count + 1);
  for (int i = 0; i < count; i++)
    bits[i] = model_value(model, cells[i]);
  return bits;
}

void model_prepare_witness(struct model_encoding *m) {
  struct cat_value ignored;
  for (int x = 0; x < m->executions.length; x++)
    model_lookup(m, x, "hb", &ignored);
  model_lookup(m, 0, "persisted", &ignored);
}

/* Orders worth showing although they are derived. */
static void extract_shown(struct model_encoding *m, const unsigned char *model, struct witness *w,
                          struct arena *a) {
  struct cat_value v;
  for (int x = 0; x <= w->k; x++)
    if (model_lookup(m, x, "hb", &v) && v.kind == VALUE_RELATION) {
      struct witness_relation r = {
          "hb", -1, x, 0, false, false, bits_of(v.cells, m->space.n * m->space.n, model, a)};
      list_push(a, &w->relations, r);
    }
  if (model_lookup(m, 0, "persisted", &v) && v.kind == VALUE_SET) {
    struct witness_relation r = {
        "persisted", -1, -1, 0, true, false, bits_of(v.cells, m->space.n, model, a)};
    list_push(a, &w->relations, r);
  }
}

static bool is_family(const struct model *m, int serial) {
  for (int i = 0; i < m->item_count; i++) {
    if (m->items[i].serial == serial)
      return m->items[i].family;
    for (int j = 0; j < m->items[i].item_count; j++)
      if (m->items[i].items[j].serial == serial)
        return m->items[i].items[j].family;
  }
  return false;
}

struct witness *witness_extract(struct model_encoding *m, const unsigned char *model,
                                struct arena *a) {
  struct witness *w = arena_alloc(a, sizeof *w);
  size_t n = (size_t)m->space.n;
  w->universe = m->encoder->universe;
  w->k = m->model->many_executions ? m->k : 0;
  w->executions = arena_alloc(a, (size_t)(w->k + 1) * sizeof *w->executions);
  for (int x = 0; x <= w->k; x++) {
    struct witness_execution *e = &w->executions[x];
    e->stmt = arena_alloc(a, n * sizeof *e->stmt + 1);
    e->location = arena_alloc(a, n * sizeof *e->location + 1);
    e->value = arena_alloc(a, n * sizeof *e->value + 1);
    e->source = arena_alloc(a, n * sizeof *e->source + 1);
    extract_actions(m->executions.data[x], model, e);
    int choices = m->encoder->program->choices;
    e->choice = arena_alloc(a, (size_t)choices + 1);
    for (int i = 0; i < choices; i++)
      e->choice[i] = model_value(model, execution_choice(m->executions.data[x], i));
    if (m->executions.data[x]->co)
      e->co = bits_of(m->executions.data[x]->co, (int)(n * n), model, a);
  }
  extract_inputs(m->executions.data[0], model, w, a);
  for (int i = 0; i < m->declared.length; i++) {
    const struct named_relation *d = &m->declared.data[i];
    struct witness_relation r = {d->name,
                                 d->serial,
                                 d->execution,
                                 d->index,
                                 d->is_set,
                                 is_family(m->model, d->serial),
                                 bits_of(d->cells, (int)(d->is_set ? n : n * n), model, a)};
    if (d->execution <= w->k)
      list_push(a, &w->relations, r);
  }
  extract_shown(m, model, w, a);
  return w;
}

int witness_use_after_free(const struct witness *w) {
  const struct witness_execution *x = &w->executions[0];
  const struct program *p = w->universe->program;
  int n = w->universe->actions.length;
  for (int a = 0; a < n; a++)
    for (int f = 0; x->stmt[a] >= 0 && f < n; f++)
      if (x->stmt[f] >= 0 && p->stmts.data[x->stmt[f]].frees &&
          (x->source[a] == f || (x->co && x->co[f * n + a])))
        return a;
  return -1;
}

void witness_reduce(unsigned char *r, int n) {
  unsigned char *direct = mem_alloc((size_t)(n * n) + 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      bool through = false;
      for (int k = 0; k < n && !through; k++)
        through = k != i && k != j && r[i * n + k] && r[k * n + j];
      direct[i * n + j] = r[i * n + j] && !through && i != j;
    }
  memcpy(r, direct, (size_t)(n * n));
  mem_free(direct, (size_t)(n * n) + 1);
}

/* "fence[DMB.SY]" */
static const char *fence_text(const struct action *x, struct arena *a) {
  const char *names = "";
  for (enum tag t = 0; t < TAG_COUNT; t++)
    if (tags_has(&x->tags, t))
      names = arena_format(a, "%s%s%s", names, *names ? "," : "", tag_name(t));
  return arena_format(a, "fence[%s]", names);
}

const char *witness_action_text(const struct witness *w, int execution, int action,
                                struct arena *a) {
  static const char *const kinds[] = {
#define X(name, text) text,
      STMT_KINDS(X)
#undef X
  };
  static const char *const flavours[] = {"",        "mfence",     "sfence", "lfence",
                                         "clflush", "clflushopt", "clwb"};
  const struct program *p = w->universe->program;
  const struct action *x = &w->universe->actions.data[action];
  const struct witness_execution *e = &w->executions[execution];
  const char *place = e->location[action] >= 0 ? p->locations.data[e->location[action]].name : "";
  const char *v = x->is_volatile ? "volatile " : x->atomic ? "locked " : "";
  switch (x->kind) {
  case STMT_READ:
  case STMT_WRITE:
    return arena_format(a, "%s%s(%s,%s)", v, kinds[x->kind], place,
                        program_value_text(p, a, e->value[action]));
  case STMT_FLUSH:
    return arena_format(a, "%s(%s)", flavours[x->flavour], place);
  case STMT_FENCE:
    return x->flavour == FLAVOUR_NONE ? fence_text(x, a) : flavours[x->flavour];
  case STMT_LOCK:
  case STMT_UNLOCK:
    return arena_format(a, "%s(%s)", kinds[x->kind], p->monitors.data[x->monitor]);
  default:
    return kinds[x->kind];
  }
}
