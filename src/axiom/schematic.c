/* The schematic language: shared variables and arrays, threads with locals, if, loops, sync.
 *
 * There is no syntax tree: statements are executed symbolically while they are read.  A loop's body
 * is read as often as it may run.  Every access to a shared variable is an action of its own, in
 * the order in which it is written. */
#include "axiom/condition.h"
#include "axiom/litmus.h"
#include "axiom/scan.h"
#include <string.h>

enum { STMTS_MAX = 4096, STEPS_MAX = 100000, THREADS_MAX = 60, ELEMENT_BYTES = 8 };

struct local {
  const char *name;
  int thread, value; /* expression */
};

struct pending_after {
  int thread;
  const char *name;
  struct place place;
};

struct reader {
  struct scan scan;
  struct program *p;
  int unroll, thread, path;
  int alive; /* expression: no loop of this thread has been left because of the bound */
  int steps;
  LIST(struct local) locals;
  LIST(struct pending_after) afters;
};

static void read_statement(struct reader *r);
static int read_expr(struct reader *r);

static bool is_dead(const struct reader *r) {
  int64_t v;
  return expr_is_const(r->p, r->path, &v) && !v;
}

/* ---- declarations ------------------------------------------------------------------------- */

static bool is_shared(const struct reader *r, const char *name, bool *array) {
  size_t n = strlen(name);
  for (int i = 0; i < r->p->locations.length; i++) {
    const char *l = r->p->locations.data[i].name;
    if (!strncmp(l, name, n) && (!l[n] || l[n] == '[')) {
      *array = l[n] == '[';
      return true;
    }
  }
  return false;
}

static void read_elements(struct reader *r, const char *name, struct place where) {
  struct scan *s = &r->scan;
  int64_t n = scan_number(s, "the length of the array");
  if (n < 1 || n > 64)
    scan_fail(s, where, "array of %lld elements, expected 1 to 64", (long long)n);
  scan_expect(s, "]", "']'");
  int first = r->p->locations.length;
  for (int i = 0; i < n; i++)
    program_add_location(r->p,
                         (struct location){.name = arena_format(r->p->arena, "%s[%d]", name, i),
                                           .array = first,
                                           .index = i,
                                           .offset = i * ELEMENT_BYTES,
                                           .line = first,
                                           .place = where});
  if (!scan_accept(s, "="))
    return;
  scan_expect(s, "{", "'{' and the elements");
  for (int i = 0; !scan_accept(s, "}"); i++) {
    if (i >= n)
      scan_fail(s, s->place, "more than %lld elements", (long long)n);
    r->p->locations.data[first + i].initial = scan_number(s, "a number");
    if (!scan_is(s, "}"))
      scan_expect(s, ",", "',' or '}'");
  }
}

static void read_shared(struct reader *r, bool is_volatile) {
  struct scan *s = &r->scan;
  do {
    struct place where = s->place;
    const char *name = scan_name(s, r->p->arena, "the name of a shared variable");
    bool array;
    if (is_shared(r, name, &array))
      scan_fail(s, where, "'%s' is declared twice", name);
    if (scan_accept(s, "[")) {
      read_elements(r, name, where);
    } else {
      int64_t initial = scan_accept(s, "=") ? scan_number(s, "a number") : 0;
      program_add_location(r->p, (struct location){.name = name,
                                                   .initial = initial,
                                                   .is_volatile = is_volatile,
                                                   .array = -1,
                                                   .line = r->p->locations.length,
                                                   .place = where});
    }
  } while (scan_accept(s, ","));
  scan_expect(s, ";", "',' or ';'");
}

/* ---- expressions -------------------------------------------------------------------------- */

static int emit(struct reader *r, struct stmt st, struct place where, const char *start,
                const char *end) {
  while (end > start && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t'))
    end--;
  st.thread = r->thread;
  st.guard = expr_make(r->p, EXPR_LAND, r->path, r->alive, -1);
  st.instruction = r->p->stmts.length;
  st.place = where;
  st.text = arena_text(r->p->arena, start, (size_t)(end - start));
  list_push(r->p->arena, &r->p->stmts, st);
  return r->p->stmts.length - 1;
}

static struct local *find_local(struct reader *r, const char *name, int thread) {
  for (int i = 0; i < r->locals.length; i++)
    if (r->locals.data[i].thread == thread && !strcmp(r->locals.data[i].name, name))
      return &r->locals.data[i];
  return NULL;
}

/* The address of x or a[e], with the scanner behind the name. */
static int read_address(struct reader *r, const char *name, bool array, bool *is_volatile) {
  struct scan *s = &r->scan;
  struct program *p = r->p;
  if (!array) {
    int l = program_find_location(p, name);
    *is_volatile = p->locations.data[l].is_volatile;
    return expr_const(p, program_address(p, l));
  }
  *is_volatile = false;
  int first = program_find_location(p, arena_format(p->arena, "%s[0]", name));
  scan_expect(s, "[", "'[' and an index");
  int index = read_expr(r);
  scan_expect(s, "]", "']'");
  int offset = expr_make(p, EXPR_MUL, index, expr_const(p, ELEMENT_BYTES), -1);
  return expr_make(p, EXPR_ADD, expr_const(p, program_address(p, first)), offset, -1);
}

static int read_variable(struct reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  const char *start = s->start;
  const char *name = scan_name(s, r->p->arena, "a variable");
  struct local *local = find_local(r, name, r->thread);
  if (local)
    return local->value;
  bool array, is_volatile;
  if (!is_shared(r, name, &array))
    scan_fail(s, where, "'%s' is neither shared nor a local that was assigned before", name);
  int address = read_address(r, name, array, &is_volatile);
  if (is_dead(r))
    return expr_const(r->p, 0);
  int st = emit(r,
                (struct stmt){.kind = STMT_READ,
                              .address = address,
                              .value = -1,
                              .partner = -1,
                              .monitor = -1,
                              .is_volatile = is_volatile},
                where, start, s->start);
  return expr_leaf(r->p, EXPR_READ, st);
}

static int read_primary(struct reader *r) {
  struct scan *s = &r->scan;
  scan_enter(s);
  int e;
  if (scan_accept(s, "(")) {
    e = read_expr(r);
    scan_expect(s, ")", "')'");
  } else if (scan_accept(s, "-")) {
    e = expr_make(r->p, EXPR_NEG, read_primary(r), -1, -1);
  } else if (scan_accept(s, "!")) {
    e = expr_make(r->p, EXPR_LNOT, read_primary(r), -1, -1);
  } else if (scan_accept(s, "~")) {
    e = expr_make(r->p, EXPR_NOT, read_primary(r), -1, -1);
  } else if (scan_accept(s, "true")) {
    e = expr_const(r->p, 1);
  } else if (scan_accept(s, "false")) {
    e = expr_const(r->p, 0);
  } else if (s->kind == TOK_NUMBER) {
    e = expr_const(r->p, scan_number(s, "a number"));
  } else if (s->kind == TOK_NAME) {
    e = read_variable(r);
  } else {
    scan_unexpected(s, "an expression");
  }
  scan_leave(s);
  return e;
}

static const struct {
  const char *text;
  enum expr_kind op;
  int level;
  bool swap;
} operators[] = {
    {"|", EXPR_OR, 2, 0},  {"^", EXPR_XOR, 3, 0},  {"&", EXPR_AND, 4, 0},  {"==", EXPR_EQ, 5, 0},
    {"!=", EXPR_NE, 5, 0}, {"<=", EXPR_LE, 6, 0},  {">=", EXPR_LE, 6, 1},  {"<", EXPR_LT, 6, 0},
    {">", EXPR_LT, 6, 1},  {"<<", EXPR_SHL, 7, 0}, {">>", EXPR_SHR, 7, 0}, {"+", EXPR_ADD, 8, 0},
    {"-", EXPR_SUB, 8, 0}, {"*", EXPR_MUL, 9, 0},  {"/", EXPR_DIV, 9, 0},  {"%", EXPR_MOD, 9, 0}};

/* Binary operators with C's precedences; level 0 is ||, 1 is &&. */
static int read_level(struct reader *r, int level) {
  struct scan *s = &r->scan;
  if (level == 10)
    return read_primary(r);
  int e = read_level(r, level + 1);
  if (level < 2) { /* the right side is evaluated only if it matters */
    while (scan_accept(s, level ? "&&" : "||")) {
      int path = r->path, go = level ? e : expr_make(r->p, EXPR_LNOT, e, -1, -1);
      r->path = expr_make(r->p, EXPR_LAND, path, go, -1);
      e = expr_make(r->p, level ? EXPR_LAND : EXPR_LOR, e, read_level(r, level + 1), -1);
      r->path = path;
    }
    return e;
  }
  for (unsigned i = 0; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].level == level && scan_accept(s, operators[i].text)) {
      int right = read_level(r, level + 1);
      e = operators[i].swap ? expr_make(r->p, operators[i].op, right, e, -1)
                            : expr_make(r->p, operators[i].op, e, right, -1);
      i = (unsigned)-1;
    }
  return e;
}

static int read_expr(struct reader *r) {
  scan_enter(&r->scan);
  int e = read_level(r, 0);
  scan_leave(&r->scan);
  return e;
}

/* ---- statements --------------------------------------------------------------------------- */

static void assign_local(struct reader *r, const char *name, int value) {
  struct local *l = find_local(r, name, r->thread);
  if (!l) {
    struct local fresh = {name, r->thread, expr_const(r->p, 0)};
    list_push(r->p->arena, &r->locals, fresh);
    l = &r->locals.data[r->locals.length - 1];
  }
  l->value = expr_make(r->p, EXPR_ITE, r->path, value, l->value);
}

static void read_assignment(struct reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  const char *start = s->start;
  const char *name = scan_name(s, r->p->arena, "a statement");
  bool array = false, shared = is_shared(r, name, &array), is_volatile = false;
  int address = shared ? read_address(r, name, array, &is_volatile) : -1;
  scan_expect(s, "=", "'='");
  int value = read_expr(r);
  const char *end = s->start;
  scan_expect(s, ";", "';'");
  if (!shared)
    assign_local(r, name, value);
  else if (!is_dead(r))
    emit(r,
         (struct stmt){.kind = STMT_WRITE,
                       .address = address,
                       .value = value,
                       .partner = -1,
                       .monitor = -1,
                       .is_volatile = is_volatile},
         where, start, end);
}

static void read_branch(struct reader *r, int path) {
  int saved = r->path;
  r->path = path;
  read_statement(r);
  r->path = saved;
}

static int path_with(struct reader *r, int condition, bool holds) {
  int c = holds ? condition : expr_make(r->p, EXPR_LNOT, condition, -1, -1);
  return expr_make(r->p, EXPR_LAND, r->path, c, -1);
}

static void read_if(struct reader *r) {
  struct scan *s = &r->scan;
  scan_expect(s, "(", "'(' and a condition");
  int c = read_expr(r);
  scan_expect(s, ")", "')'");
  int yes = path_with(r, c, true), no = path_with(r, c, false);
  read_branch(r, yes);
  if (scan_accept(s, "else"))
    read_branch(r, no);
}

static void cut_path(struct reader *r, int round_again) {
  int64_t v;
  if (!expr_is_const(r->p, round_again, &v) || v) {
    int finished = expr_make(r->p, EXPR_LNOT, round_again, -1, -1);
    list_push(r->p->arena, &r->p->assumes, finished);
    r->alive = expr_make(r->p, EXPR_LAND, r->alive, finished, -1);
    r->p->cut = true;
  }
}

/* Reads "while (c) body" as often as it may run; the last reading, with a dead path, only skips. */
static void read_while(struct reader *r) {
  struct scan *s = &r->scan;
  struct scan start = *s;
  int before = r->path;
  for (int round = 0;; round++) {
    scan_restore(s, &start);
    scan_expect(s, "(", "'(' and a condition");
    int c = read_expr(r);
    scan_expect(s, ")", "')'");
    int again = path_with(r, c, true);
    if (round == r->unroll) {
      cut_path(r, again);
      read_branch(r, expr_const(r->p, 0));
      break;
    }
    r->path = again;
    read_statement(r);
  }
  r->path = before;
}

static void read_do(struct reader *r) {
  struct scan *s = &r->scan;
  struct scan start = *s;
  int before = r->path, rounds = r->unroll < 1 ? 1 : r->unroll;
  for (int round = 1; round <= rounds; round++) {
    scan_restore(s, &start);
    read_statement(r);
    scan_expect(s, "while", "'while' after the body of do");
    scan_expect(s, "(", "'(' and a condition");
    int c = read_expr(r);
    scan_expect(s, ")", "')'");
    r->path = path_with(r, c, true);
  }
  scan_expect(s, ";", "';'");
  cut_path(r, r->path);
  r->path = before;
}

static void read_sync(struct reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  const char *start = s->start;
  scan_advance(s);
  scan_expect(s, "(", "'(' and a monitor");
  int monitor = program_monitor(r->p, scan_name(s, r->p->arena, "the name of a monitor"));
  scan_expect(s, ")", "')'");
  struct stmt st = {
      .kind = STMT_LOCK, .address = -1, .value = -1, .partner = -1, .monitor = monitor};
  bool dead = is_dead(r);
  int lock = dead ? -1 : emit(r, st, where, start, s->start);
  if (!scan_is(s, "{"))
    scan_unexpected(s, "'{' after sync(...)");
  read_statement(r);
  if (dead)
    return;
  st.kind = STMT_UNLOCK;
  st.partner = lock;
  static const char text[] = "end of sync";
  int unlock = emit(r, st, where, text, text + sizeof text - 1);
  r->p->stmts.data[lock].partner = unlock;
  r->p->stmts.data[unlock].guard = r->p->stmts.data[lock].guard;
}

static void read_external(struct reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  const char *start = s->start;
  scan_advance(s);
  int value = -1;
  if (scan_accept(s, "(")) {
    if (!scan_is(s, ")"))
      value = read_expr(r);
    scan_expect(s, ")", "')'");
  }
  (void)value; /* what is printed does not matter to any model */
  const char *end = s->start;
  scan_expect(s, ";", "';'");
  if (!is_dead(r))
    emit(r,
         (struct stmt){
             .kind = STMT_EXTERNAL, .address = -1, .value = -1, .partner = -1, .monitor = -1},
         where, start, end);
}

static void read_statement(struct reader *r) {
  struct scan *s = &r->scan;
  scan_enter(s);
  if (r->p->stmts.length > STMTS_MAX || ++r->steps > STEPS_MAX)
    scan_fail(s, s->place, "too large when unwound: more than %d actions or %d statements",
              STMTS_MAX, STEPS_MAX);
  if (scan_accept(s, "{")) {
    while (!scan_accept(s, "}"))
      read_statement(r);
  } else if (scan_accept(s, "if")) {
    read_if(r);
  } else if (scan_accept(s, "while")) {
    read_while(r);
  } else if (scan_accept(s, "do")) {
    read_do(r);
  } else if (scan_is(s, "sync")) {
    read_sync(r);
  } else if (scan_is(s, "print") || scan_is(s, "external")) {
    read_external(r);
  } else if (!scan_accept(s, ";")) {
    read_assignment(r);
  }
  scan_leave(s);
}

/* ---- threads and condition ---------------------------------------------------------------- */

static int find_thread(const struct reader *r, const char *name) {
  for (int t = 1; t < r->p->threads.length; t++)
    if (!strcmp(r->p->threads.data[t].name, name))
      return t;
  return -1;
}

static void read_thread(struct reader *r) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  struct thread t = {.name = scan_name(s, r->p->arena, "the name of a thread")};
  if (find_thread(r, t.name) >= 0)
    scan_fail(s, where, "thread '%s' is declared twice", t.name);
  list_push(r->p->arena, &r->p->threads, t);
  r->thread = r->p->threads.length - 1;
  if (r->thread > THREADS_MAX)
    scan_fail(s, where, "more than %d threads", THREADS_MAX);
  if (scan_accept(s, "after"))
    do {
      struct pending_after a = {r->thread, NULL, s->place};
      a.name = scan_name(s, r->p->arena, "a thread");
      list_push(r->p->arena, &r->afters, a);
    } while (scan_accept(s, ","));
  if (!scan_is(s, "{"))
    scan_unexpected(s, "'{' and the statements of the thread");
  r->path = r->alive = expr_const(r->p, 1);
  read_statement(r);
}

static void resolve_afters(struct reader *r) {
  for (int i = 0; i < r->afters.length; i++) {
    const struct pending_after *a = &r->afters.data[i];
    int t = find_thread(r, a->name);
    if (t < 0 || t == a->thread)
      scan_fail(&r->scan, a->place, "'%s' is not another thread", a->name);
    list_push(r->p->arena, &r->p->threads.data[a->thread].after, t);
    if (program_thread_before(r->p, a->thread, a->thread))
      scan_fail(&r->scan, a->place, "threads wait for each other in a circle");
  }
}

static int observe_local(struct reader *r, const struct local *l) {
  const char *name =
      arena_format(r->p->arena, "%s:%s", r->p->threads.data[l->thread].name, l->name);
  condition_observe(r->p, name, l->value, 0);
  return l->value;
}

static int observe_memory(struct reader *r, const char *name, struct place where) {
  struct scan *s = &r->scan;
  if (scan_accept(s, "[")) {
    name = arena_format(r->p->arena, "%s[%lld]", name, (long long)scan_number(s, "an index"));
    scan_expect(s, "]", "']'");
  }
  int l = program_find_location(r->p, name);
  if (l < 0)
    scan_fail(s, where, "'%s' is neither a local, nor THREAD:local, nor shared", name);
  int e = expr_leaf(r->p, EXPR_FINAL, l);
  condition_observe(r->p, arena_format(r->p->arena, "[%s]", name), e, 0);
  return e;
}

static int read_operand(struct condition_reader *c, bool right) {
  (void)right;
  struct reader *r = c->context;
  struct scan *s = &r->scan;
  struct place where = s->place;
  const char *name = scan_name(s, r->p->arena, "a local such as r1 or T1:r1, or a shared variable");
  if (scan_is(s, ":") || scan_is(s, ".")) {
    scan_advance(s);
    int t = find_thread(r, name);
    const char *local = scan_name(s, r->p->arena, "a local");
    struct local *l = t < 0 ? NULL : find_local(r, local, t);
    if (!l)
      scan_fail(s, where, "thread '%s' has no local '%s'", name, local);
    return observe_local(r, l);
  }
  const struct local *found = NULL;
  for (int i = 0; i < r->locals.length; i++)
    if (!strcmp(r->locals.data[i].name, name)) {
      if (found)
        scan_fail(s, where, "several threads have a local '%s', expected THREAD:%s", name, name);
      found = &r->locals.data[i];
    }
  return found ? observe_local(r, found) : observe_memory(r, name, where);
}

static void read_name(struct reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  scan_expect(s, "test", "'test'");
  r->p->arch = "schematic";
  if (s->kind == TOK_STRING) {
    char *name = arena_text(r->p->arena, s->start + 1, s->length - 2);
    for (char *c = name; *c; c++)
      *c = *c == ' ' ? '-' : *c; /* names are one word in the output */
    r->p->name = name;
    scan_advance(s);
  } else {
    r->p->name = scan_name(s, r->p->arena, "the name of the test");
  }
  if (!r->p->name[0])
    scan_fail(s, s->place, "the test has an empty name");
}

static void read_test(struct reader *r) {
  struct scan *s = &r->scan;
  read_name(r);
  for (;;) {
    if (scan_accept(s, "shared"))
      read_shared(r, false);
    else if (scan_accept(s, "volatile"))
      read_shared(r, true);
    else if (scan_accept(s, "thread"))
      read_thread(r);
    else
      break;
  }
  if (r->p->threads.length < 2)
    scan_unexpected(s, "shared, volatile or thread");
  resolve_afters(r);
  struct condition_reader c = {.scan = s, .program = r->p, .operand = read_operand, .context = r};
  if (!condition_read(&c))
    scan_unexpected(s, "thread, exists, ~exists or forall");
  scan_accept(s, ";");
  if (s->kind != TOK_END)
    scan_unexpected(s, "the end of the test");
}

struct program *schematic_parse(const char *file, const char *text, size_t length, struct arena *a,
                                int unroll, struct diag *d) {
  struct reader *r = arena_alloc(a, sizeof *r);
  r->p = program_create(a, file);
  r->unroll = unroll;
  scan_init(&r->scan, file, text, length, SCAN_C_COMMENTS, d);
  if (setjmp(r->scan.fail))
    return NULL;
  read_test(r);
  condition_sort_observed(r->p);
  program_finish(r->p);
  return r->p;
}
