#include "axiom/litmus.h"
#include "axiom/c_litmus.h"
#include "axiom/condition.h"
#include "axiom/litmus_internal.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { THREADS_MAX = 60, ELEMENTS_MAX = 4096, LINE_BYTES = 64 };

void litmus_check_thread(struct litmus_reader *r, int64_t number, struct place where) {
  if (number < 0 || number >= THREADS_MAX)
    scan_fail(&r->scan, where, "thread number %lld, expected 0 to %d", (long long)number,
              THREADS_MAX - 1);
}

static struct asm_code *thread_code(struct litmus_reader *r, int64_t number, struct place where) {
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

int litmus_register(struct litmus_reader *r, struct operand *part) {
  struct scan *s = &r->scan;
  int reg = s->kind == TOK_NAME && r->arch ? r->arch->find_register(s->start, s->length, part) : -1;
  if (reg >= 0)
    scan_advance(s);
  return reg;
}

/* ---- header ------------------------------------------------------------------------------- */

/* The name is what stands between the architecture and the first blank; then come free text and
 * Key=Value lines.  A comment may hide a brace, unless it is never closed. */
static void read_header(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  r->p->arch = arena_text(r->p->arena, s->start, s->length);
  while (s->next < s->end && (*s->next == ' ' || *s->next == '\t'))
    s->next++;
  const char *name = s->next;
  while (s->next < s->end && !isspace((unsigned char)*s->next))
    s->next++;
  if (s->next == name) {
    scan_advance(s);
    scan_unexpected(s, "the name of the test on the first line");
  }
  r->p->name = arena_text(r->p->arena, name, (size_t)(s->next - name));
  while (s->next < s->end && *s->next != '{') {
    if (s->next[0] == '(' && s->next[1] == '*' && strstr(s->next, "*)")) {
      scan_advance(s); /* skips the comment and one token */
      s->next = s->start;
      continue;
    }
    if (*s->next == '\n') {
      s->line++;
      s->line_start = s->next + 1;
    }
    s->next++;
  }
  scan_advance(s);
  scan_expect(s, "{", "'{' and the initial state");
}

/* ---- initial state ------------------------------------------------------------------------ */

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

/* Sizes of the types that herd knows; 0 for others. */
static int type_bytes(const struct scan *s) {
  static const struct {
    const char *name;
    int bytes;
  } types[] = {{"char", 1},      {"int8_t", 1},     {"uint8_t", 1},    {"short", 2},
               {"int16_t", 2},   {"uint16_t", 2},   {"int", 4},        {"int32_t", 4},
               {"uint32_t", 4},  {"atomic_int", 4}, {"atomic_t", 4},   {"long", 8},
               {"int64_t", 8},   {"uint64_t", 8},   {"intptr_t", 8},   {"uintptr_t", 8},
               {"__int128", 16}, {"int128_t", 16},  {"uint128_t", 16}, {"__uint128", 16}};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (scan_is(s, types[i].name))
      return types[i].bytes;
  return 0;
}

static void read_array(struct litmus_reader *r, const char *name, struct place where, int bytes) {
  struct scan *s = &r->scan;
  int64_t n = scan_number(s, "the length of the array");
  scan_expect(s, "]", "']'");
  if (n < 1 || n > ELEMENTS_MAX)
    scan_fail(s, where, "array of %lld elements, expected 1 to %d", (long long)n, ELEMENTS_MAX);
  if (litmus_find_object(r, name))
    scan_fail(s, where, "'%s' is declared twice", name);
  struct litmus_object o = {.name = name,
                            .elements = (int)n,
                            .element_bytes = !r->arch ? 1
                                             : bytes  ? bytes
                                                      : 8};
  int number = (int)(declare(r, o, where) - r->objects.data);
  if (!scan_accept(s, "="))
    return;
  scan_expect(s, "{", "'{' and the elements");
  for (int i = 0; !scan_accept(s, "}"); i++) {
    if (i >= n)
      scan_fail(s, s->place, "more than %lld elements", (long long)n);
    int64_t value = read_initial_value(r);
    set_initial(r, &r->objects.data[number], i, value);
    if (!scan_accept(s, ","))
      scan_accept(s, ";");
  }
}

/* "0:" or "P0:" at the scanner; false if there is none. */
static bool read_thread_prefix(struct litmus_reader *r, int64_t *number) {
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

static void read_initial_register(struct litmus_reader *r, int64_t number, struct place where) {
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
  thread_code(r, number, where);
  int64_t value = scan_accept(s, "=") ? read_initial_value(r) : 0;
  thread_code(r, number, where)->initial[reg] = expr_const(r->p, value);
}

static void read_initial_item(struct litmus_reader *r, int type) {
  struct scan *s = &r->scan;
  int64_t number;
  struct place where = s->place;
  if (read_thread_prefix(r, &number)) {
    read_initial_register(r, number, where);
    return;
  }
  while (scan_accept(s, "*")) /* a pointer */
    type = 8;
  if (read_thread_prefix(r, &number)) {
    read_initial_register(r, number, where);
    return;
  }
  bool bracket = scan_accept(s, "[");
  where = s->place;
  int bytes = type_bytes(s);
  char *name = scan_name(s, r->p->arena, "a location, a type or a register such as 0:rax");
  if (!bracket && (s->kind == TOK_NAME || s->kind == TOK_NUMBER || scan_is(s, "*"))) {
    scan_enter(s);
    read_initial_item(r, bytes ? bytes : type); /* what we had was (part of) a type */
    scan_leave(s);
    return;
  }
  if (bracket)
    scan_expect(s, "]", "']'");
  else if (scan_accept(s, "[")) {
    read_array(r, name, where, type);
    return;
  }
  struct litmus_object *o = litmus_find_object(r, name);
  if (!o)
    o = declare(r, (struct litmus_object){.name = name, .element_bytes = type}, where);
  int object = (int)(o - r->objects.data);
  if (scan_accept(s, "=")) {
    int64_t value = read_initial_value(r);
    set_initial(r, &r->objects.data[object], 0, value);
  }
}

static void read_initial(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  while (!scan_accept(s, "}")) {
    if (scan_accept(s, ";"))
      continue;
    read_initial_item(r, 0);
    if (!scan_is(s, "}") && !scan_is(s, ";"))
      scan_unexpected(s, "';' or '}'");
  }
  scan_accept(s, ";");
}

/* ---- instructions ------------------------------------------------------------------------- */

static char *lower(struct arena *a, const char *text, size_t length) {
  char *t = arena_text(a, text, length);
  for (char *c = t; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  return t;
}

static bool at_cell_end(const struct scan *s) {
  return scan_is(s, "|") || scan_is(s, "||") || scan_is(s, ";");
}

static void read_operands(struct litmus_reader *r, struct instruction *i,
                          void (*operand)(struct litmus_reader *, struct operand *)) {
  struct scan *s = &r->scan;
  while (!at_cell_end(s)) {
    if (i->count == ASM_OPERANDS)
      scan_unexpected(s, "'|' or ';' after so many operands");
    struct operand *o = &i->operands[i->count++];
    *o = (struct operand){.symbol = -1, .base = -1, .index = -1, .scale = 1, .place = s->place};
    operand(r, o);
    if (!at_cell_end(s))
      scan_expect(s, ",", "',', '|' or ';'");
  }
}

void litmus_read_instruction(struct litmus_reader *r, struct asm_code *code,
                             void (*operand)(struct litmus_reader *, struct operand *)) {
  struct scan *s = &r->scan;
  struct arena *a = r->p->arena;
  struct instruction i = {.place = s->place};
  const char *start = s->start;
  if (s->kind != TOK_NAME)
    scan_unexpected(s, "an instruction");
  i.mnemonic = lower(a, s->start, s->length);
  char *as_written = arena_text(a, s->start, s->length);
  scan_advance(s);
  if (scan_accept(s, ":")) {
    i.label = as_written;
    i.mnemonic = NULL;
    list_push(a, &code->list, i);
    if (!at_cell_end(s)) {
      scan_enter(s);
      litmus_read_instruction(r, code, operand);
      scan_leave(s);
    }
    return;
  }
  if (!strcmp(i.mnemonic, "lock")) {
    scan_accept(s, ";"); /* some write "lock; xadd", which is one instruction */
    i.lock = true;
    if (s->kind != TOK_NAME)
      scan_unexpected(s, "the locked instruction");
    i.mnemonic = lower(a, s->start, s->length);
    scan_advance(s);
  }
  read_operands(r, &i, operand);
  const char *end = s->start;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  i.text = arena_text(a, start, (size_t)(end - start));
  list_push(a, &code->list, i);
}

static bool at_condition(const struct scan *s) {
  static const char *const words[] = {"exists", "forall", "~",        "locations",
                                      "filter", "final",  "observed", "<<"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (scan_is(s, words[i]))
      return true;
  return s->kind == TOK_END;
}

static void read_thread_names(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  int n = 0;
  do {
    if (s->kind != TOK_NAME || s->start[0] != 'P')
      scan_unexpected(s, "a thread name such as P0");
    char *name = arena_format(r->p->arena, "P%d", n);
    if (!scan_is(s, name))
      scan_unexpected(s, name);
    thread_code(r, n++, s->place);
    struct thread t = {.name = name};
    list_push(r->p->arena, &r->p->threads, t);
    scan_advance(s);
    if (scan_accept(s, ":")) /* herd: attributes of the processor, e.g. P0:F */
      scan_unexpected(s, "'|' or ';' after the thread name");
  } while (scan_accept(s, "|"));
  scan_expect(s, ";", "'|' or ';'");
  if (r->code.length > n)
    scan_fail(s, s->place, "the initial state speaks of thread %d, but there are only %d threads",
              r->code.length - 1, n);
}

static void read_code(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  read_thread_names(r);
  while (!at_condition(s)) {
    for (int t = 0;; t++) {
      if (t >= r->code.length)
        scan_unexpected(s, "no more columns than there are threads");
      if (!at_cell_end(s))
        r->arch->read_instruction(r, &r->code.data[t]);
      while (scan_is(s, "||")) { /* two empty cells, written together */
        t++;
        s->next = s->start + 1;
        scan_advance(s);
      }
      if (scan_is(s, ";")) {
        if (t + 1 < r->code.length)
          scan_fail(s, s->place, "the row has %d of %d columns", t + 1, r->code.length);
        scan_advance(s);
        break;
      }
      scan_expect(s, "|", "'|' or ';'");
    }
  }
}

/* ---- condition ---------------------------------------------------------------------------- */

/* The size in which memory is accessed there, so that 0xffffffff and -1 are one 32-bit value. */
static int accessed_bits(const struct program *p, const struct litmus_object *o, int element) {
  int64_t address;
  int bytes = 0;
  for (int i = 0; i < p->stmts.length; i++)
    if (p->stmts.data[i].bytes > bytes && expr_is_const(p, p->stmts.data[i].address, &address) &&
        program_location_at(p, address) == o->first + element)
      bytes = p->stmts.data[i].bytes;
  return o->cells == 1 ? bytes * 8 : 0;
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
  if (!o) {
    litmus_location(r, name, where);
    o = litmus_find_object(r, name);
  }
  if (address || (right && !bracket && !indexed && !nvm))
    return expr_const(p, program_address(p, o->first + (int)element * o->cells));
  int e = litmus_final(r, o, (int)element, nvm);
  c->bits = accessed_bits(p, o, (int)element);
  const char *shown = p->locations.data[o->first + element * o->cells].name;
  condition_observe(p, arena_format(p->arena, nvm ? "nvm:[%s]" : "[%s]", shown), e);
  return e;
}

static int read_register_operand(struct litmus_reader *r, struct condition_reader *c,
                                 int64_t thread) {
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
  c->bits = part.bits;
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
  if (!read_thread_prefix(r, &number))
    return read_location_operand(r, c, right, false);
  if (number < 0 || number >= p->threads.length - 1)
    scan_fail(s, where, "there is no thread %lld", (long long)number);
  const char *name = arena_text(p->arena, s->start, s->length);
  if (name[0] == '%')
    name++;
  int e;
  if (r->arch) {
    e = read_register_operand(r, c, number);
  } else {
    e = c_final_register(r, (int)number, name);
    if (e < 0 && !c->listing)
      scan_unexpected(s, "a local of the thread");
    e = e < 0 ? expr_const(p, 0) : e;
    scan_advance(s);
  }
  condition_observe(p, arena_format(p->arena, "%lld:%s", (long long)number, name), e);
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

static void read_conditions(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  struct condition_reader c = {s, r->p, read_condition_operand, r, 0, false};
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

/* ---- languages ---------------------------------------------------------------------------- */

static const struct {
  const char *name;
  const struct asm_arch *arch;
} languages[] = {{"X86", &x86_intel},
                 {"X86_64", &x86_att},
                 {"AArch64", &aarch64},
                 {"RISCV", &riscv},
                 {"C", NULL}};

static bool find_language(const struct scan *s, const struct asm_arch **arch) {
  for (unsigned i = 0; i < sizeof languages / sizeof *languages; i++)
    if (scan_is(s, languages[i].name)) {
      *arch = languages[i].arch;
      return true;
    }
  return false;
}

static void read_threads(struct litmus_reader *r) {
  if (!r->arch) {
    c_read_threads(r);
    return;
  }
  read_code(r);
  for (int t = 0; t < r->code.length; t++) {
    struct asm_machine m = {.p = r->p,
                            .scan = &r->scan,
                            .arch = r->arch,
                            .mixed = r->mixed,
                            .thread = t + 1,
                            .code = &r->code.data[t]};
    asm_translate(&m, r->unroll);
  }
}

static struct program *parse_once(const char *file, const char *text, size_t length,
                                  struct arena *a, int unroll, const struct asm_arch *arch,
                                  const struct mixed_plan *mixed, struct diag *d) {
  struct litmus_reader *r = arena_alloc(a, sizeof *r);
  r->p = program_create(a, file);
  r->p->default_model = arch ? arch->default_model : NULL;
  r->unroll = unroll;
  r->arch = arch;
  r->mixed = mixed;
  scan_init(&r->scan, file, text, length, arch ? arch->scan_style : C_LITMUS_STYLE, d);
  if (setjmp(r->scan.fail))
    return NULL;
  read_header(r);
  read_initial(r);
  read_threads(r);
  read_conditions(r);
  condition_sort_observed(r->p);
  program_finish(r->p);
  return r->p;
}

struct program *litmus_parse(const char *file, const char *text, size_t length, struct arena *a,
                             int unroll, struct diag *d) {
  struct scan s;
  const struct asm_arch *arch = NULL;
  scan_init(&s, file, text, length, SCAN_ML_COMMENTS | SCAN_C_COMMENTS, d);
  if (setjmp(s.fail))
    return NULL;
  scan_advance(&s);
  if (!find_language(&s, &arch))
    scan_unexpected(&s, "an architecture");
  struct program *p = parse_once(file, text, length, a, unroll, arch, NULL, d);
  struct diag trouble = {0};
  const struct mixed_plan *mixed = p && arch ? mixed_survey(p, a, &trouble) : NULL;
  return mixed ? parse_once(file, text, length, a, unroll, arch, mixed, d) : p;
}

struct program *test_parse(const char *file, const char *text, size_t length, struct arena *a,
                           int unroll, struct diag *d) {
  struct scan s;
  const struct asm_arch *arch;
  scan_init(&s, file, text, length, SCAN_ML_COMMENTS | SCAN_C_COMMENTS, d);
  if (setjmp(s.fail))
    return NULL;
  scan_advance(&s);
  if (scan_is(&s, "test"))
    return schematic_parse(file, text, length, a, unroll, d);
  if (find_language(&s, &arch))
    return litmus_parse(file, text, length, a, unroll, d);
  const char *known = "X86, X86_64, AArch64, RISCV, C or test";
  if (s.kind == TOK_NAME)
    scan_fail(&s, s.place, "unknown architecture '%.*s', expected %s", (int)s.length, s.start,
              known);
  scan_unexpected(&s, known);
}

struct program *test_load(const char *path, struct arena *a, int unroll, struct diag *d) {
  size_t length;
  char *text = scan_read_file(path, a, &length, d);
  if (!text)
    return NULL;
  return test_parse(arena_text(a, path, strlen(path)), text, length, a, unroll, d);
}
