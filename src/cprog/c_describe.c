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

/* How many bytes an address lies outside of an object; 0 inside. */
static uint64_t distance(const struct c_object *o, int64_t address) {
  uint64_t past = (uint64_t)address - (uint64_t)(o->address + o->size);
  return address < o->address              ? (uint64_t)o->address - (uint64_t)address
         : address >= o->address + o->size ? past
                                           : 0;
}

static bool comes_from(const struct c_program *c, const struct c_violation *v, int object) {
  const uint64_t *origin = c->origins + (size_t)v->address * c->origin_words;
  return origin[object / 64] >> object % 64 & 1;
}

/* The nearest object, of those that the address comes from if one of them is near. */
static const struct c_object *object_missed(const struct c_program *c, const struct c_violation *v,
                                            int64_t address) {
  enum { NEAR = 65536 };
  const struct c_object *best = NULL;
  for (int all = 0; all < 2 && !best; all++)
    for (int i = 0; i < c->object_count; i++) {
      uint64_t far = distance(&c->objects[i], address);
      if (far <= NEAR && (all || comes_from(c, v, i)) && (!best || far < distance(best, address)))
        best = &c->objects[i];
    }
  return best;
}

static const char *where_to(const struct c_program *c, const struct c_violation *v, int64_t address,
                            struct arena *a) {
  if (address >= 0 && address < NULL_PAGE)
    return "through a null pointer";
  const struct c_object *o = object_missed(c, v, address);
  if (!o)
    return "outside every object";
  int64_t far = (int64_t)distance(o, address);
  const char *size = arena_format(a, "'%s', which has %lld bytes", c_describe_name(o->name, a),
                                  (long long)o->size);
  if (address < o->address)
    return arena_format(a, "%lld bytes in front of %s", (long long)far, size);
  if (address < o->address + o->size) /* it begins inside */
    return arena_format(a, "across the end of %s", size);
  if (!far)
    return arena_format(a, "right behind the end of %s", size);
  return arena_format(a, "%lld bytes behind the end of %s", (long long)far, size);
}

/* The object that a whole access is in, if its address comes from there; else -1. */
static int object_around(const struct c_program *c, const struct c_violation *v, int64_t address) {
  for (int i = 0; i < c->object_count; i++) {
    const struct c_object *o = &c->objects[i];
    if (address >= o->address && address + v->bytes <= o->address + o->size && !o->is_private &&
        comes_from(c, v, i))
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
          ? where_to(c, v, address, a)
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

int64_t c_describe_input(const struct witness *w, int input) {
  int64_t value = w->inputs[input];
  int bits = w->universe->program->inputs.data[input].bits;
  return bits == 8    ? (int8_t)value
         : bits == 16 ? (int16_t)value
         : bits == 32 ? (int32_t)value
                      : value;
}

bool c_describe_is_asked(const struct witness *w, int input) {
  const struct input *i = &w->universe->program->inputs.data[input];
  return i->is_asked_for && judge_evaluate(w, i->guard);
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
