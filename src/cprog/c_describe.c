#include "cprog/c_describe.h"
#include "axiom/judge.h"
#include "cprog/c_memory.h"
#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

enum { NULL_PAGE = 4096 };

const char *c_describe_name(const char *name, struct arena *a) {
  size_t length = strcspn(name, "+#");
  char *readable = NULL;
  if (strncmp(name, "_Z", 2) == 0)
    readable = __cxa_demangle(arena_format(a, "%.*s", (int)length, name), NULL, NULL, NULL);
  if (!readable)
    return name;
  const char *text = arena_format(a, "%s%s", readable, name + length);
  free(readable);
  return text;
}

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
    return arena_format(a, "across the end of '%s', which has %lld bytes",
                        c_describe_name(o->name, a), (long long)o->size);
  if (past == 0)
    return arena_format(a, "right behind the end of '%s', which has %lld bytes",
                        c_describe_name(o->name, a), (long long)o->size);
  return arena_format(a, "%lld bytes behind the end of '%s', which has %lld bytes", (long long)past,
                      c_describe_name(o->name, a), (long long)o->size);
}

/* The object that a whole access is in, if its address comes from there; else -1. */
static int object_around(const struct c_program *c, const struct c_violation *v, int64_t address) {
  const uint64_t *origin = c->origins + (size_t)v->address * c->origin_words;
  for (int i = 0; i < c->object_count; i++) {
    const struct c_object *o = &c->objects[i];
    if (address >= o->address && address + v->bytes <= o->address + o->size && !o->is_private &&
        (origin[i / 64] >> i % 64 & 1))
      return i;
  }
  return -1;
}

const struct c_violation *c_describe_missed(const struct c_program *c, const struct witness *w) {
  for (int i = 0; i < c->violation_count; i++) {
    const struct c_violation *v = &c->violations[i];
    if (v->address >= 0 && judge_evaluate(w, v->guard) &&
        object_around(c, v, judge_evaluate(w, v->address)) >= 0)
      return v;
  }
  return NULL;
}

const struct c_violation *c_describe_violation(const struct c_program *c, const struct witness *w,
                                               int violation, struct arena *a) {
  const struct c_violation *v = &c->violations[violation];
  if (v->address < 0)
    return v;
  struct c_violation *said = arena_alloc(a, sizeof *said);
  *said = *v;
  int64_t address = judge_evaluate(w, v->address);
  int around = object_around(c, v, address);
  said->text =
      around < 0
          ? where_to(c, address, a)
          : arena_format(a,
                         "of %d bytes inside '%s', at byte %lld, which is no multiple of its size",
                         v->bytes, c_describe_name(c->objects[around].name, a),
                         (long long)(address - c->objects[around].address));
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

/* Only what is as wide as an address is one. */
const char *c_describe_value(const struct c_program *c, const struct stmt *s, int64_t value,
                             struct arena *a) {
  int function = c_function_at(c->module, value);
  const struct c_object *o = s->bits == 64 ? object_near(c, value) : NULL;
  if (s->bits == 64 && function >= 0 && value == c_function_address(function))
    return c_describe_name(c->module->functions.data[function].name, a);
  if (!o || value > o->address + o->size)
    return arena_format(a, "%lld", (long long)value);
  return value == o->address ? arena_format(a, "&%s", c_describe_name(o->name, a))
                             : arena_format(a, "&%s+%lld", c_describe_name(o->name, a),
                                            (long long)(value - o->address));
}
