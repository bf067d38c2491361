#include "cprog/c_idle.h"
#include "cprog/c_domain.h"
#include "cprog/c_memory.h"

enum { WEIGHT_MAX = 40 };

static bool reads_since(const struct c_exec *x, int e, int stmt) {
  const struct expr *f = &x->p->exprs.data[e];
  if (f->kind == EXPR_READ)
    return f->value >= stmt;
  if (f->weight >= WEIGHT_MAX)
    return true;
  for (int i = 0; i < expr_arity(f->kind); i++)
    if (reads_since(x, f->arg[i], stmt))
      return true;
  return false;
}

bool c_idle_note(struct c_exec *x, int start, int first_part) {
  bool any = false;
  for (int i = first_part; i < x->parts.length; i++) {
    const struct stmt *s = &x->p->stmts.data[x->parts.data[i].stmt];
    if (s->guard == start && !reads_since(x, s->address, x->parts.data[first_part].stmt))
      continue; /* the last turn does the same */
    list_push(x->arena, &x->loose, i);
    const struct c_access *known = c_key_known(x, x->parts.data[i].access);
    any = any || (known && known->clashes);
  }
  return any;
}

/* ---- what clashes --------------------------------------------------------------------------- */

struct finder {
  struct c_exec *x;
  const struct values *domain;
  struct values *places; /* by part; none if it cannot run */
  int *from;             /* by thread: what it does from this part on may be due to somebody */
  bool races;
};

static const struct stmt *stmt_of(const struct finder *f, int part) {
  return &f->x->p->stmts.data[f->x->parts.data[part].stmt];
}

static bool can_run(const struct values *domain, const struct stmt *s) {
  struct values guard = domain[s->guard];
  return guard.count < 0 || guard.count > 1 || (guard.count == 1 && guard.data[0]);
}

static bool overlap(const struct finder *f, int one, int other) {
  struct values a = f->places[one], b = f->places[other];
  int bytes = f->x->parts.data[one].bytes, other_bytes = f->x->parts.data[other].bytes;
  for (int i = 0; i < a.count; i++)
    for (int k = 0; k < b.count; k++)
      if (a.data[i] < b.data[k] + other_bytes && b.data[k] < a.data[i] + bytes)
        return true;
  return false;
}

static bool is_due(const struct finder *f, int part) {
  return part >= f->from[stmt_of(f, part)->thread];
}

static bool sees_what_is_due(const struct finder *f, int read) {
  for (int w = 0; w < f->x->parts.length; w++)
    if (stmt_of(f, w)->kind == STMT_WRITE && is_due(f, w) && overlap(f, read, w))
      return true;
  return false;
}

/* What may be due to what a thread does behind this part: by reading it, and what has read that. */
static void find_due(struct finder *f, int first) {
  struct c_exec *x = f->x;
  int thread = stmt_of(f, first)->thread;
  for (int t = 0; t < x->p->threads.length; t++) {
    const struct c_thread *c = &x->threads.data[t];
    bool created = t > 0 && c->creator == thread && c->created_at > x->parts.data[first].stmt;
    f->from[t] = created ? 0 : x->parts.length;
  }
  f->from[thread] = first + 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int r = 0; r < x->parts.length; r++)
      if (stmt_of(f, r)->kind == STMT_READ && !is_due(f, r) && sees_what_is_due(f, r)) {
        f->from[stmt_of(f, r)->thread] = r;
        changed = true;
      }
  }
}

/* It is done before anybody else can know where: by the thread that has allocated it, which has not
 * written that address anywhere. */
static bool is_unpublished(const struct finder *f, int part) {
  struct c_exec *x = f->x;
  const struct stmt *s = stmt_of(f, part);
  int object = f->places[part].count == 1 ? c_object_at(x, f->places[part].data[0]) : -1;
  int birth = -1;
  for (int i = 0; object >= 0 && i < x->births.length; i++)
    if (x->births.data[i].object == object && x->births.data[i].thread == s->thread)
      birth = x->births.data[i].stmt;
  for (int i = birth; i >= 0 && i < x->parts.data[part].stmt; i++) {
    const struct stmt *w = &x->p->stmts.data[i];
    if (w->kind == STMT_WRITE && w->thread == s->thread &&
        (x->origins[(size_t)w->value * x->origin_words + (size_t)object / 64] >> object % 64 & 1))
      return false;
  }
  return birth >= 0;
}

static bool clash(const struct finder *f, int idle, int other) {
  const struct c_part *p = &f->x->parts.data[idle], *q = &f->x->parts.data[other];
  const struct stmt *s = stmt_of(f, idle), *t = stmt_of(f, other);
  bool writes = s->kind == STMT_WRITE || t->kind == STMT_WRITE;
  bool minds = t->frees || (f->races && writes && (!p->is_atomic || !q->is_atomic));
  return minds && t->thread != s->thread && !t->births && is_due(f, other) &&
         overlap(f, idle, other) && !is_unpublished(f, other);
}

/* What the same thread has noted first: more is due to that than to what comes later. */
static int first_of(const struct finder *f, int part) {
  for (int i = 0; i < f->x->loose.length; i++) {
    int other = f->x->loose.data[i];
    if (other < part && stmt_of(f, other)->thread == stmt_of(f, part)->thread)
      part = other;
  }
  return part;
}

bool c_idle_find(struct c_exec *x, const struct values *domain, struct c_access *accesses) {
  struct tags plain = x->target->access(HALF_LOAD, ORDER_NA);
  struct tags relaxed = x->target->access(HALF_LOAD, ORDER_RELAXED);
  struct finder f = {.x = x, .domain = domain, .races = !tags_equal(&plain, &relaxed)};
  bool any = false;
  int thread = -1;
  if (!x->loose.length)
    return false;
  f.from = arena_alloc(x->arena, (size_t)x->p->threads.length * sizeof *f.from + 1);
  f.places = arena_alloc(x->arena, (size_t)x->parts.length * sizeof *f.places + 1);
  for (int i = 0; i < x->parts.length; i++) {
    const struct stmt *s = stmt_of(&f, i);
    if (can_run(domain, s))
      f.places[i] = c_domain_addresses(x, domain, s->address, x->parts.data[i].bytes);
  }
  for (int i = 0; i < x->loose.length; i++) {
    int idle = x->loose.data[i];
    bool clashes = false;
    if (stmt_of(&f, idle)->thread != thread)
      find_due(&f, first_of(&f, idle));
    thread = stmt_of(&f, idle)->thread;
    for (int k = 0; !clashes && k < x->parts.length; k++)
      clashes = clash(&f, idle, k);
    any = any || clashes;
    if (accesses && clashes)
      accesses[x->parts.data[idle].access].clashes = true;
  }
  return any;
}
