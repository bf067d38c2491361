#include "axiom/c_internal.h"
#include <ctype.h>
#include <string.h>

enum {
  STMTS_MAX = 4096,
  CELL_BITS = 64,
  CERTAIN_DEPTH_MAX = 100
}; /* variables are cells, whatever their type */

/* ---- locals ------------------------------------------------------------------------------- */

struct c_local *c_find_local(struct c_reader *c, int thread, const char *name) {
  for (int i = 0; i < c->locals.length; i++)
    if (c->locals.data[i].thread == thread && !strcmp(c->locals.data[i].name, name))
      return &c->locals.data[i];
  return NULL;
}

static void set_local(struct c_reader *c, const char *name, struct asm_value v) {
  struct c_local *l = c_find_local(c, c->thread, name);
  if (l) {
    l->value = v;
    return;
  }
  struct c_local new = {c->thread, name, v};
  list_push(c->p->arena, &c->locals, new);
}

static struct c_reader *c_reader_of(struct litmus_reader *r) {
  if (!r->c) {
    r->c = arena_alloc(r->p->arena, sizeof *r->c);
    struct c_reader *c = r->c;
    c->litmus = r;
    c->scan = &r->scan;
    c->p = r->p;
    c->machine = (struct asm_machine){.p = r->p, .scan = &r->scan, .now = &c->now, .at = &c->state};
  }
  return r->c;
}

void c_initial_register(struct litmus_reader *r, int thread, const char *name, int64_t value) {
  struct c_reader *c = c_reader_of(r);
  struct c_local new = {thread, name, asm_const(&c->machine, value)};
  list_push(r->p->arena, &c->locals, new);
}

int c_final_register(struct litmus_reader *r, int thread, const char *name) {
  struct c_local *l = c_find_local(c_reader_of(r), thread, name);
  return l ? l->value.value : -1;
}

/* ---- accesses ----------------------------------------------------------------------------- */

void c_begin(struct c_reader *c, struct place where, const char *start) {
  const char *end = c->scan->start;
  while (end > start && (isspace((unsigned char)end[-1]) || end[-1] == ';'))
    end--;
  if (c->p->stmts.length > STMTS_MAX)
    scan_fail(c->scan, where, "more than %d accesses; is --unroll too large?", STMTS_MAX);
  c->now.place = where;
  c->now.text = arena_text(c->p->arena, start, (size_t)(end - start));
  c->machine.id = c->p->stmts.length;
}

struct asm_value c_load(struct c_reader *c, struct asm_value address, struct tags tags, int *stmt) {
  if (c->skipping)
    return asm_const(&c->machine, 0);
  struct asm_access a = {.address = address, .bits = CELL_BITS, .tags = tags};
  return asm_load(&c->machine, &a, stmt);
}

void c_store(struct c_reader *c, struct asm_value address, struct tags tags, struct asm_value v,
             int read) {
  struct asm_access a = {.address = address, .bits = CELL_BITS, .tags = tags};
  if (!c->skipping)
    asm_store(&c->machine, &a, v, read);
}

struct asm_value c_plain_load(struct c_reader *c, struct asm_value address, struct place where,
                              const char *start) {
  c_begin(c, where, start);
  return c_load(c, address, tags_of(TAG_NA), NULL);
}

void c_plain_store(struct c_reader *c, struct asm_value address, struct asm_value v,
                   struct place where, const char *start) {
  c_begin(c, where, start);
  c_store(c, address, tags_of(TAG_NA), v, -1);
}

/* ---- types -------------------------------------------------------------------------------- */

static bool at_type(const struct scan *s) {
  static const char *const words[] = {
      "int",   "long",        "char",        "short",       "unsigned", "signed",  "volatile",
      "const", "struct",      "void",        "_Bool",       "bool",     "_Atomic", "atomic_int",
      "mutex", "atomic_long", "atomic_bool", "atomic_uint", "__int128"};
  if (s->kind != TOK_NAME)
    return false;
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (scan_is(s, words[i]))
      return true;
  return s->length > 2 && !memcmp(s->start + s->length - 2, "_t", 2);
}

/* Skips "volatile struct foo **"; gives the number of stars. */
static int read_type(struct scan *s, bool *atomic) {
  int stars = 0;
  while (at_type(s) || scan_is(s, "*")) {
    stars += scan_is(s, "*");
    bool tagged = scan_is(s, "struct");
    *atomic = *atomic || (s->length > 6 && !memcmp(s->start, "atomic", 6)) || scan_is(s, "_Atomic");
    scan_advance(s);
    if (tagged)
      scan_advance(s);
  }
  return stars;
}

/* ---- expressions -------------------------------------------------------------------------- */

static struct asm_value read_unary(struct c_reader *c);

/* a[e]: the address; elements are one apart (see read_array in litmus.c), as in a + e. */
static struct asm_value read_index(struct c_reader *c, struct asm_value base) {
  scan_expect(c->scan, "[", "'['");
  struct asm_value i = c_read_expression(c);
  scan_expect(c->scan, "]", "']'");
  return asm_op(&c->machine, EXPR_ADD, base, i);
}

/* What C's headers define: whoever means something else by these names has declared it. */
static bool header_constant(const char *name, int64_t *value) {
  *value = strcmp(name, "true") == 0;
  return *value || strcmp(name, "false") == 0 || strcmp(name, "NULL") == 0;
}

/* A local, or the address of a shared variable. */
static struct asm_value name_value(struct c_reader *c, const char *name, struct place where) {
  struct c_local *l = c_find_local(c, c->thread, name);
  if (l)
    return l->value;
  const struct litmus_object *o = litmus_find_object(c->litmus, name);
  int64_t constant;
  if (!o && header_constant(name, &constant))
    return asm_const(&c->machine, constant);
  if (!o)
    scan_fail(c->scan, where, "'%s' is neither a local nor a parameter", name);
  return asm_const(&c->machine, program_address(c->p, o->first));
}

static struct asm_value read_name(struct c_reader *c) {
  struct scan *s = c->scan;
  struct place where = s->place;
  const char *start = s->start;
  const char *name = scan_name(s, c->p->arena, "an expression");
  if (scan_accept(s, "("))
    return c_call(c, name, where, start);
  struct asm_value v = name_value(c, name, where);
  if (!scan_is(s, "["))
    return v;
  v = read_index(c, v);
  return c_plain_load(c, v, where, start);
}

struct asm_value c_read_lvalue(struct c_reader *c) {
  struct scan *s = c->scan;
  if (scan_accept(s, "*"))
    return read_unary(c);
  if (scan_accept(s, "(")) {
    scan_enter(s);
    struct asm_value v = c_read_lvalue(c);
    scan_leave(s);
    scan_expect(s, ")", "')'");
    return v;
  }
  struct place where = s->place;
  const char *name = scan_name(s, c->p->arena, "a shared variable such as *x");
  struct asm_value v = name_value(c, name, where);
  return scan_is(s, "[") ? read_index(c, v) : v;
}

static struct asm_value read_paren(struct c_reader *c) {
  struct scan *s = c->scan;
  if (at_type(s)) { /* a cast */
    bool atomic = false;
    read_type(s, &atomic);
    scan_expect(s, ")", "')' after the type");
    return read_unary(c);
  }
  struct asm_value v = c_read_expression(c);
  scan_expect(s, ")", "')'");
  return v;
}

static struct asm_value read_unary(struct c_reader *c) {
  struct scan *s = c->scan;
  struct asm_machine *m = &c->machine;
  struct place where = s->place;
  const char *start = s->start;
  struct asm_value v;
  scan_enter(s);
  if (s->kind == TOK_NUMBER) {
    v = asm_const(m, scan_number(s, "a number"));
  } else if (scan_accept(s, "(")) {
    v = read_paren(c);
  } else if (scan_accept(s, "*")) {
    v = read_unary(c);
    v = c_plain_load(c, v, where, start);
  } else if (scan_accept(s, "&")) {
    v = c_read_lvalue(c);
  } else if (scan_accept(s, "!")) {
    v = asm_op(m, EXPR_EQ, read_unary(c), asm_const(m, 0));
  } else if (scan_accept(s, "~")) {
    v = read_unary(c);
    v = asm_op(m, EXPR_NOT, v, v);
  } else if (scan_accept(s, "-")) {
    v = read_unary(c);
    v = asm_op(m, EXPR_NEG, v, v);
  } else {
    v = read_name(c);
  }
  scan_leave(s);
  return v;
}

static struct asm_value read_binary(struct c_reader *c, int level);

/* The second operand.  C leaves open which one is evaluated first; `first` is where the statements
 * of the other begin. */
static struct asm_value read_unsequenced(struct c_reader *c, int level, int first) {
  int middle = c->p->stmts.length;
  struct asm_value v = read_binary(c, level + 1);
  struct unsequenced u = {first, middle, c->p->stmts.length};
  if (u.first < u.middle && u.middle < u.end)
    list_push(c->p->arena, &c->p->unsequenced, u);
  return v;
}

/* The right side of && or ||, which is evaluated only if the left side does not decide. */
static struct asm_value read_right_side(struct c_reader *c, struct asm_value left, bool and) {
  struct program *p = c->p;
  int path = c->state.path, ctrl = c->state.ctrl;
  int yes = expr_make(p, EXPR_NE, left.value, expr_const(p, 0), -1);
  int go_on = and? yes : expr_make(p, EXPR_LNOT, yes, -1, -1);
  c->state.path = expr_make(p, EXPR_LAND, path, go_on, -1);
  c->state.ctrl = depend_union(p, ctrl, depend_union(p, left.from, left.pick));
  struct asm_value v = read_binary(c, and? 2 : 1);
  c->state.path = path;
  c->state.ctrl = ctrl;
  return v;
}

static struct asm_value read_binary(struct c_reader *c, int level) {
  static const struct {
    const char *text;
    int level;
    enum expr_kind op;
    bool swap;
  } ops[] = {{"||", 0, EXPR_LOR, 0}, {"&&", 1, EXPR_LAND, 0}, {"|", 2, EXPR_OR, 0},
             {"^", 3, EXPR_XOR, 0},  {"&", 4, EXPR_AND, 0},   {"==", 5, EXPR_EQ, 0},
             {"!=", 5, EXPR_NE, 0},  {"<=", 6, EXPR_LE, 0},   {">=", 6, EXPR_LE, 1},
             {"<", 6, EXPR_LT, 0},   {">", 6, EXPR_LT, 1},    {"<<", 7, EXPR_SHL, 0},
             {">>", 7, EXPR_SHR, 0}, {"+", 8, EXPR_ADD, 0},   {"-", 8, EXPR_SUB, 0},
             {"*", 9, EXPR_MUL, 0},  {"/", 9, EXPR_DIV, 0},   {"%", 9, EXPR_MOD, 0}};
  enum { LEVELS = 10 };
  if (level == LEVELS)
    return read_unary(c);
  int first = c->p->stmts.length;
  struct asm_value v = read_binary(c, level + 1);
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
    if (ops[i].level == level && scan_accept(c->scan, ops[i].text)) {
      struct asm_value w =
          level <= 1 ? read_right_side(c, v, level == 1) : read_unsequenced(c, level, first);
      v = ops[i].swap ? asm_op(&c->machine, ops[i].op, w, v) : asm_op(&c->machine, ops[i].op, v, w);
      i = (unsigned)-1; /* again from the first operator of this level */
    }
  return v;
}

struct asm_value c_read_expression(struct c_reader *c) {
  struct scan *s = c->scan;
  scan_enter(s);
  struct asm_value v = read_binary(c, 0);
  if (scan_accept(s, "?")) {
    struct asm_value yes = c_read_expression(c);
    scan_expect(s, ":", "':'");
    v = asm_pick(&c->machine, v, yes, c_read_expression(c));
  }
  scan_leave(s);
  return v;
}

/* ---- branches ----------------------------------------------------------------------------- */

/* Locals and path at a point where control flow splits or joins. */
struct fork {
  int path, ctrl, count;
  struct asm_value *values;
};

static struct fork fork_here(struct c_reader *c) {
  struct fork f = {c->state.path, c->state.ctrl, c->locals.length, NULL};
  f.values = arena_alloc(c->p->arena, (size_t)f.count * sizeof *f.values + 1);
  for (int i = 0; i < f.count; i++)
    f.values[i] = c->locals.data[i].value;
  return f;
}

/* Goes on along the branch on which `test` holds (or does not). */
static void enter_branch(struct c_reader *c, const struct fork *f, struct asm_value test,
                         bool holds) {
  struct program *p = c->p;
  int yes = expr_make(p, EXPR_NE, test.value, expr_const(p, 0), -1);
  int taken = holds ? yes : expr_make(p, EXPR_LNOT, yes, -1, -1);
  c->state.path = expr_make(p, EXPR_LAND, f->path, taken, -1);
  c->state.ctrl = depend_union(p, f->ctrl, depend_union(p, test.from, test.pick));
  for (int i = 0; i < f->count; i++)
    c->locals.data[i].value = f->values[i];
}

/* Locals are those of `taken` where the test held, else those of now; behind the `if`, nothing
 * depends on its condition any more. */
static void join_branches(struct c_reader *c, const struct fork *before, struct asm_value test,
                          const struct fork *taken) {
  struct program *p = c->p;
  int yes = expr_make(p, EXPR_NE, test.value, expr_const(p, 0), -1);
  struct asm_value zero = asm_const(&c->machine, 0);
  for (int i = 0; i < c->locals.length; i++) {
    struct asm_value *now = &c->locals.data[i].value;
    struct asm_value then = i < taken->count ? taken->values[i] : zero;
    now->value = expr_make(p, EXPR_ITE, yes, then.value, now->value);
    now->from = depend_choose(p, yes, then.from, now->from);
    now->pick = depend_choose(p, yes, then.pick, now->pick);
  }
  c->state.path = before->path;
  c->state.ctrl = before->ctrl;
}

static void read_statement(struct c_reader *c);

/* A branch that cannot be taken still has to be read. */
static void read_branch(struct c_reader *c) {
  int64_t constant;
  bool skipping = c->skipping;
  c->skipping = skipping || (expr_is_const(c->p, c->state.path, &constant) && !constant);
  read_statement(c);
  c->skipping = skipping;
}

static void read_if(struct c_reader *c) {
  struct scan *s = c->scan;
  scan_expect(s, "(", "'(' and a condition");
  struct asm_value test = c_read_expression(c);
  scan_expect(s, ")", "')'");
  struct fork before = fork_here(c);
  enter_branch(c, &before, test, true);
  read_branch(c);
  struct fork then = fork_here(c);
  enter_branch(c, &before, test, false);
  for (int i = before.count; i < c->locals.length; i++) /* made in the first branch */
    c->locals.data[i].value = asm_const(&c->machine, 0);
  if (scan_accept(s, "else"))
    read_branch(c);
  join_branches(c, &before, test, &then);
}

/* The scanner is on the condition of a loop; its body is read once per round. */
static void read_rounds(struct c_reader *c, const struct scan *head, int rounds) {
  struct scan *s = c->scan;
  scan_restore(s, head);
  scan_expect(s, "(", "'(' and a condition");
  struct asm_value test = c_read_expression(c);
  scan_expect(s, ")", "')'");
  struct fork before = fork_here(c);
  enter_branch(c, &before, test, true);
  int64_t constant;
  bool never = expr_is_const(c->p, c->state.path, &constant) && !constant;
  if (rounds == 0 || never) { /* went round too often: such executions are left out */
    bool skipping = c->skipping;
    if (!never && !skipping) {
      int cut = expr_make(c->p, EXPR_LNOT, c->state.path, -1, -1);
      list_push(c->p->arena, &c->p->assumes, cut);
      c->p->cut = true;
    }
    c->skipping = true;
    read_statement(c);
    c->skipping = skipping;
  } else {
    bool certain =
        expr_is_const(c->p, test.value, NULL); /* counts with constants: it costs nothing */
    read_statement(c);
    scan_enter(s);
    read_rounds(c, head, certain && s->depth < CERTAIN_DEPTH_MAX ? rounds : rounds - 1);
    scan_leave(s);
  }
  struct fork then = fork_here(c);
  enter_branch(c, &before, test, false);
  join_branches(c, &before, test, &then);
}

static void read_do(struct c_reader *c) {
  struct scan *s = c->scan;
  struct scan body = *s;
  read_statement(c);
  scan_expect(s, "while", "'while' after the body of 'do'");
  /* do S while (e) is S while (e) S, whose body stands before the condition */
  struct scan head = *s;
  scan_expect(s, "(", "'(' and a condition");
  struct asm_value test = c_read_expression(c);
  scan_expect(s, ")", "')'");
  struct scan end = *s;
  struct fork before[64];
  struct asm_value tests[64];
  int depth = 0, rounds = c->litmus->unroll < 60 ? c->litmus->unroll : 60;
  for (; depth < rounds; depth++) {
    before[depth] = fork_here(c);
    tests[depth] = test;
    enter_branch(c, &before[depth], test, true);
    scan_restore(s, &body);
    read_branch(c);
    scan_restore(s, &head);
    scan_expect(s, "(", "'('");
    test = c_read_expression(c);
    scan_expect(s, ")", "')'");
  }
  int again = expr_make(c->p, EXPR_NE, test.value, expr_const(c->p, 0), -1);
  int cut = expr_make(c->p, EXPR_LAND, c->state.path, again, -1);
  int64_t constant;
  if (!c->skipping && (!expr_is_const(c->p, cut, &constant) || constant)) {
    list_push(c->p->arena, &c->p->assumes, expr_make(c->p, EXPR_LNOT, cut, -1, -1));
    c->p->cut = true;
  }
  while (depth-- > 0) {
    struct fork then = fork_here(c);
    enter_branch(c, &before[depth], tests[depth], false);
    join_branches(c, &before[depth], tests[depth], &then);
  }
  scan_restore(s, &end);
  scan_expect(s, ";", "';'");
}

/* ---- statements --------------------------------------------------------------------------- */

static void read_declaration(struct c_reader *c) {
  struct scan *s = c->scan;
  bool atomic = false;
  read_type(s, &atomic);
  do {
    while (scan_accept(s, "*"))
      ;
    const char *name = scan_name(s, c->p->arena, "the name of a local");
    set_local(c, name, asm_const(&c->machine, 0)); /* its scope begins before the "=" */
    if (scan_accept(s, "="))
      set_local(c, name, c_read_expression(c));
  } while (scan_accept(s, ","));
  scan_expect(s, ";", "',' or ';'");
}

/* x = e, *x = e, a[i] = e, x++, or a call. */
static void read_assignment(struct c_reader *c) {
  struct scan *s = c->scan;
  struct asm_machine *m = &c->machine;
  struct place where = s->place;
  const char *start = s->start;
  struct scan saved = *s;
  bool local = s->kind == TOK_NAME;
  const char *name = local ? scan_name(s, c->p->arena, "a statement") : NULL;
  if (local && scan_accept(s, "(")) {
    c_call(c, name, where, start);
    return;
  }
  if (local && scan_accept(s, "=")) {
    struct asm_value v = c_read_expression(c);
    if (!c_find_local(c, c->thread, name) && litmus_find_object(c->litmus, name))
      scan_fail(s, where, "'%s' is a pointer to a shared variable; *%s = ... writes it", name,
                name);
    set_local(c, name, v);
    return;
  }
  bool up = local && scan_is(s, "++");
  if (up || (local && scan_is(s, "-") && *s->next == '-')) {
    scan_advance(s);
    if (!up)
      scan_advance(s);
    struct asm_value v = name_value(c, name, where);
    set_local(c, name, asm_op(m, up ? EXPR_ADD : EXPR_SUB, v, asm_const(m, 1)));
    return;
  }
  scan_restore(s, &saved);
  if (scan_accept(s, "(")) { /* (void)e */
    scan_restore(s, &saved);
    c_read_expression(c);
    return;
  }
  struct asm_value address = c_read_lvalue(c);
  scan_expect(s, "=", "'='");
  struct asm_value v = c_read_expression(c);
  c_plain_store(c, address, v, where, start);
}

static void read_statement(struct c_reader *c) {
  struct scan *s = c->scan;
  scan_enter(s);
  if (scan_accept(s, "{")) {
    while (!scan_accept(s, "}"))
      read_statement(c);
  } else if (scan_accept(s, "if")) {
    read_if(c);
  } else if (scan_accept(s, "while")) {
    struct scan head = *s;
    read_rounds(c, &head, c->litmus->unroll);
  } else if (scan_accept(s, "do")) {
    read_do(c);
  } else if (at_type(s)) {
    read_declaration(c);
  } else if (!scan_accept(s, ";")) {
    read_assignment(c);
    scan_expect(s, ";", "';'");
  }
  scan_leave(s);
}

/* ---- threads ------------------------------------------------------------------------------ */

/* Parameters are pointers to shared variables of the same name. */
static void read_parameters(struct c_reader *c) {
  struct scan *s = c->scan;
  scan_expect(s, "(", "'(' and parameters");
  while (!scan_accept(s, ")")) {
    struct place where = s->place;
    bool atomic = false;
    int stars = read_type(s, &atomic);
    if (!stars && scan_is(s, ")")) /* (void) */
      continue;
    const char *name = scan_name(s, c->p->arena, "the name of a parameter");
    if (!stars && !scan_is(s, "["))
      scan_fail(s, where, "parameter '%s' is no pointer; shared variables are, as in int *%s", name,
                name);
    if (scan_accept(s, "["))
      scan_expect(s, "]", "']'");
    int l = litmus_location(c->litmus, name, where);
    const struct litmus_object *o = litmus_find_object(c->litmus, name);
    for (int i = 0; atomic && i < (o->elements ? o->elements : 1); i++)
      c->p->locations.data[l + i].is_atomic = true;
    if (!scan_is(s, ")"))
      scan_expect(s, ",", "',' or ')'");
  }
}

void c_read_threads(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  struct c_reader *c = c_reader_of(r);
  r->p->dependencies_given = true;
  for (;;) {
    while (scan_is(s, "static") || scan_is(s, "void") || scan_is(s, "int"))
      scan_advance(s);
    char *name = arena_format(r->p->arena, "P%d", c->thread);
    if (!scan_is(s, name))
      break;
    litmus_check_thread(r, c->thread, s->place);
    struct thread t = {.name = name};
    list_push(r->p->arena, &r->p->threads, t);
    scan_advance(s);
    struct asm_value zero = asm_const(&c->machine, 0);
    c->state = (struct asm_state){.path = EXPR_ONE, .link = LINK_NONE, .link_at = zero};
    c->machine.thread = c->thread + 1;
    read_parameters(c);
    if (!scan_is(s, "{"))
      scan_unexpected(s, "'{' and the code of the thread");
    s->style &= ~(unsigned)SCAN_ML_COMMENTS; /* if (*x) is no comment */
    read_statement(c);
    s->style |= SCAN_ML_COMMENTS;
    s->next = s->start; /* this token may begin a comment */
    scan_advance(s);
    c->thread++;
  }
  for (int l = 0; l < r->p->locations.length; l++)
    if (!r->p->locations.data[l].is_atomic)
      tags_add(&r->p->locations.data[l].tags, TAG_NAL);
  if (!r->p->default_model) /* nothing but plain accesses */
    r->p->default_model = "rc11";
  if (!c->thread)
    scan_unexpected(s, "a thread such as P0(int *x) { ... }");
}
