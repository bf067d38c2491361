#include "axiom/litmus.h"
#include "axiom/condition.h"
#include "axiom/scan.h"
#include "axiom/x86.h"
#include <ctype.h>
#include <string.h>

enum { THREADS_MAX = 60 };

struct reader {
  struct scan scan;
  struct program *p;
  bool wide; /* X86_64: AT&T operand order */
  int unroll;
  LIST(struct x86_code) code; /* by user thread, in source order */
};

static struct x86_code *thread_code(struct reader *r, int64_t number, struct place where) {
  if (number < 0 || number >= THREADS_MAX)
    scan_fail(&r->scan, where, "thread number %lld, expected 0 to %d", (long long)number,
              THREADS_MAX - 1);
  while (r->code.length <= number) {
    struct x86_code c = {0};
    for (int i = 0; i < X86_REGISTER_COUNT; i++)
      c.initial[i] = expr_const(r->p, 0);
    list_push(r->p->arena, &r->code, c);
  }
  return &r->code.data[number];
}

static int location(struct reader *r, const char *name, struct place where) {
  int l = program_find_location(r->p, name);
  if (l >= 0)
    return l;
  char *first = arena_format(r->p->arena, "%s[0]", name);
  l = program_find_location(r->p, first);
  if (l >= 0)
    return l;
  return program_add_location(
      r->p,
      (struct location){.name = name, .array = -1, .line = r->p->locations.length, .place = where});
}

/* ---- header ------------------------------------------------------------------------------- */

static void read_header(struct reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  r->wide = scan_is(s, "X86_64");
  if (!r->wide && !scan_is(s, "X86"))
    scan_unexpected(s, "the architecture, X86 or X86_64");
  r->p->arch = r->wide ? "X86_64" : "X86";
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
  /* Free text and Key=Value lines follow; only comments may hide a brace. */
  while (s->next < s->end && *s->next != '{') {
    if (s->next + 1 < s->end && s->next[0] == '(' && s->next[1] == '*') {
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

static int64_t read_initial_value(struct reader *r) {
  struct scan *s = &r->scan;
  scan_accept(s, "&");
  if (s->kind != TOK_NAME)
    return scan_number(s, "a value: a number or a location");
  struct place where = s->place;
  char *name = scan_name(s, r->p->arena, "a location");
  return program_address(r->p, location(r, name, where));
}

static void read_array(struct reader *r, const char *name, struct place where) {
  struct scan *s = &r->scan;
  int64_t n = scan_number(s, "the length of the array");
  scan_expect(s, "]", "']'");
  if (n < 1 || n > 64)
    scan_fail(s, where, "array of %lld elements, expected 1 to 64", (long long)n);
  if (program_find_location(r->p, arena_format(r->p->arena, "%s[0]", name)) >= 0 ||
      program_find_location(r->p, name) >= 0)
    scan_fail(s, where, "'%s' is declared twice", name);
  int first = r->p->locations.length;
  for (int i = 0; i < n; i++) /* 64-byte lines of 8-byte elements */
    program_add_location(r->p,
                         (struct location){.name = arena_format(r->p->arena, "%s[%d]", name, i),
                                           .array = first,
                                           .index = i,
                                           .line = first + i / 8,
                                           .place = where});
  if (!scan_accept(s, "="))
    return;
  scan_expect(s, "{", "'{' and the elements");
  for (int i = 0; !scan_accept(s, "}"); i++) {
    if (i >= n)
      scan_fail(s, s->place, "more than %lld elements", (long long)n);
    r->p->locations.data[first + i].initial = read_initial_value(r);
    if (!scan_accept(s, ","))
      scan_accept(s, ";");
  }
}

static void read_initial_register(struct reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  int64_t number = scan_number(s, "a thread number");
  scan_expect(s, ":", "':' and a register");
  int bits, reg = s->kind == TOK_NAME ? x86_register_named(s->start, s->length, &bits) : -1;
  if (reg < 0)
    scan_unexpected(s, "a register");
  scan_advance(s);
  int value = expr_const(r->p, scan_accept(s, "=") ? read_initial_value(r) : 0);
  thread_code(r, number, where)->initial[reg] = value;
}

static void read_initial_item(struct reader *r) {
  struct scan *s = &r->scan;
  if (s->kind == TOK_NUMBER) {
    read_initial_register(r);
    return;
  }
  bool bracket = scan_accept(s, "[");
  struct place where = s->place;
  char *name = scan_name(s, r->p->arena, "a location, a type or a register such as 0:rax");
  if (!bracket && (s->kind == TOK_NAME || s->kind == TOK_NUMBER || scan_is(s, "*"))) {
    while (scan_accept(s, "*"))
      ;
    scan_enter(s);
    read_initial_item(r); /* what we had was (part of) a type */
    scan_leave(s);
    return;
  }
  if (bracket)
    scan_expect(s, "]", "']'");
  else if (scan_accept(s, "[")) {
    read_array(r, name, where);
    return;
  }
  int l = location(r, name, where);
  if (scan_accept(s, "=")) {
    int64_t value = read_initial_value(r);
    r->p->locations.data[l].initial = value;
  }
}

static void read_initial(struct reader *r) {
  struct scan *s = &r->scan;
  while (!scan_accept(s, "}")) {
    if (scan_accept(s, ";"))
      continue;
    read_initial_item(r);
    if (!scan_is(s, "}") && !scan_is(s, ";"))
      scan_unexpected(s, "';' or '}'");
  }
}

/* ---- instructions ------------------------------------------------------------------------- */

static int read_register(struct reader *r, int *bits) {
  struct scan *s = &r->scan;
  int unused, reg = s->kind == TOK_NAME
                        ? x86_register_named(s->start, s->length, bits ? bits : &unused)
                        : -1;
  if (reg >= 0)
    scan_advance(s);
  return reg;
}

/* Inside ( ) or [ ]: a symbol or register, AT&T's ,index,scale or Intel's +number. */
static void read_address(struct reader *r, struct operand *o, const char *close) {
  struct scan *s = &r->scan;
  o->kind = OPERAND_MEMORY;
  o->base = o->index = -1;
  o->scale = 1;
  struct place where = s->place;
  if (!scan_is(s, ",")) {
    o->base = read_register(r, NULL);
    if (o->base < 0)
      o->symbol = location(r, scan_name(s, r->p->arena, "a location or a register"), where);
  }
  if (scan_accept(s, ",")) {
    o->index = read_register(r, NULL);
    if (o->index < 0)
      scan_unexpected(s, "an index register");
    if (scan_accept(s, ","))
      o->scale = (int)scan_number(s, "a scale");
  } else if (scan_accept(s, "+")) {
    o->value += scan_number(s, "a displacement");
  }
  scan_expect(s, close, close[0] == ')' ? "')'" : "']'");
}

static void read_operand(struct reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  *o = (struct operand){.symbol = -1, .base = -1, .index = -1, .place = s->place};
  if (scan_accept(s, "$")) {
    o->kind = OPERAND_IMMEDIATE;
    struct place where = s->place;
    if (s->kind == TOK_NAME)
      o->symbol = location(r, scan_name(s, r->p->arena, "a location"), where);
    else
      o->value = scan_number(s, "a number after '$'");
    return;
  }
  if (scan_accept(s, "[")) {
    read_address(r, o, "]");
    return;
  }
  o->reg = read_register(r, &o->bits);
  if (o->reg >= 0) {
    o->kind = OPERAND_REGISTER;
    if (!scan_accept(s, ":"))
      return; /* else it was a segment prefix: flat memory, it changes nothing */
  }
  if (s->kind == TOK_NAME) { /* decided by the instruction: a label of a jump, else a location */
    o->kind = OPERAND_LABEL;
    o->label = scan_name(s, r->p->arena, "an operand");
    return;
  }
  if (!scan_is(s, "("))
    o->value = scan_number(s, "an operand: $number, register, (location), [location] or label");
  o->kind = OPERAND_IMMEDIATE;
  if (scan_accept(s, "("))
    read_address(r, o, ")");
}

static char *lower(struct arena *a, const char *text, size_t length) {
  char *t = arena_text(a, text, length);
  for (char *c = t; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  return t;
}

static void reverse_operands(struct instruction *i) {
  for (int a = 0, b = i->count - 1; a < b; a++, b--) {
    struct operand t = i->operands[a];
    i->operands[a] = i->operands[b];
    i->operands[b] = t;
  }
}

static bool at_cell_end(const struct scan *s) {
  return scan_is(s, "|") || scan_is(s, "||") || scan_is(s, ";");
}

static void read_instruction(struct reader *r, struct x86_code *code) {
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
      read_instruction(r, code);
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
  while (!at_cell_end(s)) {
    if (i.count == 3)
      scan_unexpected(s, "'|' or ';' after three operands");
    read_operand(r, &i.operands[i.count++]);
    if (!at_cell_end(s))
      scan_expect(s, ",", "',', '|' or ';'");
  }
  const char *end = s->start;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  i.text = arena_text(a, start, (size_t)(end - start));
  if (!r->wide)
    reverse_operands(&i);
  list_push(a, &code->list, i);
}

static bool at_condition(const struct scan *s) {
  return s->kind == TOK_END || scan_is(s, "exists") || scan_is(s, "forall") || scan_is(s, "~") ||
         scan_is(s, "locations") || scan_is(s, "filter");
}

static void read_thread_names(struct reader *r) {
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

static void read_code(struct reader *r) {
  struct scan *s = &r->scan;
  read_thread_names(r);
  while (!at_condition(s)) {
    for (int t = 0;; t++) {
      if (t >= r->code.length)
        scan_unexpected(s, "no more columns than there are threads");
      if (!at_cell_end(s))
        read_instruction(r, &r->code.data[t]);
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

static int read_location_operand(struct reader *r, bool right, bool nvm) {
  struct scan *s = &r->scan;
  struct program *p = r->p;
  bool bracket = scan_accept(s, "[");
  struct place where = s->place;
  const char *name = scan_name(s, p->arena, "a register such as 0:rax, or a location");
  bool indexed = scan_accept(s, "[");
  if (indexed) {
    name = arena_format(p->arena, "%s[%lld]", name, (long long)scan_number(s, "an index"));
    scan_expect(s, "]", "']'");
    if (program_find_location(p, name) < 0)
      scan_fail(s, where, "there is no array element '%s'", name);
  }
  if (bracket)
    scan_expect(s, "]", "']'");
  int l = location(r, name, where);
  if (right && !bracket && !indexed && !nvm)
    return expr_const(p, program_address(p, l));
  int e = expr_leaf(p, nvm ? EXPR_NVM : EXPR_FINAL, l);
  const char *shown = p->locations.data[l].name;
  condition_observe(p, arena_format(p->arena, nvm ? "nvm:[%s]" : "[%s]", shown), e);
  return e;
}

static int read_condition_operand(struct condition_reader *c, bool right) {
  struct reader *r = c->context;
  struct scan *s = &r->scan;
  if (s->kind == TOK_NAME && scan_is(s, "nvm") && s->next < s->end && *s->next == ':') {
    scan_advance(s);
    scan_advance(s);
    return read_location_operand(r, right, true);
  }
  if (s->kind != TOK_NUMBER)
    return read_location_operand(r, right, false);
  struct place where = s->place;
  int64_t number = scan_number(s, "a thread number");
  scan_expect(s, ":", "':' and a register");
  if (number < 0 || number >= r->code.length)
    scan_fail(s, where, "there is no thread %lld", (long long)number);
  int bits;
  const char *name = arena_text(r->p->arena, s->start, s->length);
  if (name[0] == '%')
    name++;
  int reg = read_register(r, &bits);
  if (reg < 0)
    scan_unexpected(s, "a register");
  int e = r->code.data[number].final[reg];
  condition_observe(r->p, arena_format(r->p->arena, "%lld:%s", (long long)number, name), e);
  return e;
}

static void read_locations(struct reader *r, struct condition_reader *c) {
  struct scan *s = &r->scan;
  scan_expect(s, "[", "'[' and locations");
  while (!scan_accept(s, "]")) {
    read_condition_operand(c, false);
    if (!scan_is(s, "]"))
      scan_expect(s, ";", "';' or ']'");
  }
}

static void read_conditions(struct reader *r) {
  struct scan *s = &r->scan;
  struct condition_reader c = {s, r->p, read_condition_operand, r};
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
  if (s->kind != TOK_END)
    scan_unexpected(s,
                    found ? "the end of the test" : "exists, ~exists, forall, locations or filter");
}

struct program *litmus_parse(const char *file, const char *text, size_t length, struct arena *a,
                             int unroll, struct diag *d) {
  struct reader *r = arena_alloc(a, sizeof *r);
  r->p = program_create(a, file);
  r->unroll = unroll;
  scan_init(&r->scan, file, text, length, SCAN_ML_COMMENTS | SCAN_DOLLAR, d);
  if (setjmp(r->scan.fail))
    return NULL;
  read_header(r);
  read_initial(r);
  read_code(r);
  for (int t = 0; t < r->code.length; t++)
    x86_translate(r->p, t + 1, &r->code.data[t], r->wide, r->unroll, &r->scan);
  read_conditions(r);
  condition_sort_observed(r->p);
  program_finish(r->p);
  return r->p;
}

struct program *test_parse(const char *file, const char *text, size_t length, struct arena *a,
                           int unroll, struct diag *d) {
  struct scan s;
  scan_init(&s, file, text, length, SCAN_ML_COMMENTS | SCAN_C_COMMENTS, d);
  if (setjmp(s.fail))
    return NULL;
  scan_advance(&s);
  if (scan_is(&s, "test"))
    return schematic_parse(file, text, length, a, unroll, d);
  if (scan_is(&s, "X86") || scan_is(&s, "X86_64"))
    return litmus_parse(file, text, length, a, unroll, d);
  if (s.kind == TOK_NAME)
    scan_fail(&s, s.place, "unknown architecture '%.*s', expected X86, X86_64 or test",
              (int)s.length, s.start);
  scan_unexpected(&s, "X86, X86_64 or test");
}

struct program *test_load(const char *path, struct arena *a, int unroll, struct diag *d) {
  size_t length;
  char *text = scan_read_file(path, a, &length, d);
  if (!text)
    return NULL;
  return test_parse(arena_text(a, path, strlen(path)), text, length, a, unroll, d);
}
