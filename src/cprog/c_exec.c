/* One function: blocks in order, loops unrolled, values of SSA form as expressions. */
#include "cprog/c_exec.h"
#include "base/check.h"
#include "cprog/c_frame.h"
#include "cprog/c_memory.h"
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 500000, CALLS_MAX = 200 };

void c_fail(struct c_exec *x, struct place where, const char *format, ...) {
  char message[400];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (!where.file)
    where.file = x->module->file;
  diag_set(x->diag, where, "%s", message);
  longjmp(x->fail, 1);
}

int c_input(struct c_exec *x, const char *name, int bits, struct place where) {
  struct input i = {.name = name,
                    .bits = bits,
                    .place = where,
                    .thread = x->thread,
                    .guard = x->guard,
                    .before = x->p->stmts.length};
  list_push(x->arena, &x->p->inputs, i);
  return expr_leaf(x->p, EXPR_INPUT, x->p->inputs.length - 1);
}

int c_contents_input(struct c_exec *x, const struct c_object *o, int bytes, struct place where) {
  int e = c_input(x, o->name, bytes * 8, where);
  x->p->inputs.data[x->p->inputs.length - 1].is_contents = true;
  return e;
}

void c_violate(struct c_exec *x, enum c_violation_kind kind, int condition, struct place where,
               const char *text) {
  int guard = c_and(x->p, x->guard, condition);
  if (c_is(x->p, guard, 0))
    return;
  struct c_violation v = {kind, guard, x->thread, where, text, -1, 0};
  list_push(x->arena, &x->violations, v);
}

void c_violate_access(struct c_exec *x, int condition, int address, int bytes, struct place where) {
  int before = x->violations.length;
  c_violate(x, VIOLATION_ADDRESS, condition, where, "outside every object");
  if (x->violations.length > before) {
    x->violations.data[before].address = address;
    x->violations.data[before].bytes = bytes;
  }
}

void c_stop_unless(struct c_exec *x, int condition) {
  x->guard = c_and(x->p, x->guard, condition);
}

void c_add_wait(struct c_exec *x, int guard, int first_part, struct place where) {
  struct c_wait w = {.guard = guard, .thread = x->thread, .place = where};
  for (int i = x->spurious.length - 1; i >= 0 && x->spurious.data[i].part >= first_part; i--)
    w.guard = c_and(x->p, w.guard, c_not(x->p, x->spurious.data[i].guard)); /* not for ever */
  if (c_is(x->p, w.guard, 0))
    return;
  for (int i = first_part; i < x->parts.length; i++) {
    const struct stmt *s = &x->p->stmts.data[x->parts.data[i].stmt];
    int read = s->kind == STMT_READ ? expr_leaf(x->p, EXPR_READ, x->parts.data[i].stmt) : -1;
    if (read >= 0 && s->thread == x->thread)
      list_push(x->arena, &w.reads, read);
  }
  list_push(x->arena, &x->waits, w);
}

void c_wait_until(struct c_exec *x, int condition, int first_part, struct place where) {
  c_add_wait(x, c_and(x->p, x->guard, c_not(x->p, condition)), first_part, where);
  c_stop_unless(x, condition);
}

/* Guards are conjunctions that grow along the path. */
bool c_guard_implies(const struct c_exec *x, int path, int guard) {
  enum { DEEP = 200 };
  const struct expr *e = &x->p->exprs.data[path];
  for (int i = 0; i < DEEP && path != guard && e->kind == EXPR_LAND; i++) {
    if (e->arg[1] == guard)
      return true;
    path = e->arg[0];
    e = &x->p->exprs.data[path];
  }
  return path == guard || c_is(x->p, guard, 1);
}

/* ---- values ------------------------------------------------------------------------------- */

static int operand(struct c_exec *x, const struct frame *f, const struct c_instruction *i, int n,
                   int bits) {
  struct c_operand o = i->args.data[n];
  switch (o.kind) {
  case OPERAND_VALUE:
    if (f->values[o.number] < 0)
      c_fail(x, i->place, "value %lld is used before it is there", (long long)o.number);
    return f->values[o.number];
  case OPERAND_NUMBER:
    return expr_const(x->p, o.number);
  case OPERAND_OBJECT:
    return expr_const(x->p, c_object_address(x, (int)o.number) + o.offset);
  case OPERAND_FUNCTION:
    return expr_const(x->p, c_function_address((int)o.number));
  default:
    return c_input(x, "undefined", bits, i->place);
  }
}

static void arithmetic(struct c_exec *x, struct frame *f, const struct c_instruction *i) {
  int a = operand(x, f, i, 0, i->bits), b = operand(x, f, i, 1, i->bits);
  if (i->op >= CIR_UDIV && i->op <= CIR_SREM)
    c_violate(x, VIOLATION_DIVISION, c_equal(x->p, b, expr_const(x->p, 0)), i->place,
              "division by zero");
  f->values[i->dst] = c_binary(x->p, i->op, i->bits, a, b);
}

/* Operands of an access of 16 bytes take two words each. */
static struct c_pair operand_pair(struct c_exec *x, const struct frame *f,
                                  const struct c_instruction *i, int n) {
  if (i->bits <= 8)
    return (struct c_pair){operand(x, f, i, 1 + n, i->bits * 8), -1};
  int low = operand(x, f, i, 1 + 2 * n, 64);
  return (struct c_pair){low, operand(x, f, i, 2 + 2 * n, 64)};
}

static void access(struct c_exec *x, struct frame *f, const struct c_instruction *i) {
  struct c_request r = {.bytes = i->bits, .order = i->order, .place = i->place};
  struct c_pair value;
  int success = -1, words = i->bits > 8 ? 2 : 1;
  r.address = operand(x, f, i, 0, 64);
  switch (i->op) {
  case CIR_LOAD:
    value = c_access_load_pair(x, r);
    break;
  case CIR_STORE:
    c_access_store_pair(x, r, operand_pair(x, f, i, 0));
    return;
  case CIR_RMW:
    value = c_read_modify_write_pair(x, r, i->rmw, operand_pair(x, f, i, 0));
    break;
  default:
    value = c_compare_exchange_pair(x, r, i->failure, i->weak, operand_pair(x, f, i, 0),
                                    operand_pair(x, f, i, 1), &success);
    f->values[i->dst + words] = success;
  }
  f->values[i->dst] = value.low;
  if (words == 2)
    f->values[i->dst + 1] = value.high;
}

static void local_variable(struct c_exec *x, struct frame *f, const struct c_instruction *i) {
  int64_t count;
  if (!expr_is_const(x->p, operand(x, f, i, 0, 64), &count) || count < 0 || count > 4096)
    c_fail(x, i->place, "a local array whose size is not constant");
  struct c_object o = {.name = i->text,
                       .size = x->module->layouts.data[i->layout].size * count,
                       .layout = count == 1 ? i->layout : -1,
                       .global = -1,
                       .thread = x->thread,
                       .is_private = i->is_local,
                       .is_undefined = true,
                       .freed = -1,
                       .over = -1,
                       .place = i->place};
  o.name = arena_format(x->arena, "%s@%s", i->text, x->p->threads.data[x->thread].name);
  int object = c_object_create(x, o);
  f->values[i->dst] = expr_const(x->p, x->objects.data[object].address);
  if (!o.is_private)
    list_push(x->arena, &x->locals, object);
}

void c_end_locals(struct c_exec *x, int first, struct place where) {
  int guard = x->guard;
  for (int i = first; i < x->locals.length; i++) {
    int over = x->objects.data[x->locals.data[i]].over;
    if (over >= 0 && c_guard_implies(x, x->guard, over))
      continue;
    x->guard = over < 0 ? guard : c_and(x->p, guard, c_not(x->p, over));
    if (!c_is(x->p, x->guard, 0))
      c_access_return(x, x->locals.data[i], where);
    x->guard = guard;
  }
}

/* The object that the operand of `begin` and `end-of` is; -1 if that does not matter. */
static int variable_of(struct c_exec *x, const struct frame *f, const struct c_instruction *i) {
  struct c_operand o = i->args.data[0];
  int64_t address;
  if (o.kind != OPERAND_VALUE || f->values[o.number] < 0 ||
      !expr_is_const(x->p, f->values[o.number], &address))
    return -1;
  int object = c_object_at(x, address);
  return object >= 0 && !x->objects.data[object].is_private ? object : -1;
}

/* A variable of a function that was inlined begins again: it is another one. */
static void begin_again(struct c_exec *x, struct frame *f, const struct c_instruction *i) {
  int object = variable_of(x, f, i);
  if (object < 0 || x->objects.data[object].over < 0)
    return;
  struct c_object again = x->objects.data[object];
  again.over = again.freed = -1;
  memset(&again.cells, 0, sizeof again.cells);
  object = c_object_create(x, again);
  list_push(x->arena, &x->locals, object);
  f->values[i->args.data[0].number] = expr_const(x->p, x->objects.data[object].address);
}

/* A call of something that is neither here nor known, in the words of the source. */
_Noreturn static void refuse_call(struct c_exec *x, const char *name, struct place where) {
  size_t length = strlen(name);
  bool is_float = !strncmp(name, "llvm.", 5) && length > 4 &&
                  (!strcmp(name + length - 4, ".f32") || !strcmp(name + length - 4, ".f64"));
  if (is_float)
    c_fail(x, where, "floating-point arithmetic is not supported");
  if (!strcmp(name, "_setjmp") || !strcmp(name, "__sigsetjmp") || !strcmp(name, "setjmp"))
    c_fail(x, where, "setjmp is not supported");
  c_fail(x, where, "'%s' is not defined in this file, and is no function that we know", name);
}

/* One of the functions that a call may be of; -1 if it gives nothing. */
static int call_one(struct c_exec *x, const struct c_instruction *i, int callee, const int *args,
                    int count) {
  const struct c_function *g = &x->module->functions.data[callee];
  int result = -1;
  x->returned.length = 0;
  if (g->defined)
    return c_run_function(x, callee, args, count, i->place);
  if (!c_call_external(x, g->name, i, args, count, &result))
    refuse_call(x, g->name, i->place);
  return result;
}

static void call(struct c_exec *x, struct frame *f, const struct c_instruction *i) {
  int count = i->args.length - 1, guard = x->guard;
  int *args = arena_alloc(x->arena, (size_t)(count + 1) * sizeof *args);
  int *results = arena_alloc(x->arena, (size_t)(i->more + 1) * sizeof *results);
  memset(results, -1, (size_t)(i->more + 1) * sizeof *results);
  for (int a = 0; a < count; a++)
    args[a] = operand(x, f, i, a + 1, 64);
  int pointer = operand(x, f, i, 0, 64), known = expr_const(x->p, 0);
  bool all;
  const unsigned char *in = c_find_callees(x, pointer, &all);
  LIST(int) ways = {0};
  for (int g = 0; g < x->module->functions.length; g++) {
    int this_one = c_equal(x->p, pointer, expr_const(x->p, c_function_address(g)));
    if (!in[g] || c_is(x->p, this_one, 0))
      continue;
    known = c_or(x->p, known, this_one);
    x->guard = c_and(x->p, guard, this_one);
    int value = call_one(x, i, g, args, count);
    for (int n = 0; n <= i->more; n++) {
      if (n > 0)
        value = n - 1 < x->returned.length ? x->returned.data[n - 1] : -1;
      if (value >= 0)
        results[n] = results[n] < 0 ? value : c_choose(x->p, this_one, value, results[n]);
    }
    list_push(x->arena, &ways, x->guard);
  }
  x->guard = guard;
  if (!all && !x->unknown_call) /* a later round may know what is read */
    x->unknown_call = i;
  c_violate(x, VIOLATION_ADDRESS, c_not(x->p, known), i->place, "to call no function");
  x->guard = c_any(x->p, ways.data, ways.length);
  for (int n = 0; i->dst >= 0 && n <= i->more; n++)
    f->values[i->dst + n] = results[n] >= 0 ? results[n] : c_input(x, "result", i->bits, i->place);
}

static void execute(struct c_exec *x, struct frame *f, const struct c_instruction *i) {
  struct program *p = x->p;
  switch (i->op) {
  case CIR_ZEXT:
  case CIR_SEXT:
  case CIR_TRUNC:
    f->values[i->dst] = c_convert(p, i->op, i->bits, i->from, operand(x, f, i, 0, i->from));
    break;
  case CIR_SELECT: {
    int yes = operand(x, f, i, 1, i->bits), no = operand(x, f, i, 2, i->bits);
    f->values[i->dst] = c_choose(p, operand(x, f, i, 0, 1), yes, no);
    break;
  }
  case CIR_LOAD:
  case CIR_STORE:
  case CIR_RMW:
  case CIR_CAS:
    access(x, f, i);
    break;
  case CIR_FENCE:
    if (!x->sequential)
      c_fence(x, FENCE_C11, i->order, i->place);
    break;
  case CIR_ALLOCA:
    local_variable(x, f, i);
    break;
  case CIR_BEGIN:
    begin_again(x, f, i);
    break;
  case CIR_END_OF:
    if (variable_of(x, f, i) >= 0)
      c_access_return(x, variable_of(x, f, i), i->place);
    break;
  case CIR_CALL:
    call(x, f, i);
    break;
  case CIR_UNSUPPORTED:
    c_fail(x, i->place, "%s is not supported", i->text);
  default:
    arithmetic(x, f, i);
  }
}

/* ---- blocks ------------------------------------------------------------------------------- */

static void count_exits(struct frame *f, int from, int to) {
  if (to >= 0 && c_block_ends(f->f, to)) /* a failed assertion: nothing comes behind the loop */
    return;
  for (int l = f->f->blocks.data[from].loop; l >= 0; l = f->f->loops.data[l].parent)
    if (to < 0 || !c_loop_contains(f->f, l, to))
      f->exits[l]++;
}

/* The way to another block, if the condition holds. */
static void leave(struct c_exec *x, struct frame *f, int from, int to, int path, int condition) {
  int guard = c_and(x->p, path, condition);
  if (c_is(x->p, guard, 0))
    return;
  if (!c_branch_feasible(x, guard, condition)) {
    x->pruned++;
    return;
  }
  count_exits(f, from, to);
  const struct c_block *b = &f->f->blocks.data[to];
  struct entry e = {guard, arena_alloc(x->arena, (size_t)b->count * sizeof(int) + 1)};
  for (int n = 0; n < b->count && f->f->code.data[b->first + n].op == CIR_PHI; n++) {
    const struct c_instruction *phi = &f->f->code.data[b->first + n];
    int a = 0;
    while (a < phi->args.length && phi->blocks.data[a] != from)
      a++;
    if (a == phi->args.length)
      c_fail(x, phi->place, "a value is missing for one of the ways to this place");
    e.phis[n] = operand(x, f, phi, a, phi->bits);
  }
  list_push(x->arena, &f->entries[to], e);
}

/* Joins the ways into a block; false if there are none.  Those that nobody takes count where they meet the others: what
 * comes behind does not depend on what has parted them. */
static bool enter(struct c_exec *x, struct frame *f, int block) {
  entry_list *in = &f->entries[block];
  guards_list *left_out = &f->left_out[block];
  const struct c_block *b = &f->f->blocks.data[block];
  if (!in->length)
    return false;
  int count = in->length + left_out->length;
  int *guards = arena_alloc(x->arena, (size_t)count * sizeof *guards);
  for (int i = 0; i < count; i++)
    guards[i] = i < in->length ? in->data[i].guard : left_out->data[i - in->length];
  x->guard = f->entered = c_any(x->p, guards, count);
  left_out->length = 0;
  for (int n = 0; n < b->count && f->f->code.data[b->first + n].op == CIR_PHI; n++) {
    int value = in->data[in->length - 1].phis[n];
    for (int i = in->length - 2; i >= 0; i--)
      value = c_merge(x->p, in->data[i].guard, in->data[i].phis[n], value);
    f->values[f->f->code.data[b->first + n].dst] = value;
  }
  in->length = 0;
  return true;
}

static void leave_switch(struct c_exec *x, struct frame *f, int block,
                         const struct c_instruction *i) {
  int value = operand(x, f, i, 0, i->bits), rest = x->guard;
  for (int k = 0; k < i->keys.length; k++) {
    int here = c_equal(x->p, value, expr_const(x->p, i->keys.data[k]));
    leave(x, f, block, i->blocks.data[k + 1], rest, here);
    rest = c_and(x->p, rest, c_not(x->p, here));
  }
  leave(x, f, block, i->blocks.data[0], rest, expr_const(x->p, 1));
}

void c_run_block(struct c_exec *x, struct frame *f, int block) {
  const struct c_block *b = &f->f->blocks.data[block];
  if (!enter(x, f, block))
    return;
  for (int n = 0; n < b->count && !c_is(x->p, x->guard, 0); n++) {
    const struct c_instruction *i = &f->f->code.data[b->first + n];
    x->reached[f->f - x->module->functions.data][b->first + n] = 1;
    c_key_step(x, (int)(f->f - x->module->functions.data), b->first + n);
    if (++x->steps > STEPS_MAX)
      c_fail(x, i->place, "more than %d instructions: does a loop never end?", STEPS_MAX);
    switch (i->op) {
    case CIR_PHI:
    case CIR_UNREACHABLE: /* behind a call that does not return */
      break;
    case CIR_BR:
      leave(x, f, block, i->blocks.data[0], x->guard, expr_const(x->p, 1));
      break;
    case CIR_CBR: {
      int c = operand(x, f, i, 0, 1);
      leave(x, f, block, i->blocks.data[0], x->guard, c);
      leave(x, f, block, i->blocks.data[1], x->guard, c_not(x->p, c));
      break;
    }
    case CIR_SWITCH:
      leave_switch(x, f, block, i);
      break;
    case CIR_RET:
      list_push(x->arena, &f->returns, x->guard);
      count_exits(f, block, -1);
      f->end = i->place;
      for (int n = 0; n < i->args.length; n++) {
        int value = operand(x, f, i, n, 64);
        if (n < f->results.length)
          f->results.data[n] = c_merge(x->p, x->guard, value, f->results.data[n]);
        else
          list_push(x->arena, &f->results, value);
      }
      break;
    default:
      execute(x, f, i);
    }
  }
}

/* ---- functions ---------------------------------------------------------------------------- */

void c_stop_at_bound(struct c_exec *x, struct place where) {
  struct c_bound b = {x->guard, where};
  list_push(x->arena, &x->bounds, b);
  x->guard = expr_const(x->p, 0);
}

/* Calls of a function by itself that something had to decide about; others end by counting. */
static int depth_of(const struct c_exec *x, int function) {
  int depth = 0, last = -1;
  for (int i = 0; i < x->calls.length; i++) {
    if (x->calls.data[i].function != function)
      continue;
    depth += x->calls.data[i].guard != last;
    last = x->calls.data[i].guard;
  }
  return depth + (last >= 0 && last != x->guard);
}

int c_run_function(struct c_exec *x, int function, const int *args, int count, struct place where) {
  const struct c_function *g = &x->module->functions.data[function];
  if (depth_of(x, function) > x->unroll + 1 || x->calls.length > CALLS_MAX) {
    c_stop_at_bound(x, where);
    return -1;
  }
  struct frame f = {.f = g, .end = where};
  int first_local = x->locals.length;
  f.values = arena_alloc(x->arena, (size_t)(g->values + 3) * sizeof *f.values);
  f.entries = arena_alloc(x->arena, (size_t)(g->blocks.length + 1) * sizeof *f.entries);
  f.left_out = arena_alloc(x->arena, (size_t)(g->blocks.length + 1) * sizeof *f.left_out);
  f.exits = arena_alloc(x->arena, (size_t)(g->loops.length + 1) * sizeof *f.exits);
  memset(f.values, -1, (size_t)(g->values + 3) * sizeof *f.values);
  for (int a = 0; a < g->args; a++)
    f.values[a] = a < count ? args[a] : c_input(x, "argument", 64, where);
  const char *within = x->within;
  x->within = NULL;
  struct c_activation activation = {function, x->guard, args, count};
  list_push(x->arena, &x->calls, activation);
  struct c_position before = c_key_enter(x, function);
  struct entry start = {x->guard, NULL};
  list_push(x->arena, &f.entries[0], start);
  c_run_region(x, &f, -1);
  c_key_leave(x, before);
  x->calls.length--;
  x->within = within;
  x->guard = c_any(x->p, f.returns.data, f.returns.length);
  if (strcmp(g->name, "main") != 0) /* what main has stays until the process ends */
    c_end_locals(x, first_local, f.end);
  x->locals.length = first_local;
  x->returned.length = 0;
  for (int n = 1; n < f.results.length; n++)
    list_push(x->arena, &x->returned, f.results.data[n]);
  return f.results.length ? f.results.data[0] : -1;
}
