/* Functions that the program calls and does not define. */
#include "cprog/c_call.h"
#include "cprog/c_memory.h"
#include <string.h>

int c_call_constant(struct c_call *c, int64_t v) {
  return expr_const(c->x->p, v);
}

struct c_request c_call_request(struct c_call *c, int address, int bytes, enum cir_order order) {
  return (struct c_request){address, bytes, order, c->i->place};
}

void c_call_fence(struct c_call *c, enum c_fence f) {
  if (!c->x->sequential)
    c_fence(c->x, f, ORDER_SEQ_CST, c->i->place);
}

/* ---- ends of the path --------------------------------------------------------------------- */

static void assert_failed(struct c_call *c, int which) {
  const char *text = c->i->args.length > which
                         ? c_module_string(c->x->module, c->i->args.data[which], c->x->arena)
                         : NULL;
  c_violate(c->x, VIOLATION_ASSERT, c_call_constant(c, 1), c->i->place,
            text ? text : "the program reports an error");
  for (int i = 0; i < c->x->rcu_sections; i++) /* what was done inside was done inside */
    c_call_fence(c, FENCE_RCU_UNLOCK);
  c->x->guard = c_call_constant(c, 0);
}

static void call_assert_failed(struct c_call *c) {
  assert_failed(c, 1);
}

/* assert of macOS: function, file, line, expression. */
static void call_assert_rtn(struct c_call *c) {
  assert_failed(c, 4);
}

/* Nobody catches it: the program ends. */
static void call_throw(struct c_call *c) {
  c_violate(c->x, VIOLATION_CALL, c_call_constant(c, 1), c->i->place,
            "an exception that nobody catches");
  c->x->guard = c_call_constant(c, 0);
}

static void call_throw_caught(struct c_call *c) {
  c_fail(c->x, c->i->place, "an exception in a program that catches some");
}

/* Unlike assert, no branch: what follows does not depend on it. */
static void call_assert(struct c_call *c) {
  int zero = c_equal(c->x->p, c->args[0], c_call_constant(c, 0));
  c_violate(c->x, VIOLATION_ASSERT, zero, c->i->place, "the argument");
}

static void call_stop(struct c_call *c) {
  c->x->guard = c_call_constant(c, 0);
}

/* The thread ends, and whoever joins it goes on. */
static void call_thread_exit(struct c_call *c) {
  c_thread_exit(c->x, c->args[0], c->i->place);
  call_stop(c);
}

static void call_assume(struct c_call *c) {
  int zero = c_equal(c->x->p, c->args[0], c_call_constant(c, 0));
  c_stop_unless(c->x, c_not(c->x->p, zero));
}

static void any_value(struct c_call *c, int bits) {
  c->result = c_input(c->x, "any value", bits, c->i->place);
  c->x->p->inputs.data[c->x->p->inputs.length - 1].is_asked_for = true;
}

static void call_nondeterministic(struct c_call *c) {
  any_value(c, c->i->bits);
}

/* rand() and the like are never negative. */
static void call_nonnegative(struct c_call *c) {
  any_value(c, 31);
}

static void call_choose(struct c_call *c) {
  call_nondeterministic(c);
  c_stop_unless(c->x, c_binary(c->x->p, CIR_ULT, c->i->bits, c->result, c->args[0]));
}

/* The loop that follows has so many turns at most, says the source. */
static void call_loop_bound(struct c_call *c) {
  enum { TURNS_MAX = 1000 };
  int64_t n;
  if (expr_is_const(c->x->p, c->args[0], &n) && n > 0)
    c->x->next_bound = n < TURNS_MAX ? (int)n : TURNS_MAX;
}

static void call_nothing(struct c_call *c) {
  c->result = c_call_constant(c, 0);
}

/* ---- memory ------------------------------------------------------------------------------- */

/* After the line, and the how manieth of it. */
static const char *heap_name(const struct c_exec *x, struct place where) {
  int before = 0;
  for (int o = 0; o < x->objects.length; o++)
    before += x->objects.data[o].is_heap && x->objects.data[o].place.line == where.line;
  return before ? arena_format(x->arena, "heap:%d#%d", where.line, before + 1)
                : arena_format(x->arena, "heap:%d", where.line);
}

static void allocate(struct c_call *c, int size, int count, bool zeroed) {
  struct c_exec *x = c->x;
  int64_t n, m;
  if (!expr_is_const(x->p, size, &n) || !expr_is_const(x->p, count, &m) || n < 0 || m < 0 ||
      n > 65536 || n * m > 65536)
    c_fail(x, c->i->place, "memory of a size that is not a constant below 64 kB");
  struct c_object o = {.name = heap_name(x, c->i->place),
                       .size = n * m,
                       .layout = -1,
                       .global = -1,
                       .thread = x->thread,
                       .is_undefined = !zeroed,
                       .is_heap = true,
                       .freed = -1,
                       .over = -1,
                       .place = c->i->place};
  list_push(x->arena, &x->effects, x->guard);
  int object = c_object_create(x, o);
  c->result = c_call_constant(c, x->objects.data[object].address);
  c_access_malloc(x, object, c->i->place);
}

static void call_malloc(struct c_call *c) {
  allocate(c, c->args[0], c_call_constant(c, 1), false);
}

static void call_calloc(struct c_call *c) {
  allocate(c, c->args[0], c->args[1], true);
}

static void call_free(struct c_call *c) {
  c_access_free(c->x, c->args[0], c->i->place);
  c->result = c_call_constant(c, 0);
}

/* For realloc, which is written in C. */
static void call_object_size(struct c_call *c) {
  int64_t address;
  int object = expr_is_const(c->x->p, c->args[0], &address) ? c_object_at(c->x, address) : -1;
  if (object < 0 || !c->x->objects.data[object].is_heap)
    c_fail(c->x, c->i->place, "memory that is not known to be from one call of malloc");
  c->result = c_call_constant(c, c->x->objects.data[object].size);
}

/* ---- arguments that have no name ---------------------------------------------------------- */

static void store_field(struct c_call *c, int list, int64_t offset, int bytes, int value) {
  int address = c_binary(c->x->p, CIR_ADD, 64, list, c_call_constant(c, offset));
  c_access_store(c->x, c_call_request(c, address, bytes, ORDER_NA), value);
}

enum {
  VA_INTEGERS = 0,
  VA_FLOATS = 4,
  VA_MEMORY = 8,
  VA_REGISTERS = 16
}; /* fields of x86-64's va_list */

/* As if all of them had been passed in memory, one after the other: no register is left to look at. */
static void call_va_start(struct c_call *c) {
  struct c_exec *x = c->x;
  const struct c_activation *a = &x->calls.data[x->calls.length - 1];
  int named = x->module->functions.data[a->function].args, more = a->arg_count - named;
  struct c_object o = {.name = arena_format(x->arena, "arguments:%d", c->i->place.line),
                       .size = more > 0 ? more * 8 : 0,
                       .layout = -1,
                       .global = -1,
                       .thread = x->thread,
                       .freed = -1,
                       .over = -1,
                       .place = c->i->place};
  int object = c_object_create(x, o);
  int64_t address = x->objects.data[object].address;
  for (int i = 0; i < more; i++)
    c_access_store(x, c_call_request(c, c_call_constant(c, address + i * 8), 8, ORDER_NA),
                   a->args[named + i]);
  store_field(c, c->args[0], VA_INTEGERS, 4, c_call_constant(c, 48));
  store_field(c, c->args[0], VA_FLOATS, 4, c_call_constant(c, 176));
  store_field(c, c->args[0], VA_MEMORY, 8, c_call_constant(c, address));
  store_field(c, c->args[0], VA_REGISTERS, 8, c_call_constant(c, 0));
}

static void call_va_copy(struct c_call *c) {
  static const int offsets[] = {VA_INTEGERS, VA_FLOATS, VA_MEMORY, VA_REGISTERS};
  for (int i = 0; i < 4; i++) {
    int bytes = offsets[i] < VA_MEMORY ? 4 : 8;
    int from = c_binary(c->x->p, CIR_ADD, 64, c->args[1], c_call_constant(c, offsets[i]));
    int value = c_access_load(c->x, c_call_request(c, from, bytes, ORDER_NA));
    store_field(c, c->args[0], offsets[i], bytes, value);
  }
}

/* No power of two: what a constant is not. */
static bool is_bad_alignment(struct c_call *c, int alignment) {
  int64_t n;
  return expr_is_const(c->x->p, alignment, &n) && (n <= 0 || (n & (n - 1)));
}

static void call_aligned_alloc(struct c_call *c) {
  if (is_bad_alignment(c, c->args[0]))
    c_violate(c->x, VIOLATION_CALL, c_call_constant(c, 1), c->i->place,
              "an alignment that is no power of two");
  allocate(c, c->args[1], c_call_constant(c, 1), false);
}

static void call_posix_memalign(struct c_call *c) {
  allocate(c, c->args[2], c_call_constant(c, 1), false);
  c_access_store(c->x, c_call_request(c, c->args[0], 8, ORDER_NA), c->result);
  c->result = c_call_constant(c, 0);
}

/* Bytes of the next piece of a copy: a scalar of the object that is there, if that is known. */
static int piece(struct c_call *c, int address, int64_t at, int64_t left) {
  struct c_exec *x = c->x;
  int64_t v;
  int object = expr_is_const(x->p, address, &v) ? c_object_at(x, v + at) : -1;
  if (object >= 0 && x->objects.data[object].layout >= 0) {
    const struct c_layout *l = &x->module->layouts.data[x->objects.data[object].layout];
    for (int i = 0; i < l->scalars.length; i++)
      if (x->objects.data[object].address + l->scalars.data[i].offset == v + at &&
          l->scalars.data[i].bytes <= left && l->scalars.data[i].bytes <= 8)
        return l->scalars.data[i].bytes;
  }
  int bytes = 8;
  while (bytes > left || at % bytes)
    bytes /= 2;
  return bytes;
}

static int64_t copy_length(struct c_call *c) {
  int64_t n;
  if (!expr_is_const(c->x->p, c->args[2], &n) || n < 0 || n > 4096)
    c_fail(c->x, c->i->place, "a copy of a length that is not a constant up to 4096");
  return n;
}

static void call_memset(struct c_call *c) {
  struct program *p = c->x->p;
  int64_t n = copy_length(c);
  for (int64_t at = 0; at < n;) {
    int bytes = piece(c, c->args[0], at, n - at);
    int to = c_binary(p, CIR_ADD, 64, c->args[0], c_call_constant(c, at));
    int value = c_convert(p, CIR_TRUNC, 8, 32, c->args[1]);
    value = c_binary(p, CIR_MUL, bytes * 8, value,
                     c_call_constant(c, (int64_t)(0x0101010101010101 & c_mask(bytes * 8))));
    c_access_store(c->x, c_call_request(c, to, bytes, ORDER_NA), value);
    at += bytes;
  }
  c->result = c->args[0];
}

static void call_memcpy(struct c_call *c) {
  struct program *p = c->x->p;
  int64_t n = copy_length(c);
  int values[4096], sizes[4096], count = 0;
  for (int64_t at = 0; at < n; count++) {
    int known = expr_is_const(p, c->args[0], NULL) ? c->args[0] : c->args[1];
    int from = c_binary(p, CIR_ADD, 64, c->args[1], c_call_constant(c, at));
    sizes[count] = piece(c, known, at, n - at);
    values[count] = c_access_load(c->x, c_call_request(c, from, sizes[count], ORDER_NA));
    at += sizes[count];
  }
  int64_t at = 0;
  for (int i = 0; i < count; at += sizes[i++]) {
    int to = c_binary(p, CIR_ADD, 64, c->args[0], c_call_constant(c, at));
    c_access_store(c->x, c_call_request(c, to, sizes[i], ORDER_NA), values[i]);
  }
  c->result = c->args[0];
}

/* ---- threads ------------------------------------------------------------------------------ */

static void create(struct c_call *c, int handle_address, int bytes, int function, int arg) {
  struct c_exec *x = c->x;
  int64_t address;
  if (!expr_is_const(x->p, function, &address) || c_function_at(x->module, address) < 0)
    c_fail(x, c->i->place, "a thread whose function is not known");
  int callee = c_function_at(x->module, address);
  if (!x->module->functions.data[callee].defined)
    c_fail(x, c->i->place, "the thread function '%s' is not defined in this file",
           x->module->functions.data[callee].name);
  int handle = c_thread_create(x, callee, arg, c->i->place);
  c_access_store(x, c_call_request(c, handle_address, bytes, ORDER_NA), c_call_constant(c, handle));
  c->result = c_call_constant(c, 0);
}

static void call_pthread_create(struct c_call *c) {
  create(c, c->args[0], 8, c->args[2], c->args[3]);
}

static void call_thrd_create(struct c_call *c) {
  create(c, c->args[0], 8, c->args[1], c->args[2]);
}

static void join(struct c_call *c, int bytes) {
  int result = -1;
  c_thread_join(c->x, c->args[0], c->i->place, &result);
  if (c->count > 1 && !c_is(c->x->p, c->args[1], 0) && result >= 0)
    c_access_store(c->x, c_call_request(c, c->args[1], bytes, ORDER_NA), result);
  c->result = c_call_constant(c, 0);
}

static void call_pthread_join(struct c_call *c) {
  join(c, 8);
}

static void call_thrd_join(struct c_call *c) {
  join(c, 4);
}

static void call_self(struct c_call *c) {
  c->result = c_call_constant(c, c->x->thread);
}

static void call_equal(struct c_call *c) {
  c->result = c_equal(c->x->p, c->args[0], c->args[1]);
}

/* ---- arithmetic that has no instruction ------------------------------------------------------- */

static int bit(struct c_call *c, int n) {
  int shifted = c_binary(c->x->p, CIR_LSHR, 64, c->args[0], c_call_constant(c, n));
  return c_binary(c->x->p, CIR_AND, 64, shifted, c_call_constant(c, 1));
}

/* From the last bit that decides to the first. */
static void call_count_trailing(struct c_call *c) {
  c->result = c_call_constant(c, c->i->bits);
  for (int n = c->i->bits - 1; n >= 0; n--)
    c->result = c_choose(c->x->p, bit(c, n), c_call_constant(c, n), c->result);
}

static void call_count_leading(struct c_call *c) {
  c->result = c_call_constant(c, c->i->bits);
  for (int n = 0; n < c->i->bits; n++)
    c->result = c_choose(c->x->p, bit(c, n), c_call_constant(c, c->i->bits - 1 - n), c->result);
}

static void call_count_ones(struct c_call *c) {
  c->result = c_call_constant(c, 0);
  for (int n = 0; n < c->i->bits; n++)
    c->result = c_binary(c->x->p, CIR_ADD, 64, c->result, bit(c, n));
}

static void call_swap_bytes(struct c_call *c) {
  struct program *p = c->x->p;
  c->result = c_call_constant(c, 0);
  for (int n = 0; n < c->i->bits; n += 8) {
    int byte =
        c_binary(p, CIR_AND, 64, c_binary(p, CIR_LSHR, 64, c->args[0], c_call_constant(c, n)),
                 c_call_constant(c, 255));
    int moved = c_binary(p, CIR_SHL, 64, byte, c_call_constant(c, c->i->bits - 8 - n));
    c->result = c_binary(p, CIR_OR, 64, c->result, moved);
  }
}

/* The upper or the lower half of two words side by side, shifted: rotations. */
static void funnel_shift(struct c_call *c, bool left) {
  struct program *p = c->x->p;
  int bits = c->i->bits, word = c_call_constant(c, bits);
  int by = c_binary(p, CIR_AND, bits, c->args[2], c_call_constant(c, bits - 1));
  int rest = c_binary(p, CIR_SUB, bits, word, by);
  int high = c_binary(p, CIR_SHL, bits, c->args[0], left ? by : rest);
  int low = c_binary(p, CIR_LSHR, bits, c->args[1], left ? rest : by);
  c->result = c_choose(p, c_equal(p, by, c_call_constant(c, 0)), c->args[!left],
                       c_binary(p, CIR_OR, bits, high, low));
}

static void call_funnel_left(struct c_call *c) {
  funnel_shift(c, true);
}

static void call_funnel_right(struct c_call *c) {
  funnel_shift(c, false);
}

/* One more than the number of the lowest bit, 0 for none; from the last bit that decides to the first. */
static void call_find_first(struct c_call *c) {
  int bits = strcmp(c->x->within, "ffs") == 0 ? 32 : 64;
  c->result = c_call_constant(c, 0);
  for (int n = bits - 1; n >= 0; n--)
    c->result = c_choose(c->x->p, bit(c, n), c_call_constant(c, n + 1), c->result);
}

static void extreme(struct c_call *c, enum cir_op less, bool largest) {
  int first_less = c_binary(c->x->p, less, c->i->bits, c->args[0], c->args[1]);
  c->result = c_choose(c->x->p, first_less, c->args[largest], c->args[!largest]);
}

static void call_umin(struct c_call *c) {
  extreme(c, CIR_ULT, false);
}

static void call_umax(struct c_call *c) {
  extreme(c, CIR_ULT, true);
}

static void call_smin(struct c_call *c) {
  extreme(c, CIR_SLT, false);
}

static void call_smax(struct c_call *c) {
  extreme(c, CIR_SLT, true);
}

static void call_abs(struct c_call *c) {
  struct program *p = c->x->p;
  int negative = c_binary(p, CIR_SLT, c->i->bits, c->args[0], c_call_constant(c, 0));
  int minus = c_binary(p, CIR_SUB, c->i->bits, c_call_constant(c, 0), c->args[0]);
  c->result = c_choose(p, negative, minus, c->args[0]);
}

static const struct c_external externals[] = {
    {"__assert_fail", 1, call_assert_failed},
    {"__assert_rtn", 4, call_assert_rtn},
    {"tidemark_assert_failed", 1, call_assert_failed},
    {"reach_error", 0, call_assert_failed},
    {"_ZSt9terminatev", 0, call_assert_failed},
    {"__cxa_pure_virtual", 0, call_assert_failed},
    {"__VERIFIER_error", 0, call_assert_failed},
    {"__VERIFIER_assert", 1, call_assert},
    {"tidemark_assume_failed", 0, call_stop},
    {"abort", 0, call_stop},
    {"exit", 0, call_stop},
    {"_exit", 0, call_stop},
    {"pthread_exit", 1, call_thread_exit},
    {"thrd_exit", 1, call_thread_exit},
    {"llvm.trap", 0, call_stop},
    {"assume", 1, call_assume},
    {"tidemark_assume", 1, call_assume},
    {"__VERIFIER_assume", 1, call_assume},
    {"llvm.assume", 0, call_nothing},
    {"llvm.expect.*", 1, NULL},
    {"llvm.threadlocal.address.*", 1, NULL},
    {"__VERIFIER_nondet_*", 0, call_nondeterministic},
    {"tidemark_nondet*", 0, call_nondeterministic},
    {"tidemark_choose", 1, call_choose},
    {"malloc", 1, call_malloc},
    {"calloc", 2, call_calloc},
    {"_Znwm", 1, call_malloc}, /* new */
    {"_Znam", 1, call_malloc},
    {"_ZnwmSt11align_val_t", 2, call_malloc},
    {"_ZnamSt11align_val_t", 2, call_malloc},
    {"_ZdlPv*", 1, call_free}, /* delete */
    {"_ZdaPv*", 1, call_free},
    {"atexit", 0, call_nothing},
    {"__cxa_allocate_exception", 1, call_malloc},
    {"_ZNSt13runtime_error*", 0, call_nothing}, /* who looks? */
    {"_ZNSt11logic_error*", 0, call_nothing},
    {"_ZNSt16invalid_argument*", 0, call_nothing},
    {"_ZNSt12out_of_range*", 0, call_nothing},
    {CIR_CAUGHT "*", 0, call_throw_caught},
    {"__cxa_throw", 0, call_throw},
    {"_ZSt17__throw_bad_allocv", 0, call_throw},
    {"_ZSt28__throw_bad_array_new_lengthv", 0, call_throw},
    {"_ZSt20__throw_length_errorPKc", 0, call_throw},
    {"_ZSt20__throw_out_of_rangePKc", 0, call_throw},
    {"_ZSt24__throw_out_of_range_fmtPKcz", 0, call_throw},
    {"_ZSt20__throw_system_errori", 0, call_throw},
    {"__cxa_atexit", 0, call_nothing},
    {"aligned_alloc", 2, call_aligned_alloc},
    {"free", 1, call_free},
    {"tidemark_object_size", 1, call_object_size},
    {"llvm.memset.*", 3, call_memset},
    {"memset", 3, call_memset},
    {"llvm.memcpy.*", 3, call_memcpy},
    {"memcpy", 3, call_memcpy},
    {"llvm.memmove.*", 3, call_memcpy},
    {"memmove", 3, call_memcpy},
    {"pthread_create", 4, call_pthread_create},
    {"pthread_join", 1, call_pthread_join},
    {"pthread_self", 0, call_self},
    {"__VERIFIER_tid", 0, call_self},
    {"gettid", 0, call_self},
    {"pthread_detach", 0, call_nothing},
    {"thrd_detach", 0, call_nothing},
    {"__VERIFIER_loop_bound", 1, call_loop_bound},
    {"__VERIFIER_loop_begin", 0, call_nothing},
    {"__VERIFIER_spin_start", 0, call_nothing},
    {"__VERIFIER_spin_end", 0, call_nothing},
    {"pthread_attr_*", 0, call_nothing},
    {"pthread_condattr_*", 0, call_nothing},
    {"pthread_rwlockattr_*", 0, call_nothing},
    {"pthread_barrierattr_*", 0, call_nothing},
    {"thrd_create", 3, call_thrd_create},
    {"thrd_join", 1, call_thrd_join},
    {"thrd_current", 0, call_self},
    {"thrd_yield", 0, call_nothing},
    {"sched_yield", 0, call_nothing},
    {"pthread_yield", 0, call_nothing},
    {"llvm.cttz.*", 1, call_count_trailing},
    {"llvm.ctlz.*", 1, call_count_leading},
    {"llvm.ctpop.*", 1, call_count_ones},
    {"llvm.bswap.*", 1, call_swap_bytes},
    {"llvm.fshl.*", 3, call_funnel_left},
    {"llvm.fshr.*", 3, call_funnel_right},
    {"llvm.umin.*", 2, call_umin},
    {"llvm.umax.*", 2, call_umax},
    {"llvm.smin.*", 2, call_smin},
    {"llvm.smax.*", 2, call_smax},
    {"llvm.abs.*", 1, call_abs},
    {"abs", 1, call_abs},
    {"ffs", 1, call_find_first},
    {"ffsl", 1, call_find_first},
    {"ffsll", 1, call_find_first},
    {"labs", 1, call_abs},
    {"llvm.x86.sse2.pause", 0, call_nothing},
    {"llvm.prefetch.*", 0, call_nothing},
    {"__tsan_mutex_*", 0, call_nothing}, /* see cmd_litmus_c.c */
    {"sleep", 0, call_nothing},
    {"usleep", 0, call_nothing},
    {"nanosleep", 0, call_nothing},
    {"thrd_sleep", 0, call_nothing},
    {"rand", 0, call_nonnegative},
    {"random", 0, call_nonnegative},
    {"srand", 0, call_nothing},
    {"srandom", 0, call_nothing},
    {"sysconf", 0, call_nondeterministic},
    {"getpid", 0, call_nonnegative},
    {"sched_getcpu", 0, call_nonnegative},
    {"clock", 0, call_nondeterministic},
    {"pthread_setname_np", 0, call_nothing},
    {"pthread_setaffinity_np", 0, call_nothing},
    {"pthread_setconcurrency", 0, call_nothing},
    {"pthread_equal", 2, call_equal},
    {"thrd_equal", 2, call_equal},
    {"posix_memalign", 3, call_posix_memalign},
    {"fflush", 0, call_nothing},
    {"perror", 0, call_nothing},
    {"fwrite", 0, call_nondeterministic},
    {"write", 0, call_nondeterministic},
    {"getenv", 0, call_nothing},
    {"printf", 0, call_nothing},
    {"fprintf", 0, call_nothing},
    {"puts", 0, call_nothing},
    {"putchar", 0, call_nothing},
    {"fputs", 0, call_nothing},
    {"fputc", 0, call_nothing},
    {"vprintf", 0, call_nothing},
    {"vfprintf", 0, call_nothing},
    {"llvm.stacksave*", 0, call_nothing},
    {"llvm.stackrestore*", 0, call_nothing},
    {"llvm.va_start*", 1, call_va_start},
    {"llvm.va_copy*", 2, call_va_copy},
    {"llvm.va_end*", 0, call_nothing},
    {"setbuf", 0, call_nothing},
    {"setvbuf", 0, call_nothing},
    {NULL, 0, NULL}};

static bool matches(const char *pattern, const char *name) {
  size_t n = strlen(pattern);
  if (n && pattern[n - 1] == '*')
    return !strncmp(pattern, name, n - 1);
  return !strcmp(pattern, name);
}

static const struct c_external *find(const struct c_external *table, const char *name) {
  while (table->name && !matches(table->name, name))
    table++;
  return table->name ? table : NULL;
}

bool c_call_external(struct c_exec *x, const char *name, const struct c_instruction *i,
                     const int *args, int count, int *result) {
  const struct c_external *e = find(externals, name);
  if (!e)
    e = find(c_sync_externals, name);
  if (!e)
    e = find(c_string_externals, name);
  if (!e)
    e = find(c_linux_externals, name);
  if (!e)
    return false;
  if (count < e->args)
    c_fail(x, i->place, "'%s' with %d arguments", name, count);
  struct c_call c = {x, i, args, count, -1};
  if (e->run) {
    x->within = name;
    e->run(&c);
    x->within = NULL;
  } else {
    c.result = args[0];
  }
  *result = c.result;
  return true;
}
