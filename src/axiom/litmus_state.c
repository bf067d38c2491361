/* The initial state of a test, and the objects that it and the code name. */
#include "axiom/c_litmus.h"
#include "axiom/litmus_internal.h"
#include <ctype.h>
#include <string.h>

enum { THREADS_MAX = 60, ELEMENTS_MAX = 4096, LINE_BYTES = 64 };

void litmus_check_thread(struct litmus_reader *r, int64_t number, struct place where) {
  if (number < 0 || number >= THREADS_MAX)
    scan_fail(&r->scan, where, "thread number %lld, expected 0 to %d", (long long)number,
              THREADS_MAX - 1);
}

struct asm_code *litmus_thread(struct litmus_reader *r, int64_t number, struct place where) {
  litmus_check_thread(r, number, where);
  while (r->code.length <= number) {
    struct asm_code c = {0};
    for (int i = 0; i < ASM_REGISTERS; i++)
      c.initial[i] = expr_const(r->p, 0);
    list_push(r->p->arena, &r->code, c);
  }
  return &r->code.data[number];
}

/* ---- objects and their cells --------------------------------------------------------------- */

struct litmus_object *litmus_find_object(struct litmus_reader *r, const char *name) {
  for (int i = 0; i < r->objects.length; i++)
    if (!strcmp(r->objects.data[i].name, name))
      return &r->objects.data[i];
  return NULL;
}

/* "x", "t[1]"; the second and later cells of an element are "x+4". */
static const char *cell_name(struct litmus_reader *r, const struct litmus_object *o, int i) {
  struct arena *a = r->p->arena;
  int element = i / o->cells, part = i % o->cells * o->cell_bytes;
  const char *base = o->elements ? arena_format(a, "%s[%d]", o->name, element) : o->name;
  return part ? arena_format(a, "%s+%d", base, part) : base;
}

static struct litmus_object *declare(struct litmus_reader *r, struct litmus_object o,
                                     struct place where) {
  struct program *p = r->p;
  int used = 0, count = o.elements ? o.elements : 1;
  o.cells = 1;
  o.first = p->locations.length;
  if (mixed_object(r->mixed, o.name, &o.cell_bytes, &used)) {
    if (!o.elements && o.element_bytes < used)
      o.element_bytes = used;
    o.cells = (o.element_bytes + o.cell_bytes - 1) / o.cell_bytes;
  } else {
    o.cell_bytes = r->mixed ? 0 : o.element_bytes;
  }
  for (int i = 0; i < count * o.cells; i++) {
    int offset = o.cells > 1 ? i * o.cell_bytes : i * o.element_bytes;
    program_add_location(p, (struct location){.name = cell_name(r, &o, i),
                                              .array = o.elements || o.cells > 1 ? o.first : -1,
                                              .index = i,
                                              .offset = offset,
                                              .bytes = o.cell_bytes,
                                              .line = o.first + offset / LINE_BYTES,
                                              .place = where});
  }
  list_push(p->arena, &r->objects, o);
  return &r->objects.data[r->objects.length - 1];
}

int litmus_location(struct litmus_reader *r, const char *name, struct place where) {
  struct litmus_object *o = litmus_find_object(r, name);
  if (!o)
    o = declare(r, (struct litmus_object){.name = name}, where);
  return o->first;
}

static void set_initial(struct litmus_reader *r, const struct litmus_object *o, int element,
                        int64_t value) {
  int bits = o->declared_bytes * 8; /* what does not fit the type is cut */
  if (bits && bits < 64 && (value >= (int64_t)1 << bits || value < -((int64_t)1 << (bits - 1))))
    value &= ((int64_t)1 << bits) - 1;
  for (int c = 0; c < o->cells; c++) {
    int64_t part = value >> (c * o->cell_bytes * 8 & 63);
    enum expr_kind wrap = o->cell_bytes == 4   ? EXPR_WRAP32
                          : o->cell_bytes == 2 ? EXPR_WRAP16
                                               : EXPR_WRAP8;
    if (o->cells > 1 && o->cell_bytes < 8)
      part = expr_apply(wrap, part, 0, 0);
    if (c * o->cell_bytes >= 8)
      part = 0;
    r->p->locations.data[o->first + element * o->cells + c].initial = part;
  }
}

int litmus_final(struct litmus_reader *r, const struct litmus_object *o, int element, bool nvm) {
  struct program *p = r->p;
  int whole = -1, first = o->first + element * o->cells, bits = o->cell_bytes * 8;
  for (int c = 0; c < o->cells && c * bits < 64; c++) {
    int part = expr_leaf(p, nvm ? EXPR_NVM : EXPR_FINAL, first + c);
    if (o->cells == 1 || bits >= 64)
      return part;
    part = expr_make(p, EXPR_AND, part, expr_const(p, ((int64_t)1 << bits) - 1), -1);
    part = expr_make(p, EXPR_SHL, part, expr_const(p, c * bits), -1);
    whole = whole < 0 ? part : expr_make(p, EXPR_OR, whole, part, -1);
  }
  return o->element_bytes == 4 ? expr_make(p, EXPR_WRAP32, whole, -1, -1) : whole;
}

/* "%P0_x" in code, on AArch64 also "X%P0_x" and "W%P0_x"; -1 if there is none at the scanner. */
static int read_symbol(struct litmus_reader *r, struct operand *part) {
  struct scan *s = &r->scan;
  bool sized = s->kind == TOK_NAME && s->length == 1 && s->next < s->end && *s->next == '%' &&
               strchr("XxWw", *s->start);
  if (!r->in_code || (r->arch->scan_style & SCAN_DOLLAR) || (!sized && !scan_is(s, "%")))
    return -1;
  part->bits = sized && strchr("Ww", *s->start) ? 32 : 64;
  part->high = false;
  if (sized)
    scan_advance(s);
  scan_advance(s);
  int reg = -1;
  for (int i = 0; s->kind == TOK_NAME && i < r->symbols.length; i++)
    if (scan_is(s, r->symbols.data[i].name))
      reg = r->arch->register_count + i;
  if (reg < 0)
    scan_unexpected(s, "a name for a register that the initial state has, too");
  scan_advance(s);
  return reg;
}

int litmus_register(struct litmus_reader *r, struct operand *part) {
  struct scan *s = &r->scan;
  int symbol = r->arch ? read_symbol(r, part) : -1;
  if (symbol >= 0)
    return symbol;
  int reg = s->kind == TOK_NAME && r->arch ? r->arch->find_register(s->start, s->length, part) : -1;
  if (reg >= 0)
    scan_advance(s);
  return reg;
}

/* ---- initial state ------------------------------------------------------------------------ */

/* PTE(x), pte_x, x:green, P0:L1, "NOP": what tests of the privileged parts of AArch64 have. */
static void refuse_system_object(struct litmus_reader *r, const char *name, struct place where) {
  struct scan *s = &r->scan;
  if (!strncmp(name, "pte_", 4) && !strcmp(r->p->arch, "AArch64"))
    scan_fail(s, where, "'%s' is not modelled: there are no page tables", name);
  if (scan_is(s, "(") || scan_is(s, ":"))
    scan_fail(
        s, where,
        "'%s%s' is not modelled: there are no page tables, memory tags, shadow stacks, signed "
        "pointers or addresses of code",
        name, scan_is(s, "(") ? "(...)" : ":...");
}

static int64_t read_initial_value(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  scan_accept(s, "&");
  if (scan_is(s, "ATOMIC_INIT") || scan_is(s, "(")) {
    scan_accept(s, "ATOMIC_INIT");
    scan_expect(s, "(", "'('");
    scan_enter(s);
    int64_t v = read_initial_value(r);
    scan_leave(s);
    scan_expect(s, ")", "')'");
    return v;
  }
  if (s->kind != TOK_NAME)
    return scan_number(s, "a value: a number or a location");
  struct place where = s->place;
  char *name = scan_name(s, r->p->arena, "a location");
  refuse_system_object(r, name, where);
  if (scan_accept(s, "[")) {
    int64_t i = scan_number(s, "an index");
    scan_expect(s, "]", "']'");
    const struct litmus_object *o = litmus_find_object(r, name);
    if (!o || i < 0 || i >= o->elements)
      scan_fail(s, where, "there is no array element '%s[%lld]'", name, (long long)i);
    return program_address(r->p, o->first + (int)i * o->cells);
  }
  return program_address(r->p, litmus_location(r, name, where));
}

struct type {
  int bytes; /* 0 = not known */
  bool is_unsigned;
};

static const struct type pointer = {8, false};

/* Types that herd knows. */
static struct type type_at(const struct scan *s) {
  static const struct {
    const char *name;
    struct type type;
  } types[] = {{"char", {1, false}},       {"int8_t", {1, false}},    {"uint8_t", {1, true}},
               {"short", {2, false}},      {"int16_t", {2, false}},   {"uint16_t", {2, true}},
               {"int", {4, false}},        {"int32_t", {4, false}},   {"uint32_t", {4, true}},
               {"atomic_int", {4, false}}, {"atomic_t", {4, false}},  {"long", {8, false}},
               {"int64_t", {8, false}},    {"uint64_t", {8, true}},   {"intptr_t", {8, false}},
               {"uintptr_t", {8, true}},   {"__int128", {16, false}}, {"int128_t", {16, false}},
               {"uint128_t", {16, true}},  {"__uint128", {16, true}}};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (scan_is(s, types[i].name))
      return types[i].type;
  return (struct type){0, false};
}

static struct litmus_object *declare_typed(struct litmus_reader *r, const char *name, struct type t,
                                           int elements, struct place where) {
  struct litmus_object o = {.name = name,
                            .elements = elements,
                            .element_bytes = t.bytes,
                            .declared_bytes = t.bytes,
                            .is_unsigned = t.is_unsigned};
  if (elements && !r->arch)
    o.element_bytes = 1; /* C: a + 1 is the next element, whatever the type */
  else if (elements && !t.bytes)
    o.element_bytes = 8;
  return declare(r, o, where);
}

/* The scanner is behind '['. */
static int read_length(struct litmus_reader *r, struct place where) {
  struct scan *s = &r->scan;
  int64_t n = scan_number(s, "the length of the array");
  scan_expect(s, "]", "']'");
  if (n < 1 || n > ELEMENTS_MAX)
    scan_fail(s, where, "array of %lld elements, expected 1 to %d", (long long)n, ELEMENTS_MAX);
  return (int)n;
}

static void read_array(struct litmus_reader *r, const char *name, struct place where) {
  struct scan *s = &r->scan;
  int n = read_length(r, where);
  struct litmus_object *o = litmus_find_object(r, name); /* note_types has made it */
  if (!o || !o->noted || o->elements != n)
    scan_fail(s, where, "'%s' is declared twice", name);
  o->noted = false;
  int number = (int)(o - r->objects.data);
  if (!scan_accept(s, "="))
    return;
  scan_expect(s, "{", "'{' and the elements");
  for (int i = 0; !scan_accept(s, "}"); i++) {
    if (i >= n)
      scan_fail(s, s->place, "more than %d elements", n);
    int64_t value = read_initial_value(r);
    set_initial(r, &r->objects.data[number], i, value);
    if (!scan_accept(s, ","))
      scan_accept(s, ";");
  }
}

/* "type *name" or "name[2]" at the start of an item; *type is what is known so far.  True if there
 * may be more of the type. */
static bool note_name(struct litmus_reader *r, struct type *type) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  struct type here = type_at(s);
  const char *name = scan_name(s, r->p->arena, "a name");
  if (s->kind == TOK_NAME || s->kind == TOK_NUMBER || scan_is(s, "*")) {
    *type = here.bytes ? here : *type;
    while (scan_accept(s, "*"))
      *type = pointer;
    return true;
  }
  bool array = scan_accept(s, "[");
  if (scan_is(s, ":") || (!array && !type->bytes) || litmus_find_object(r, name))
    return false;
  int n = array ? read_length(r, where) : 0;
  declare_typed(r, name, *type, n, where)->noted = array;
  return false;
}

/* Types and arrays may be declared behind their first use: they are noted before all else. */
static void note_types(struct litmus_reader *r) {
  struct scan *s = &r->scan, saved = *s;
  struct type type = {0, false};
  int depth = 0;
  for (bool fresh = true; s->kind != TOK_END && (depth || !scan_is(s, "}"));) {
    if (scan_accept(s, ";")) {
      fresh = true;
      type = (struct type){0, false};
    } else if (fresh && s->kind == TOK_NAME) {
      fresh = note_name(r, &type);
    } else {
      fresh = false;
      depth += scan_is(s, "{") - scan_is(s, "}");
      scan_advance(s);
    }
  }
  scan_restore(s, &saved);
}

/* "0:" or "P0:" at the scanner; false if there is none. */
bool litmus_read_thread(struct litmus_reader *r, int64_t *number) {
  struct scan *s = &r->scan;
  bool long_form = s->kind == TOK_NAME && s->length > 1 && s->start[0] == 'P' && *s->next == ':';
  for (size_t i = 1; long_form && i < s->length; i++)
    long_form = isdigit((unsigned char)s->start[i]);
  if (long_form) {
    *number = 0;
    for (size_t i = 1; i < s->length && *number < THREADS_MAX; i++)
      *number = *number * 10 + (s->start[i] - '0');
    scan_advance(s);
  } else if (s->kind == TOK_NUMBER) {
    *number = scan_number(s, "a thread number");
  } else {
    return false;
  }
  scan_expect(s, ":", "':' and a register");
  return true;
}

static void read_initial_register(struct litmus_reader *r, int64_t number, struct place where,
                                  struct type type) {
  struct scan *s = &r->scan;
  if (!r->arch) {
    const char *name = scan_name(s, r->p->arena, "a register");
    int64_t value = scan_accept(s, "=") ? read_initial_value(r) : 0;
    c_initial_register(r, (int)number, name, value);
    return;
  }
  struct operand part;
  int reg = litmus_register(r, &part);
  if (reg < 0)
    scan_unexpected(s, "a register");
  if (type.bytes) {
    litmus_thread(r, number, where)->type_bytes[reg] = type.bytes;
    litmus_thread(r, number, where)->type_unsigned[reg] = type.is_unsigned;
  }
  int64_t value = scan_accept(s, "=") ? read_initial_value(r) : 0;
  litmus_thread(r, number, where)->initial[reg] = expr_const(r->p, value);
}

/* Behind '%': a register without a number, whatever thread uses it. */
static void read_initial_symbol(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  struct litmus_symbol symbol = {.name = scan_name(s, r->p->arena, "a name for a register")};
  if (r->arch->register_count + r->symbols.length == ASM_REGISTERS)
    scan_fail(s, where, "too many names for registers");
  if (scan_accept(s, "="))
    symbol.initial = read_initial_value(r);
  list_push(r->p->arena, &r->symbols, symbol);
}

static void read_initial_item(struct litmus_reader *r, struct type type) {
  struct scan *s = &r->scan;
  int64_t number;
  struct place where = s->place;
  if (r->arch && scan_accept(s, "%")) {
    read_initial_symbol(r);
    return;
  }
  while (scan_accept(s, "*")) /* a pointer */
    type = pointer;
  if (litmus_read_thread(r, &number)) {
    read_initial_register(r, number, where, type);
    return;
  }
  bool bracket = scan_accept(s, "[");
  where = s->place;
  struct type here = type_at(s);
  char *name = scan_name(s, r->p->arena, "a location, a type or a register such as 0:rax");
  refuse_system_object(r, name, where);
  if (!bracket &&
      (s->kind == TOK_NAME || s->kind == TOK_NUMBER || scan_is(s, "*") || scan_is(s, "%"))) {
    scan_enter(s);
    read_initial_item(r, here.bytes ? here : type); /* what we had was (part of) a type */
    scan_leave(s);
    return;
  }
  if (bracket)
    scan_expect(s, "]", "']'");
  else if (scan_accept(s, "[")) {
    read_array(r, name, where);
    return;
  }
  struct litmus_object *o = litmus_find_object(r, name);
  if (!o)
    o = declare_typed(r, name, type, 0, where);
  int object = (int)(o - r->objects.data);
  if (scan_accept(s, "=")) {
    int64_t value = read_initial_value(r);
    set_initial(r, &r->objects.data[object], 0, value);
  }
}

void litmus_read_initial(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  note_types(r);
  while (!scan_accept(s, "}")) {
    if (scan_accept(s, ";"))
      continue;
    read_initial_item(r, (struct type){0, false});
    if (!scan_is(s, "}") && !scan_is(s, ";"))
      scan_unexpected(s, "';' or '}'");
  }
  scan_accept(s, ";");
}
