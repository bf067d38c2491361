/* Threads: functions thread0, thread1, ... between init and final, or what main creates.
 *
 * That a thread starts after it was created, and a join returns after its end, are a store with
 * release order and a load with acquire order of a flag, as the target has them: models need not
 * know about threads. */
#include "cprog/c_memory.h"
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 60 };

static int add_thread(struct c_exec *x, const char *name, struct place where) {
  struct thread t = {.name = name};
  struct c_thread c = {
      .end_flag = -1, .start_flag = -1, .result = -1, .creator = -1, .function = -1};
  if (x->p->threads.length > THREADS_MAX)
    c_fail(x, where, "more than %d threads", THREADS_MAX);
  list_push(x->arena, &x->p->threads, t);
  while (x->threads.length < x->p->threads.length)
    list_push(x->arena, &x->threads, c);
  int never = expr_const(x->p, 0);
  while (x->completed.length < x->p->threads.length)
    list_push(x->arena, &x->completed, never);
  return x->p->threads.length - 1;
}

static int make_flag(struct c_exec *x, const char *what, int thread) {
  struct c_object o = {
      .size = 1, .layout = -1, .global = -1, .thread = -1, .freed = -1, .over = -1};
  o.name = arena_format(x->arena, "%s(%s)", what, x->p->threads.data[thread].name);
  o.place = (struct place){x->module->file, 0, 0};
  return c_object_create(x, o);
}

static struct c_request flag_access(struct c_exec *x, int flag, enum cir_order order,
                                    struct place where) {
  struct place nowhere = {where.file ? where.file : x->module->file, where.line, where.column};
  return (struct c_request){expr_const(x->p, x->objects.data[flag].address), 1, order, nowhere};
}

static int is_set(struct c_exec *x, int flag, struct place where) {
  int seen = c_access_load(x, flag_access(x, flag, ORDER_ACQUIRE, where));
  return c_equal(x->p, seen, expr_const(x->p, 1));
}

void c_thread_exit(struct c_exec *x, int value, struct place where) {
  if (strcmp(x->p->threads.data[x->thread].name, "main") != 0)
    c_end_locals(x, 0, where);
  struct c_exit e = {x->guard, value};
  list_push(x->arena, &x->exits, e);
}

/* The function of a thread: it ends where the function returns, or at an exit. */
static void run_to_end(struct c_exec *x, int function, const int *args, int count,
                       struct place where) {
  int thread = x->thread, result = c_run_function(x, function, args, count, where);
  LIST(int) ends = {0};
  list_push(x->arena, &ends, x->guard);
  for (int i = 0; i < x->exits.length; i++) {
    struct c_exit e = x->exits.data[i];
    list_push(x->arena, &ends, e.guard);
    result = result < 0 ? e.value : c_merge(x->p, e.guard, e.value, result);
  }
  x->guard = c_any(x->p, ends.data, ends.length);
  x->threads.data[thread].result = result;
  x->completed.data[thread] = x->guard;
}

/* The whole of a thread, as it is created on the path of x->guard: it has a stack of its own.  One
 * that nobody creates waits for nothing, and counts as one that has ended. */
static void run_thread(struct c_exec *x, int thread, int function, int arg, struct place where) {
  struct c_position before = c_key_enter(x, function);
  struct c_exec creator = *x;
  memset(&x->calls, 0, sizeof x->calls);
  memset(&x->locals, 0, sizeof x->locals);
  memset(&x->exits, 0, sizeof x->exits);
  x->thread = thread;
  x->rcu_sections = 0;
  x->guard = expr_const(x->p, 1);
  struct place nowhere = {x->module->file, 0, 0};
  if (x->threads.data[thread].start_flag >= 0)
    c_stop_unless(x, is_set(x, x->threads.data[thread].start_flag, nowhere));
  x->threads.data[thread].began = x->guard;
  run_to_end(x, function, &arg, arg >= 0 ? 1 : 0, where);
  x->completed.data[thread] = c_or(x->p, x->guard, c_not(x->p, creator.guard));
  int flag = make_flag(x, "ended", thread);
  x->threads.data[thread].end_flag = flag;
  if (!x->shape->joined_known || (x->shape->joined >> thread & 1))
    c_access_store(x, flag_access(x, flag, ORDER_RELEASE, nowhere), expr_const(x->p, 1));
  c_key_leave(x, before);
  x->thread = creator.thread;
  x->guard = creator.guard;
  x->needs_start = creator.needs_start;
  x->effects.length = creator.effects.length;
  x->within = creator.within;
  x->rcu_sections = creator.rcu_sections;
  memcpy(&x->calls, &creator.calls, sizeof x->calls);
  memcpy(&x->locals, &creator.locals, sizeof x->locals);
  memcpy(&x->exits, &creator.exits, sizeof x->exits);
}

/* Threads of this function one of which has created the next, as something had to decide: those that
 * only count how many they are come to an end. */
static int descent_of(const struct c_exec *x, int function) {
  int descent = 0, guard = x->guard;
  for (int t = x->thread; t >= 0; t = x->threads.data[t].creator) {
    descent += x->threads.data[t].function == function && x->threads.data[t].began != guard;
    guard = x->threads.data[t].created;
  }
  return descent;
}

int c_thread_create(struct c_exec *x, int function, int arg, struct place where) {
  if (descent_of(x, function) > x->unroll + 1) {
    c_stop_at_bound(x, where);
    return 0;
  }
  c_memory_start(x);
  const char *name = x->module->functions.data[function].name;
  int same = 0;
  if (!strcmp(name, "_ZN8tidemark10run_threadEPv")) /* include/tidemark-cxx/thread */
    name = "std::thread";
  for (int t = 1; t < x->p->threads.length; t++)
    same += !strncmp(x->p->threads.data[t].name, name, strlen(name));
  int thread = add_thread(x, same ? arena_format(x->arena, "%s#%d", name, same + 1) : name, where);
  x->threads.data[thread].handle = thread;
  x->threads.data[thread].function = function;
  x->threads.data[thread].creator = x->thread;
  x->threads.data[thread].created_at = x->p->stmts.length;
  x->threads.data[thread].created = x->guard;
  if (x->needs_start || !c_is(x->p, x->guard, 1)) {
    int flag = make_flag(x, "created", thread);
    x->threads.data[thread].start_flag = flag;
    c_access_store(x, flag_access(x, flag, ORDER_RELEASE, where), expr_const(x->p, 1));
  }
  run_thread(x, thread, function, arg, where);
  list_push(x->arena, &x->effects, x->guard);
  return thread;
}

void c_thread_join(struct c_exec *x, int handle, struct place where, int *result) {
  int first = x->parts.length, outside = x->guard, ended = expr_const(x->p, 1),
      known = expr_const(x->p, 0);
  for (int t = 1; t < x->threads.length; t++) {
    int flag = x->threads.data[t].end_flag;
    int this_one = c_equal(x->p, handle, expr_const(x->p, t));
    if (flag < 0 || t == x->thread || c_is(x->p, this_one, 0))
      continue;
    known = c_or(x->p, known, this_one);
    x->joined |= (uint64_t)1 << t;
    x->guard = c_and(x->p, outside, this_one);
    int seen = c_access_load(x, flag_access(x, flag, ORDER_ACQUIRE, where));
    int done = c_equal(x->p, seen, expr_const(x->p, 1));
    ended = c_and(x->p, ended, c_or(x->p, c_not(x->p, this_one), done));
    int value = x->threads.data[t].result;
    if (value >= 0)
      *result = *result < 0 ? value : c_choose(x->p, this_one, value, *result);
  }
  x->guard = outside;
  c_violate(x, VIOLATION_ADDRESS, c_not(x->p, known), where, "to join what is no other thread");
  x->guard = c_and(x->p, outside, known);
  c_wait_until(x, ended, first, where);
}

/* ---- the whole program ---------------------------------------------------------------------- */

static bool main_creates_threads(const struct c_module *m) {
  if (c_module_find(m, "main") < 0)
    return false;
  for (int f = 0; f < m->functions.length; f++)
    if (!strcmp(m->functions.data[f].name, "pthread_create") ||
        !strcmp(m->functions.data[f].name, "thrd_create"))
      return true;
  return false;
}

/* What main is told by whoever starts it without arguments: its name. */
static int make_arguments(struct c_exec *x) {
  static const char name[8] = "program";
  int64_t text;
  memcpy(&text, name, sizeof text);
  struct c_object o = {.name = "argv[0]",
                       .size = 8,
                       .layout = -1,
                       .global = -1,
                       .thread = -1,
                       .freed = -1,
                       .over = -1};
  o.place = (struct place){x->module->file, 0, 0};
  struct c_cell whole = {.bytes = 8, .value = expr_const(x->p, text)};
  list_push(x->arena, &o.cells, whole);
  int first = c_object_create(x, o);
  o.name = "argv";
  o.size = 16;
  memset(&o.cells, 0, sizeof o.cells);
  whole.value = expr_const(x->p, x->objects.data[first].address);
  list_push(x->arena, &o.cells, whole);
  return c_object_create(x, o);
}

/* What runs before everything else. */
static void run_constructors(struct c_exec *x) {
  int function = c_module_find(x->module, CIR_CONSTRUCTORS);
  if (function >= 0)
    c_run_function(x, function, NULL, 0, (struct place){x->module->file, 0, 0});
}

static void run_main(struct c_exec *x) {
  x->thread = add_thread(x, "main", (struct place){0});
  x->sequential = true;
  run_constructors(x);
  int function = c_module_find(x->module, "main"), args[3], count = 0;
  if (x->module->functions.data[function].args) {
    int object = make_arguments(x);
    int64_t vector = x->objects.data[object].address;
    args[count++] = expr_const(x->p, 1);
    args[count++] = expr_const(x->p, vector);
    args[count++] = expr_const(x->p, vector + 8); /* no environment: where argv ends, as well */
  }
  run_to_end(x, function, args, count, (struct place){0});
  c_memory_start(x);
}

static void run_threads(struct c_exec *x) {
  const struct c_module *m = x->module;
  int init = c_module_find(m, "init"), final = c_module_find(m, "final"), first = 1;
  x->sequential = true;
  if (init >= 0 || c_module_find(m, CIR_CONSTRUCTORS) >= 0) {
    x->thread = add_thread(x, "init", (struct place){0});
    run_constructors(x);
    if (init >= 0)
      run_to_end(x, init, NULL, 0, (struct place){0});
    else
      x->completed.data[x->thread] = x->guard;
    first = 2;
  }
  c_memory_start(x);
  bool needs_start = x->needs_start;
  for (int n = 0;; n++) {
    int f = c_module_find(m, arena_format(x->arena, "thread%d", n));
    if (f < 0)
      break;
    int thread = add_thread(x, m->functions.data[f].name, (struct place){0});
    if (needs_start) {
      int flag = make_flag(x, "created", thread);
      x->threads.data[thread].start_flag = flag;
      x->thread = 1;
      x->guard = x->completed.data[1];
      c_access_store(x, flag_access(x, flag, ORDER_RELEASE, (struct place){0}),
                     expr_const(x->p, 1));
    }
    run_thread(x, thread, f, -1, (struct place){0});
  }
  int last = x->threads.length;
  if (final < 0)
    return;
  x->thread = add_thread(x, "final", (struct place){0});
  x->guard = expr_const(x->p, 1);
  for (int t = first; t < last; t++) {
    x->joined |= (uint64_t)1 << t;
    int first_part = x->parts.length;
    struct place nowhere = {x->module->file, 0, 0};
    int ended = is_set(x, x->threads.data[t].end_flag, nowhere);
    c_wait_until(x, ended, first_part, nowhere);
  }
  run_to_end(x, final, NULL, 0, (struct place){0});
}

void c_run_program(struct c_exec *x) {
  x->guard = expr_const(x->p, 1);
  if (main_creates_threads(x->module) ||
      (c_module_find(x->module, "thread0") < 0 && c_module_find(x->module, "main") >= 0)) {
    run_main(x);
  } else if (c_module_find(x->module, "thread0") >= 0) {
    run_threads(x);
  } else {
    c_fail(x, (struct place){x->module->file, 0, 0},
           "no threads: expected functions thread0, thread1, ..., or main with pthread_create");
  }
}
