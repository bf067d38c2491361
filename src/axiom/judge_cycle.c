/* See cycle.h.  Works on the plain evaluator's values; the way between two actions is read off the
 * syntax tree: union - one of the sides, composition - over an action in the middle, and so on. */
#include "axiom/cycle.h"
#include "axiom/judge_internal.h"
#include <string.h>

enum { DEPTH_MAX = 40 };

struct point { /* what is evaluated, and where */
  const struct cat_node *node;
  struct judge_scope *scope;
  int x;
  const char *label; /* what the model calls it, NULL if nothing */
  bool part;         /* only a part of what it consists of is meant */
};

struct evaluated {
  struct point at;
  const bit *bits;
};

struct tracer {
  struct judge *j;
  struct cycle_path *path;
  int depth;
  LIST(struct evaluated) known; /* the same expressions are asked for at every step */
};

static bool trace(struct tracer *t, struct point p, int from, int to);

static void add_step(struct tracer *t, int from, int to, const char *label) {
  struct cycle_step s = {from, to, label};
  list_push(t->j->arena, &t->path->steps, s);
}

/* NULL if it is no relation, or cannot be evaluated. */
static const bit *relation_at(struct tracer *t, struct point p) {
  struct judge *j = t->j;
  for (int i = 0; i < t->known.length; i++) {
    const struct evaluated *e = &t->known.data[i];
    if (e->at.node == p.node && e->at.scope == p.scope && e->at.x == p.x)
      return e->bits;
  }
  jmp_buf outer;
  const char *wrong = j->wrong;
  memcpy(outer, j->stop, sizeof outer);
  const bit *bits = NULL;
  if (setjmp(j->stop) == 0) {
    struct judge_value v = judge_eval(j, p.node, p.scope, p.x);
    if (v.kind == RELATION)
      bits = v.bits;
  }
  memcpy(j->stop, outer, sizeof outer);
  j->wrong = wrong;
  struct evaluated e = {p, bits};
  list_push(j->arena, &t->known, e);
  return bits;
}

static struct point with_node(struct point p, const struct cat_node *n) {
  p.node = n;
  return p;
}

static struct point part_of(struct point p, const struct cat_node *n) {
  p.node = n;
  p.part = true;
  return p;
}

static bool has(struct tracer *t, struct point p, int from, int to) {
  const bit *r = relation_at(t, p);
  return r && r[from * t->j->n + to];
}

/* ---- ways through a relation -------------------------------------------------------------- */

/* The shortest way from one action to another, in at least one step; previous[] leads back. */
static bool find_way(const struct judge *j, const bit *r, int from, int to, int *previous) {
  int n = j->n, head = 0, tail = 0, *queue = arena_alloc(j->arena, (size_t)n * sizeof *queue + 1);
  for (int i = 0; i < n; i++)
    previous[i] = -1;
  for (int b = 0; b < n; b++)
    if (r[from * n + b]) {
      previous[b] = from;
      queue[tail++] = b;
    }
  while (previous[to] < 0 && head < tail) {
    int a = queue[head++];
    for (int b = 0; b < n; b++)
      if (r[a * n + b] && previous[b] < 0) {
        previous[b] = a;
        queue[tail++] = b;
      }
  }
  return previous[to] >= 0;
}

static int way_length(const int *previous, int from, int to) {
  int steps = 1;
  for (int a = previous[to]; a != from; a = previous[a])
    steps++;
  return steps;
}

static bool trace_way(struct tracer *t, struct point p, const int *previous, int from, int to) {
  int count = way_length(previous, from, to);
  int *stops = arena_alloc(t->j->arena, (size_t)(count + 1) * sizeof *stops);
  stops[count] = to;
  for (int i = count - 1; i >= 0; i--)
    stops[i] = previous[stops[i + 1]];
  for (int i = 0; i < count; i++)
    if (!trace(t, p, stops[i], stops[i + 1]))
      return false;
  return true;
}

static bool trace_closure(struct tracer *t, struct point p, int from, int to) {
  int *previous = arena_alloc(t->j->arena, (size_t)t->j->n * sizeof *previous + 1);
  const bit *r = relation_at(t, p);
  return r && find_way(t->j, r, from, to, previous) && trace_way(t, p, previous, from, to);
}

/* ---- names -------------------------------------------------------------------------------- */

static const struct cat_binding *binding_in(const struct cat_item *items, int count,
                                            const char *name) {
  for (int i = count - 1; i >= 0; i--) {
    for (int b = 0; b < items[i].bindings.length && items[i].kind == ITEM_LET; b++) {
      const struct cat_binding *x = &items[i].bindings.data[b];
      if (x->name && !strcmp(x->name, name) && !x->params.length && !items[i].recursive)
        return x;
    }
    const struct cat_binding *inside = binding_in(items[i].items, items[i].item_count, name);
    if (inside)
      return inside;
  }
  return NULL;
}

static struct judge_scope *entry_of(struct judge *j, struct point p) {
  for (int pass = 0; pass < 2; pass++)
    for (struct judge_scope *s = pass ? j->blocks[p.x] : p.scope; s; s = s->next)
      if (!strcmp(s->name, p.node->text))
        return s;
  return NULL;
}

/* A name of the model: its definition, if that gives the same relation where the name was bound. */
static bool trace_name(struct tracer *t, struct point p, int from, int to) {
  struct judge_scope *entry = entry_of(t->j, p);
  if (!entry) { /* built in */
    bool one_access = !strcmp(p.node->text, "sm") || !strcmp(p.node->text, "si");
    if (one_access && from == to)
      return true; /* the whole access: no step */
    bool renamed = !strcmp(p.node->text, "po") && p.label && p.part;
    add_step(t, from, to, renamed ? p.label : p.node->text);
    return true;
  }
  const struct cat_binding *b =
      binding_in(t->j->model->items, t->j->model->item_count, p.node->text);
  struct point inside = {b ? b->body : NULL, entry->next, p.x, p.node->text, false};
  const bit *r = b ? relation_at(t, inside) : NULL;
  int n = t->j->n;
  if (r && entry->value.kind == RELATION && !memcmp(r, entry->value.bits, (size_t)n * (size_t)n) &&
      trace(t, inside, from, to))
    return true;
  add_step(t, from, to, p.node->text);
  return true;
}

/* ---- expressions -------------------------------------------------------------------------- */

/* Only says which actions are meant, not how they are connected. */
static bool is_filter(const struct cat_node *n) {
  static const char *const names[] = {"loc", "ext", "int", "id", "line"};
  switch (n->kind) {
  case CAT_PRODUCT:
  case CAT_COMPLEMENT:
  case CAT_IDENTITY:
    return true;
  case CAT_UNION:
  case CAT_INTER:
  case CAT_DIFF:
    return is_filter(n->arg[0]) && is_filter(n->arg[1]);
  case CAT_CALL: /* a function of the model; fencerel leads over a fence */
    return n->arg[0]->kind == CAT_NAME && strcmp(n->arg[0]->text, "fencerel") != 0;
  case CAT_NAME:
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
      if (!strcmp(names[i], n->text))
        return true;
    return false;
  default:
    return false;
  }
}

static bool trace_sequence(struct tracer *t, struct point p, int from, int to) {
  int n = t->j->n;
  const bit *a = relation_at(t, with_node(p, p.node->arg[0])),
            *b = relation_at(t, with_node(p, p.node->arg[1]));
  for (int middle = 0; a && b && middle < n; middle++)
    if (a[from * n + middle] && b[middle * n + to])
      return trace(t, part_of(p, p.node->arg[0]), from, middle) &&
             trace(t, part_of(p, p.node->arg[1]), middle, to);
  return false;
}

/* fencerel(S): over a fence in the middle; functions of the model: their body. */
static bool trace_call(struct tracer *t, struct point p, int from, int to) {
  struct judge *j = t->j;
  int n = j->n;
  const struct cat_node *f = p.node->arg[0];
  if (f->kind == CAT_NAME && !strcmp(f->text, "fencerel") && p.node->args.length == 1) {
    const bit *po = judge_known(j, "po", p.x);
    struct judge_value s = judge_eval(j, p.node->args.data[0], p.scope, p.x);
    for (int fence = 0; s.kind == SET && fence < n; fence++)
      if (s.bits[fence] && po[from * n + fence] && po[fence * n + to]) {
        add_step(t, from, fence, p.label ? p.label : "po");
        add_step(t, fence, to, p.label ? p.label : "po");
        return true;
      }
  }
  add_step(t, from, to, p.label ? p.label : f->kind == CAT_NAME ? f->text : "call");
  return true;
}

static bool trace_inverse(struct tracer *t, struct point p, int from, int to) {
  struct cycle_path *outer = t->path, inner = {0};
  t->path = &inner;
  bool fine = trace(t, with_node(p, p.node->arg[0]), to, from);
  t->path = outer;
  for (int i = inner.steps.length - 1; fine && i >= 0; i--)
    add_step(t, inner.steps.data[i].to, inner.steps.data[i].from,
             arena_format(t->j->arena, "%s^-1", inner.steps.data[i].label));
  return fine;
}

static bool trace_node(struct tracer *t, struct point p, int from, int to) {
  const struct cat_node *n = p.node, *a = n->arg[0], *b = n->arg[1];
  switch (n->kind) {
  case CAT_NAME:
    return trace_name(t, p, from, to);
  case CAT_UNION:
    return trace(t, with_node(p, has(t, with_node(p, a), from, to) ? a : b), from, to);
  case CAT_INTER:
    return trace(t, part_of(p, is_filter(a) && !is_filter(b) ? b : a), from, to);
  case CAT_DIFF:
    return trace(t, part_of(p, a), from, to);
  case CAT_SEQ:
    return trace_sequence(t, p, from, to);
  case CAT_IDENTITY:
    return from == to;
  case CAT_PLUS:
    return trace_closure(t, with_node(p, a), from, to);
  case CAT_STAR:
    return from == to || trace_closure(t, with_node(p, a), from, to);
  case CAT_OPT:
    return from == to || trace(t, with_node(p, a), from, to);
  case CAT_INVERSE:
    return trace_inverse(t, p, from, to);
  case CAT_CALL:
    return trace_call(t, p, from, to);
  case CAT_FIELD: /* of another execution */
    add_step(t, from, to, arena_format(t->j->arena, "E[i].%s", n->text));
    return true;
  case CAT_INDEX:
    add_step(t, from, to, a->text);
    return true;
  default:
    add_step(t, from, to, p.label ? p.label : "related");
    return true;
  }
}

/* Appends the way; leaves nothing behind if there is none to show. */
static bool trace(struct tracer *t, struct point p, int from, int to) {
  int length = t->path->steps.length;
  bool fine = ++t->depth < DEPTH_MAX && has(t, p, from, to) && trace_node(t, p, from, to);
  t->depth--;
  if (!fine)
    t->path->steps.length = length;
  return fine;
}

/* ---- rules -------------------------------------------------------------------------------- */

static void add_path(struct judge *j, struct violation *v, struct point p, int from, int to) {
  struct cycle_path path = {0};
  struct tracer t = {.j = j, .path = &path};
  if (trace(&t, p, from, to) && path.steps.length)
    list_push(j->arena, &v->paths, path);
}

static void shortest_cycle(struct judge *j, struct violation *v, struct point p) {
  int n = j->n, best = 0, start = -1;
  int *previous = arena_alloc(j->arena, (size_t)n * sizeof *previous + 1);
  struct cycle_path path = {0};
  struct tracer t = {.j = j, .path = &path};
  const bit *r = relation_at(&t, p);
  for (int a = 0; r && a < n; a++)
    if (find_way(j, r, a, a, previous)) {
      int length = way_length(previous, a, a);
      if (start < 0 || length < best) {
        best = length;
        start = a;
      }
    }
  if (start >= 0 && find_way(j, r, start, start, previous) &&
      trace_way(&t, p, previous, start, start) && path.steps.length)
    list_push(j->arena, &v->paths, path);
}

/* All sides of an intersection that connect the two. */
static void paths_of_pair(struct judge *j, struct violation *v, struct point p, int from, int to) {
  if (p.node->kind == CAT_INTER) {
    paths_of_pair(j, v, with_node(p, p.node->arg[0]), from, to);
    paths_of_pair(j, v, with_node(p, p.node->arg[1]), from, to);
  } else if (!is_filter(p.node)) {
    add_path(j, v, p, from, to);
  }
}

/* What is in the left side (relation or set) and, if there is a right side, not in that. */
static void note_difference(struct judge *j, struct violation *v, struct point left,
                            const struct cat_node *right, bool diagonal) {
  int n = j->n;
  struct judge_value a = judge_eval(j, left.node, left.scope, left.x);
  struct judge_value b = {.kind = EMPTY};
  if (right)
    b = judge_eval(j, right, left.scope, left.x);
  bool is_set = a.kind == SET;
  if (a.kind != SET && a.kind != RELATION)
    return;
  for (int c = 0; c < (is_set ? n : n * n); c++) {
    if (!a.bits[c] || (b.kind == a.kind && b.bits[c]) || (diagonal && c / n != c % n))
      continue;
    if (is_set)
      list_push(j->arena, &v->members, c);
    else if (!v->paths.length)
      paths_of_pair(j, v, left, c / n, c % n);
  }
}

static void note_rule(struct judge *j, struct violation *v, struct point p) {
  const struct cat_node *n = p.node;
  struct point inside = with_node(p, n->arg[0]);
  switch (n->kind) {
  case CAT_ACYCLIC:
    v->is_cycle = true;
    shortest_cycle(j, v, inside);
    break;
  case CAT_IRREFLEXIVE:
    v->is_cycle = true;
    note_difference(j, v, inside, NULL, true);
    break;
  case CAT_IS_EMPTY:
    note_difference(j, v, inside, NULL, false);
    break;
  case CAT_EQUAL:
    note_difference(j, v, with_node(p, n->arg[1]), n->arg[0], false);
    if (v->paths.length || v->members.length)
      break;
    note_difference(j, v, inside, n->arg[1], false);
    break;
  case CAT_SUBSET:
    note_difference(j, v, inside, n->arg[1], false);
    break;
  case CAT_AND:
    note_rule(j, v, with_node(p, n->arg[judge_holds(j, n->arg[0], p.scope, p.x) ? 1 : 0]));
    break;
  case CAT_FORALL: {
    int first, count = judge_domain_size(j, n->domain, n->low, n->high, p.scope, &first);
    for (int i = 0; n->domain != DOMAIN_ACTIONS && i < count; i++) {
      inside.scope = judge_bind_member(j, n->text, n->domain, first + i, p.scope);
      if (judge_holds(j, n->arg[0], inside.scope, p.x))
        continue;
      note_rule(j, v, inside);
      return;
    }
    break;
  }
  default:
    break;
  }
}

void judge_note_violation(struct judge *j, const struct cat_item *item, struct judge_scope *s,
                          int x) {
  struct violation v = {
      .name = item->name, .text = item->text, .place = item->place, .execution = x};
  note_rule(j, &v, (struct point){item->body, s, x, NULL, false});
  list_push(j->arena, &j->violations->list, v);
}
