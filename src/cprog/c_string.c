/* Functions on strings and bytes: loads and stores one after the other, as the library would do
 * them.  A string ends at its first zero; where that is not known, all that it may be are looked at. */
#include "cprog/c_call.h"

enum { STRING_MAX = 256 };

static int byte_at(struct c_call *c, int address, int64_t offset) {
  int place = c_binary(c->x->p, CIR_ADD, 64, address, c_call_constant(c, offset));
  return c_access_load(c->x, c_call_request(c, place, 1, ORDER_NA));
}

static void put_byte(struct c_call *c, int address, int64_t offset, int value) {
  int place = c_binary(c->x->p, CIR_ADD, 64, address, c_call_constant(c, offset));
  c_access_store(c->x, c_call_request(c, place, 1, ORDER_NA), value);
}

/* How many bytes a function may look at: its argument, which must be constant if there is one. */
static int64_t limit(struct c_call *c, int arg) {
  int64_t n = STRING_MAX;
  if (arg < c->count && !expr_is_const(c->x->p, c->args[arg], &n))
    c_fail(c->x, c->i->place, "a length that is not a constant");
  return n < 0 || n > STRING_MAX ? STRING_MAX : n;
}

/* Nobody looks further than one byte behind an object, which is wrong already. */
static int64_t within(struct c_call *c, int address, int64_t max) {
  int64_t at;
  int object = expr_is_const(c->x->p, address, &at) ? c_object_at(c->x, at) : -1;
  const struct c_object *o = object >= 0 ? &c->x->objects.data[object] : NULL;
  return o && o->address + o->size - at < max ? o->address + o->size - at + 1 : max;
}

/* The function's loop: who is still in it, and who has left. */
struct loop {
  int in, left;
};

static struct loop loop_begin(const struct c_call *c) {
  return (struct loop){c->x->guard, expr_const(c->x->p, 0)};
}

static bool loop_turn(struct c_call *c, const struct loop *l) {
  c->x->guard = l->in;
  return !c_is(c->x->p, l->in, 0);
}

static void loop_while(struct c_call *c, struct loop *l, int condition) {
  struct program *p = c->x->p;
  l->in = c_and(p, c->x->guard, condition);
  l->left = c_or(p, l->left, c_and(p, c->x->guard, c_not(p, condition)));
}

/* Who is still in it has come to the end of what it was to look at, or goes over the bound. */
static void loop_end(struct c_call *c, const struct loop *l, bool is_bound) {
  struct c_bound b = {l->in, c->i->place};
  c->x->guard = is_bound ? l->left : c_or(c->x->p, l->left, l->in);
  if (is_bound && !c_is(c->x->p, l->in, 0))
    list_push(c->x->arena, &c->x->bounds, b);
}

static int not_zero(struct c_call *c, int value) {
  return c_not(c->x->p, c_equal(c->x->p, value, c_call_constant(c, 0)));
}

/* ---- length ------------------------------------------------------------------------------------ */

static void length(struct c_call *c, int64_t max, bool counted) {
  struct loop l = loop_begin(c);
  int64_t turns = within(c, c->args[0], max);
  c->result = c_call_constant(c, 0);
  for (int64_t at = 0; at < turns && loop_turn(c, &l); at++) {
    loop_while(c, &l, not_zero(c, byte_at(c, c->args[0], at)));
    c->result = c_choose(c->x->p, l.in, c_call_constant(c, at + 1), c->result);
  }
  loop_end(c, &l, !counted);
}

static void call_strlen(struct c_call *c) {
  length(c, STRING_MAX, false);
}

static void call_strnlen(struct c_call *c) {
  length(c, limit(c, 1), true);
}

/* ---- comparison: the difference of the first bytes that differ ----------------------------------- */

static void compare(struct c_call *c, bool strings, bool counted) {
  struct program *p = c->x->p;
  struct loop l = loop_begin(c);
  int64_t turns = within(c, c->args[0], within(c, c->args[1], limit(c, 2)));
  c->result = c_call_constant(c, 0);
  for (int64_t at = 0; at < turns && loop_turn(c, &l); at++) {
    int a = byte_at(c, c->args[0], at), b = byte_at(c, c->args[1], at), same = c_equal(p, a, b);
    c->result = c_choose(p, l.in, c_binary(p, CIR_SUB, 32, a, b), c->result);
    loop_while(c, &l, strings ? c_and(p, same, not_zero(c, a)) : same);
  }
  loop_end(c, &l, !counted);
}

static void call_memcmp(struct c_call *c) {
  int64_t n;
  if (expr_is_const(c->x->p, c->args[2], &n) && (n < 0 || n > STRING_MAX))
    c_fail(c->x, c->i->place, "a comparison of more than %d bytes", STRING_MAX);
  compare(c, false, true);
}

static void call_strcmp(struct c_call *c) {
  c->count = 2;
  compare(c, true, false);
}

static void call_strncmp(struct c_call *c) {
  compare(c, true, true);
}

/* ---- copies -------------------------------------------------------------------------------------- */

static void copy(struct c_call *c, int64_t max, bool fills) {
  struct loop l = loop_begin(c);
  int64_t room = within(c, c->args[0], max), turns = within(c, c->args[1], room);
  for (int64_t at = 0; at < turns && loop_turn(c, &l); at++) {
    int value = byte_at(c, c->args[1], at), left = l.left;
    put_byte(c, c->args[0], at, value);
    loop_while(c, &l, not_zero(c, value));
    if (!fills)
      continue;
    c->x->guard = c_and(c->x->p, l.left, c_not(c->x->p, left)); /* those that leave now */
    for (int64_t rest = at + 1; rest < room && !c_is(c->x->p, c->x->guard, 0); rest++)
      put_byte(c, c->args[0], rest, c_call_constant(c, 0));
  }
  loop_end(c, &l, !fills);
  c->result = c->args[0];
}

static void call_strcpy(struct c_call *c) {
  copy(c, STRING_MAX, false);
}

static void call_strncpy(struct c_call *c) {
  copy(c, limit(c, 2), true);
}

const struct c_external c_string_externals[] = {
    {"strlen", 1, call_strlen}, {"strnlen", 2, call_strnlen}, {"memcmp", 3, call_memcmp},
    {"bcmp", 3, call_memcmp},   {"strcmp", 2, call_strcmp},   {"strncmp", 3, call_strncmp},
    {"strcpy", 2, call_strcpy}, {"strncpy", 3, call_strncpy}, {NULL, 0, NULL}};
