#include "cprog/c_describe.h"
#include "axiom/judge.h"

enum { NULL_PAGE = 4096 };

/* The object at or, if there is none, before an address. */
static const struct c_object *object_near(const struct c_program *c, int64_t address) {
  const struct c_object *best = NULL;
  for (int i = 0; i < c->object_count; i++) {
    const struct c_object *o = &c->objects[i];
    if (o->address <= address && (!best || o->address > best->address))
      best = o;
  }
  return best;
}

static const char *where_to(const struct c_program *c, int64_t address, struct arena *a) {
  enum { NEAR = 65536 };
  if (address >= 0 && address < NULL_PAGE)
    return "through a null pointer";
  const struct c_object *o = object_near(c, address);
  if (!o || address - o->address > o->size + NEAR)
    return "outside every object";
  int64_t past = address - o->address - o->size;
  if (past < 0) /* it begins inside */
    return arena_format(a, "across the end of '%s', which has %lld bytes", o->name,
                        (long long)o->size);
  if (past == 0)
    return arena_format(a, "right behind the end of '%s', which has %lld bytes", o->name,
                        (long long)o->size);
  return arena_format(a, "%lld bytes behind the end of '%s', which has %lld bytes", (long long)past,
                      o->name, (long long)o->size);
}

const struct c_violation *c_describe_violation(const struct c_program *c, const struct witness *w,
                                               int violation, struct arena *a) {
  const struct c_violation *v = &c->violations[violation];
  if (v->address < 0)
    return v;
  struct c_violation *said = arena_alloc(a, sizeof *said);
  *said = *v;
  said->text = where_to(c, judge_evaluate(w, v->address), a);
  return said;
}

const struct c_violation *c_describe_use_after_free(const struct c_program *c,
                                                    const struct witness *w, struct arena *a) {
  int action = witness_use_after_free(w);
  if (action < 0)
    return NULL;
  const struct stmt *s = &c->program->stmts.data[w->executions[0].stmt[action]], *f = NULL;
  for (int i = 0, n = w->universe->actions.length; i < n; i++) {
    int by = w->executions[0].stmt[i];
    if (by >= 0 && stmt_ends_before(c->program, by, w->executions[0].stmt[action]) &&
        (w->executions[0].source[action] == i ||
         (w->executions[0].co && w->executions[0].co[i * n + action])))
      f = &c->program->stmts.data[by];
  }
  struct c_violation *v = arena_alloc(a, sizeof *v);
  *v = (struct c_violation){
      .kind = VIOLATION_FREE, .thread = s->thread, .place = s->place, .address = -1};
  const char *name = c->program->threads.data[f->thread].name;
  if (f->returns)
    v->text = arena_format(a, "use of a local variable of %s after its end, at %s:%d", name,
                           f->place.file, f->place.line);
  else
    v->text =
        arena_format(a, "%s: freed at %s:%d by %s", s->frees ? "a second free" : "use after free",
                     f->place.file, f->place.line, name);
  return v;
}
