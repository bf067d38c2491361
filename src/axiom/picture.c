#include "axiom/picture.h"
#include <string.h>

/* name, colour; what is not here takes the last one */
static const struct {
  const char *name, *colour;
} colours[] = {{"po", "#666666"}, {"rf", "#2e7d32"}, {"co", "#2c5aa0"},
               {"fr", "#d68910"}, {"hb", "#6a3d9a"}, {NULL, "#008080"}};

static const char strong_colour[] = "#d00000";

bool picture_shows(const struct picture *p, int action) {
  return p->w->executions[p->x].stmt[action] >= 0;
}

static const struct action *action_at(const struct picture *p, int a) {
  return &p->w->universe->actions.data[a];
}

/* ---- arrows ------------------------------------------------------------------------------- */

static const char *colour_of(const char *name) {
  int i = 0;
  while (colours[i].name && strcmp(colours[i].name, name))
    i++;
  return colours[i].colour;
}

static void add_edge(struct picture *p, const char *name, int from, int to) {
  bool order = !strcmp(name, "po");
  for (int i = 0; i < p->edges.length; i++) {
    struct picture_edge *e = &p->edges.data[i];
    if (e->from != from || e->to != to)
      continue;
    if (e->strong || order)
      return;
    e->label = *e->label ? arena_format(p->arena, "%s,%s", e->label, name) : name;
    return;
  }
  struct picture_edge e = {from, to, order ? "" : name, colour_of(name), false};
  list_push(p->arena, &p->edges, e);
}

static void add_strong(struct picture *p, const struct violations *broken) {
  for (int v = 0; broken && v < broken->list.length; v++) {
    const struct violation *rule = &broken->list.data[v];
    for (int i = 0; rule->execution == p->x && i < rule->paths.length; i++)
      for (int s = 0; s < rule->paths.data[i].steps.length; s++) {
        const struct cycle_step *step = &rule->paths.data[i].steps.data[s];
        bool known = false;
        for (int e = 0; e < p->edges.length; e++)
          known = known || (p->edges.data[e].from == step->from && p->edges.data[e].to == step->to);
        struct picture_edge e = {step->from, step->to, step->label, strong_colour, true};
        if (!known)
          list_push(p->arena, &p->edges, e);
      }
  }
}

/* The next action of the same thread in program order. */
static int successor(const struct picture *p, int a) {
  int next = -1, *stmt = p->w->executions[p->x].stmt;
  for (int b = 0; b < p->w->universe->actions.length; b++)
    if (picture_shows(p, b) && action_at(p, b)->thread == action_at(p, a)->thread &&
        stmt[b] > stmt[a] && (next < 0 || stmt[b] < stmt[next]))
      next = b;
  return next;
}

static unsigned char *reduced(struct picture *p, const unsigned char *r) {
  size_t n = (size_t)p->w->universe->actions.length;
  unsigned char *copy = arena_alloc(p->arena, n * n + 1);
  memcpy(copy, r, n * n);
  witness_reduce(copy, (int)n);
  return copy;
}

static void add_order(struct picture *p, const char *name, const unsigned char *r) {
  int n = p->w->universe->actions.length;
  const unsigned char *direct = reduced(p, r);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      if (direct[a * n + b] && picture_shows(p, a) && picture_shows(p, b) &&
          !(action_at(p, a)->thread && successor(p, a) == b)) /* an order repeats program order */
        add_edge(p, name, a, b);
}

static void add_communication(struct picture *p) {
  int n = p->w->universe->actions.length;
  const struct witness_execution *e = &p->w->executions[p->x];
  const unsigned char *co = e->co ? reduced(p, e->co) : NULL;
  for (int a = 0; a < n; a++) {
    if (!picture_shows(p, a))
      continue;
    int next = action_at(p, a)->thread ? successor(p, a) : -1, source = e->source[a];
    if (next >= 0)
      add_edge(p, "po", a, next);
    if (source >= 0)
      add_edge(p, "rf", source, a);
    for (int b = 0; co && b < n; b++) {
      if (co[a * n + b])
        add_edge(p, "co", a, b);
      if (source >= 0 && co[source * n + b] && a != b)
        add_edge(p, "fr", a, b);
    }
  }
}

/* Relations that the model looked for belong to an execution, or to the whole (drawn with E). */
static bool belongs(const struct picture *p, const struct witness_relation *r) {
  return r->execution == p->x || (r->execution < 0 && p->x == 0);
}

struct picture picture_of(const struct witness *w, int x, const struct violations *broken,
                          struct arena *a) {
  struct picture p = {.w = w, .x = x, .arena = a};
  add_strong(&p, broken);
  add_communication(&p);
  for (int i = 0; i < w->relations.length; i++)
    if (!w->relations.data[i].is_set && belongs(&p, &w->relations.data[i]))
      add_order(&p, w->relations.data[i].name, w->relations.data[i].bits);
  return p;
}

/* ---- texts -------------------------------------------------------------------------------- */

const char *picture_text(const struct picture *p, int action) {
  return arena_format(p->arena, "%s: %s", action_at(p, action)->name,
                      witness_action_text(p->w, p->x, action, p->arena));
}

static bool seen_before(const struct picture *p, int relation) {
  for (int i = 0; i < relation; i++)
    if (!p->w->relations.data[i].is_family &&
        !strcmp(p->w->relations.data[i].name, p->w->relations.data[relation].name))
      return true;
  return false;
}

const char *picture_sets(const struct picture *p, int action) {
  const char *text = "";
  for (int i = 0; i < p->w->relations.length; i++) {
    const struct witness_relation *r = &p->w->relations.data[i];
    bool mine = r->is_family ? r->index == p->x && p->x : belongs(p, r) && !seen_before(p, i);
    if (!r->is_set || !mine || !r->bits[action])
      continue;
    text = arena_format(p->arena, "%s%s%s", text, *text ? ", " : "", r->name);
    if (r->is_family)
      text = arena_format(p->arena, "%s[%d]", text, r->index);
  }
  return text;
}

const char *picture_memory(const struct picture *p) {
  const unsigned char *persisted = NULL, *co = p->w->executions[0].co;
  for (int i = 0; i < p->w->relations.length && p->x == 0; i++)
    if (!strcmp(p->w->relations.data[i].name, "persisted") && p->w->relations.data[i].is_set)
      persisted = p->w->relations.data[i].bits;
  const char *text = "";
  const struct program *program = p->w->universe->program;
  int n = p->w->universe->actions.length;
  for (int l = 0; persisted && co && l < program->locations.length; l++) {
    int last = -1;
    for (int a = 0; a < n; a++)
      if (persisted[a] && p->w->executions[0].location[a] == l && (last < 0 || co[last * n + a]))
        last = a;
    if (last >= 0)
      text = arena_format(p->arena, "%s%s%s=%s", text,
                          *text ? ", " : "after the crash: ", program->locations.data[l].name,
                          program_value_text(program, p->arena, p->w->executions[0].value[last]));
  }
  return text;
}

const char *picture_title(const struct picture *p, const char *test) {
  return p->x ? arena_format(p->arena, "E%d", p->x) : test;
}
