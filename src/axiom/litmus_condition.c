/* The condition of a litmus test: what registers and locations mean in it. */
#include "axiom/c_litmus.h"
#include "axiom/condition.h"
#include "axiom/litmus_internal.h"
#include <string.h>

enum { INT_BITS = 32 }; /* registers are ints unless declared otherwise, as in herd */

/* The size in which memory is accessed there, so that 0xffffffff and -1 are one 32-bit value. */
static int accessed_bits(const struct program *p, const struct litmus_object *o, int element) {
  int64_t address;
  int bytes = o->declared_bytes;
  for (int i = 0; i < p->stmts.length; i++)
    if (p->stmts.data[i].bytes > bytes && expr_is_const(p, p->stmts.data[i].address, &address) &&
        program_location_at(p, address) == o->first + element)
      bytes = p->stmts.data[i].bytes;
  return (o->cells == 1 ? bytes : o->element_bytes) * 8;
}

/* The type in which a location's value is written; C's variables are cells of 64 bits. */
static int shown_bits(const struct litmus_reader *r, const struct litmus_object *o, int element) {
  int bits = o->declared_bytes ? o->declared_bytes * 8 : INT_BITS, accessed = 0;
  int64_t address;
  for (int i = 0; i < r->p->stmts.length; i++) {
    const struct stmt *s = &r->p->stmts.data[i];
    if (s->bytes * 8 > accessed && expr_is_const(r->p, s->address, &address) &&
        program_location_at(r->p, address) == o->first + element)
      accessed = s->bytes * 8;
  }
  if (accessed && accessed < bits && o->cells == 1)
    return -accessed; /* what lies above is 0 */
  return !r->arch ? 0 : o->is_unsigned ? -bits : bits;
}

/* t = {1, 2}, or t in a list of locations. */
static int read_whole_array(struct litmus_reader *r, struct condition_reader *c,
                            const struct litmus_object *o) {
  struct scan *s = &r->scan;
  struct program *p = r->p;
  int all = expr_const(p, 1);
  if (!c->listing) {
    scan_expect(s, "=", "'='");
    scan_expect(s, "{", "'{' and the elements");
  }
  for (int i = 0; i < o->elements; i++) {
    int e = litmus_final(r, o, i, false);
    const char *shown = p->locations.data[o->first + i * o->cells].name;
    condition_observe(p, arena_format(p->arena, "[%s]", shown), e, shown_bits(r, o, i));
    if (c->listing)
      continue;
    int64_t v = scan_number(s, "an element");
    all = expr_make(p, EXPR_LAND, all, expr_make(p, EXPR_EQ, e, expr_const(p, v), -1), -1);
    scan_accept(s, ",");
  }
  if (!c->listing)
    scan_expect(s, "}", "'}'");
  c->whole = true;
  return all;
}

static int read_location_operand(struct litmus_reader *r, struct condition_reader *c, bool right,
                                 bool nvm) {
  struct scan *s = &r->scan;
  struct program *p = r->p;
  bool bracket = scan_accept(s, "["), address = scan_accept(s, "&");
  while (scan_accept(s, "*"))
    ;
  struct place where = s->place;
  const char *name = scan_name(s, p->arena, "a register such as 0:rax, or a location");
  bool indexed = scan_accept(s, "[");
  int64_t element = 0;
  const struct litmus_object *o = litmus_find_object(r, name);
  if (indexed) {
    element = scan_number(s, "an index");
    scan_expect(s, "]", "']'");
    if (!o || element < 0 || element >= o->elements)
      scan_fail(s, where, "there is no array element '%s[%lld]'", name, (long long)element);
  }
  if (bracket)
    scan_expect(s, "]", "']'");
  if (o && o->elements && !indexed && !right && !nvm && (c->listing || scan_is(s, "=")))
    return read_whole_array(r, c, o);
  if (!o) {
    litmus_location(r, name, where);
    o = litmus_find_object(r, name);
  }
  if (address || (right && !bracket && !indexed && !nvm))
    return expr_const(p, program_address(p, o->first + (int)element * o->cells));
  int e = litmus_final(r, o, (int)element, nvm);
  c->bits = accessed_bits(p, o, (int)element);
  const char *shown = p->locations.data[o->first + element * o->cells].name;
  condition_observe(p, arena_format(p->arena, nvm ? "nvm:[%s]" : "[%s]", shown), e,
                    shown_bits(r, o, (int)element));
  return e;
}

static int read_register_operand(struct litmus_reader *r, struct condition_reader *c,
                                 int64_t thread, int *shown_bits) {
  struct program *p = r->p;
  struct operand part = {0};
  int reg = litmus_register(r, &part);
  if (reg < 0)
    scan_unexpected(&r->scan, "a register");
  int e = r->code.data[thread].final[reg].value;
  if (part.high)
    e = expr_make(p, EXPR_SHR, e, expr_const(p, 8), -1);
  if (part.bits < 64)
    e = expr_make(p, EXPR_AND, e, expr_const(p, ((int64_t)1 << part.bits) - 1), -1);
  int declared = r->code.data[thread].type_bytes[reg] * 8;
  c->bits = part.bits < 64 ? part.bits : declared ? declared : INT_BITS;
  *shown_bits = r->code.data[thread].type_unsigned[reg] ? -c->bits : c->bits;
  return e;
}

static int read_condition_operand(struct condition_reader *c, bool right) {
  struct litmus_reader *r = c->context;
  struct scan *s = &r->scan;
  struct program *p = r->p;
  if (s->kind == TOK_NAME && scan_is(s, "nvm") && s->next < s->end && *s->next == ':') {
    scan_advance(s);
    scan_advance(s);
    return read_location_operand(r, c, right, true);
  }
  struct place where = s->place;
  int64_t number;
  if (!litmus_read_thread(r, &number))
    return read_location_operand(r, c, right, false);
  if (number < 0 || number >= p->threads.length - 1)
    scan_fail(s, where, "there is no thread %lld", (long long)number);
  const char *name = arena_text(p->arena, s->start, s->length);
  if (name[0] == '%')
    name++;
  int e, bits = 0;
  if (r->arch) {
    e = read_register_operand(r, c, number, &bits);
  } else {
    e = c_final_register(r, (int)number, name);
    if (e < 0 && !c->listing)
      scan_unexpected(s, "a local of the thread");
    e = e < 0 ? expr_const(p, 0) : e;
    scan_advance(s);
  }
  condition_observe(p, arena_format(p->arena, "%lld:%s", (long long)number, name), e, bits);
  return e;
}

static void read_locations(struct litmus_reader *r, struct condition_reader *c) {
  struct scan *s = &r->scan;
  scan_expect(s, "[", "'[' and locations");
  c->listing = true;
  while (!scan_accept(s, "]")) {
    read_condition_operand(c, false);
    if (!scan_is(s, "]"))
      scan_expect(s, ";", "';' or ']'");
  }
  c->listing = false;
}

/* Behind "final ... with" and in << ... >> stand directions for other tools. */
static void skip_directions(struct scan *s) {
  scan_accept(s, ";");
  if (scan_accept(s, "with"))
    while (s->kind != TOK_END)
      scan_advance(s);
  if (scan_is(s, "<<")) {
    s->next = s->end;
    scan_advance(s);
  }
}

void litmus_read_conditions(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  struct condition_reader c = {
      .scan = s, .program = r->p, .operand = read_condition_operand, .context = r};
  for (;;) {
    if (scan_accept(s, "locations")) {
      read_locations(r, &c);
    } else if (scan_accept(s, "filter")) {
      int e = condition_read_formula(&c);
      list_push(r->p->arena, &r->p->assumes, e);
    } else {
      break;
    }
  }
  bool found = condition_read(&c);
  skip_directions(s);
  if (s->kind != TOK_END)
    scan_unexpected(s, found ? "the end of the test"
                             : "exists, ~exists, forall, final, locations or filter");
}
