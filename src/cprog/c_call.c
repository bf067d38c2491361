/* Functions that the program calls and does not define. */
#include "cprog/c_memory.h"
#include <errno.h>
#include <string.h>

struct call {
  struct c_exec *x;
  const struct c_instruction *i;
  const int *args;
  int count;
  int result;
};

static int constant(struct call *c, int64_t v) {
  return expr_const(c->x->p, v);
}

static struct c_request request(struct call *c, int address, int bytes, enum cir_order order) {
  return (struct c_request){address, bytes, order, c->i->place};
}

static void fence(struct call *c, enum c_fence f) {
  if (!c->x->sequential)
    c_fence(c->x, f, ORDER_SEQ_CST, c->i->place);
}

/* ---- ends of the path --------------------------------------------------------------------- */

static void call_assert_failed(struct call *c) {
  const char *text =
      c->i->args.length > 1 ? c_module_string(c->x->module, c->i->args.data[1], c->x->arena) : NULL;
  c_violate(c->x, VIOLATION_ASSERT, constant(c, 1), c->i->place,
            text ? text : "the program reports an error");
  for (int i = 0; i < c->x->rcu_sections; i++) /* what was done inside was done inside */
    fence(c, FENCE_RCU_UNLOCK);
  c->x->guard = constant(c, 0);
}

/* Unlike assert, no branch: what follows does not depend on it. */
static void call_assert(struct call *c) {
  int zero = c_equal(c->x->p, c->args[0], constant(c, 0));
  c_violate(c->x, VIOLATION_ASSERT, zero, c->i->place, "the argument");
}

static void call_stop(struct call *c) {
  c->x->guard = constant(c, 0);
}

static void call_assume(struct call *c) {
  int zero = c_equal(c->x->p, c->args[0], constant(c, 0));
  c_stop_unless(c->x, c_not(c->x->p, zero));
}

static void call_nondeterministic(struct call *c) {
  c->result = c_input(c->x, "any value", c->i->bits, c->i->place);
}

static void call_nothing(struct call *c) {
  c->result = constant(c, 0);
}

/* ---- memory ------------------------------------------------------------------------------- */

static void allocate(struct call *c, int size, int count, bool zeroed) {
  struct c_exec *x = c->x;
  int64_t n, m;
  if (!expr_is_const(x->p, size, &n) || !expr_is_const(x->p, count, &m) || n < 0 || m < 0 ||
      n > 65536 || n * m > 65536)
    c_fail(x, c->i->place, "memory of a size that is not a constant below 64 kB");
  struct c_object o = {.name = arena_format(x->arena, "heap:%d", c->i->place.line),
                       .size = n * m,
                       .layout = -1,
                       .global = -1,
                       .thread = x->thread,
                       .is_undefined = !zeroed,
                       .is_heap = true,
                       .freed = -1,
                       .place = c->i->place};
  list_push(x->arena, &x->effects, x->guard);
  int object = c_object_create(x, o);
  c->result = constant(c, x->objects.data[object].address);
}

static void call_malloc(struct call *c) {
  allocate(c, c->args[0], constant(c, 1), false);
}

static void call_calloc(struct call *c) {
  allocate(c, c->args[0], c->args[1], true);
}

static void call_free(struct call *c) {
  c_access_free(c->x, c->args[0], c->i->place);
  c->result = constant(c, 0);
}

static void call_aligned_alloc(struct call *c) {
  allocate(c, c->args[1], constant(c, 1), false);
}

/* Bytes of the next piece of a copy: a scalar of the object that is there, if that is known. */
static int piece(struct call *c, int address, int64_t at, int64_t left) {
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

static int64_t copy_length(struct call *c) {
  int64_t n;
  if (!expr_is_const(c->x->p, c->args[2], &n) || n < 0 || n > 4096)
    c_fail(c->x, c->i->place, "a copy of a length that is not a constant up to 4096");
  return n;
}

static void call_memset(struct call *c) {
  struct program *p = c->x->p;
  int64_t n = copy_length(c);
  for (int64_t at = 0; at < n;) {
    int bytes = piece(c, c->args[0], at, n - at);
    int to = c_binary(p, CIR_ADD, 64, c->args[0], constant(c, at));
    int value = c_convert(p, CIR_TRUNC, 8, 32, c->args[1]);
    value = c_binary(p, CIR_MUL, bytes * 8, value,
                     constant(c, (int64_t)(0x0101010101010101 & c_mask(bytes * 8))));
    c_access_store(c->x, request(c, to, bytes, ORDER_NA), value);
    at += bytes;
  }
  c->result = c->args[0];
}

static void call_memcpy(struct call *c) {
  struct program *p = c->x->p;
  int64_t n = copy_length(c);
  int values[4096], sizes[4096], count = 0;
  for (int64_t at = 0; at < n; count++) {
    int known = expr_is_const(p, c->args[0], NULL) ? c->args[0] : c->args[1];
    int from = c_binary(p, CIR_ADD, 64, c->args[1], constant(c, at));
    sizes[count] = piece(c, known, at, n - at);
    values[count] = c_access_load(c->x, request(c, from, sizes[count], ORDER_NA));
    at += sizes[count];
  }
  int64_t at = 0;
  for (int i = 0; i < count; at += sizes[i++]) {
    int to = c_binary(p, CIR_ADD, 64, c->args[0], constant(c, at));
    c_access_store(c->x, request(c, to, sizes[i], ORDER_NA), values[i]);
  }
  c->result = c->args[0];
}

/* ---- threads ------------------------------------------------------------------------------ */

static void create(struct call *c, int handle_address, int bytes, int function, int arg) {
  struct c_exec *x = c->x;
  int64_t address;
  if (!expr_is_const(x->p, function, &address) || c_function_at(x, address) < 0)
    c_fail(x, c->i->place, "a thread whose function is not known");
  int callee = c_function_at(x, address);
  if (!x->module->functions.data[callee].defined)
    c_fail(x, c->i->place, "the thread function '%s' is not defined in this file",
           x->module->functions.data[callee].name);
  int handle = c_thread_create(x, callee, arg, c->i->place);
  c_access_store(x, request(c, handle_address, bytes, ORDER_NA), constant(c, handle));
  c->result = constant(c, 0);
}

static void call_pthread_create(struct call *c) {
  create(c, c->args[0], 8, c->args[2], c->args[3]);
}

static void call_thrd_create(struct call *c) {
  create(c, c->args[0], 8, c->args[1], c->args[2]);
}

static void join(struct call *c, int bytes) {
  int result = -1;
  c_thread_join(c->x, c->args[0], c->i->place, &result);
  if (c->count > 1 && !c_is(c->x->p, c->args[1], 0) && result >= 0)
    c_access_store(c->x, request(c, c->args[1], bytes, ORDER_NA), result);
  c->result = constant(c, 0);
}

static void call_pthread_join(struct call *c) {
  join(c, 8);
}

static void call_thrd_join(struct call *c) {
  join(c, 4);
}

static void call_self(struct call *c) {
  c->result = constant(c, c->x->thread);
}

/* ---- locks: an atomic exchange that waits, a store that releases --------------------------- */

static void call_lock(struct call *c) {
  int free_now, first = c->x->parts.length;
  c_compare_exchange(c->x, request(c, c->args[0], 4, ORDER_ACQUIRE), ORDER_RELAXED, false,
                     constant(c, 0), constant(c, 1), &free_now);
  c_wait_until(c->x, free_now, first, c->i->place);
  c->result = constant(c, 0);
}

static void try_lock(struct call *c, int busy) {
  int free_now;
  c_compare_exchange(c->x, request(c, c->args[0], 4, ORDER_ACQUIRE), ORDER_RELAXED, false,
                     constant(c, 0), constant(c, 1), &free_now);
  c->result = c_choose(c->x->p, free_now, constant(c, 0), constant(c, busy));
}

static void call_trylock(struct call *c) {
  try_lock(c, EBUSY);
}

static void call_mtx_trylock(struct call *c) {
  try_lock(c, 1); /* thrd_busy */
}

static void call_unlock(struct call *c) {
  c_access_store(c->x, request(c, c->args[0], 4, ORDER_RELEASE), constant(c, 0));
  c->result = constant(c, 0);
}

static void call_lock_init(struct call *c) {
  c_access_store(c->x, request(c, c->args[0], 4, ORDER_NA), constant(c, 0));
  c->result = constant(c, 0);
}

/* ---- a barrier: how many it is for, and behind that how many have come -------------------------- */

static void call_barrier_init(struct call *c) {
  struct program *p = c->x->p;
  int arrived = c_binary(p, CIR_ADD, 64, c->args[0], constant(c, 4));
  c_access_store(c->x, request(c, c->args[0], 4, ORDER_NA), c->args[2]);
  c_access_store(c->x, request(c, arrived, 4, ORDER_NA), constant(c, 0));
  c->result = constant(c, 0);
}

/* Who comes last lets the others go; the next round counts on. */
static void call_barrier_wait(struct call *c) {
  struct c_exec *x = c->x;
  struct program *p = x->p;
  int arrived = c_binary(p, CIR_ADD, 64, c->args[0], constant(c, 4));
  int size = c_access_load(x, request(c, c->args[0], 4, ORDER_NA));
  int mine = c_read_modify_write(x, request(c, arrived, 4, ORDER_ACQ_REL), RMW_ADD, constant(c, 1));
  int round = c_binary(p, CIR_UDIV, 32, mine, size);
  int full = c_binary(p, CIR_MUL, 32, c_binary(p, CIR_ADD, 32, round, constant(c, 1)), size);
  int first = x->parts.length;
  int now = c_access_load(x, request(c, arrived, 4, ORDER_ACQUIRE));
  c_wait_until(x, c_binary(p, CIR_ULE, 32, full, now), first, c->i->place);
  int last = c_equal(p, c_binary(p, CIR_ADD, 32, mine, constant(c, 1)), full);
  c->result = c_choose(p, last, constant(c, (int64_t)c_mask(32)), constant(c, 0));
}

/* ---- barriers of the Linux kernel ------------------------------------------------------------ */

static void call_smp_mb(struct call *c) {
  fence(c, FENCE_FULL);
}

static void call_smp_rmb(struct call *c) {
  fence(c, FENCE_READ);
}

static void call_smp_wmb(struct call *c) {
  fence(c, FENCE_WRITE);
}

static void call_rcu_lock(struct call *c) {
  c->x->rcu_sections++;
  fence(c, FENCE_RCU_LOCK);
}

static void call_rcu_unlock(struct call *c) {
  c->x->rcu_sections -= c->x->rcu_sections > 0;
  fence(c, FENCE_RCU_UNLOCK);
}

static void call_rcu_wait(struct call *c) {
  fence(c, FENCE_RCU_WAIT);
}

/* ---- arithmetic that has no instruction ------------------------------------------------------- */

static int bit(struct call *c, int n) {
  int shifted = c_binary(c->x->p, CIR_LSHR, 64, c->args[0], constant(c, n));
  return c_binary(c->x->p, CIR_AND, 64, shifted, constant(c, 1));
}

/* From the last bit that decides to the first. */
static void call_count_trailing(struct call *c) {
  c->result = constant(c, c->i->bits);
  for (int n = c->i->bits - 1; n >= 0; n--)
    c->result = c_choose(c->x->p, bit(c, n), constant(c, n), c->result);
}

static void call_count_leading(struct call *c) {
  c->result = constant(c, c->i->bits);
  for (int n = 0; n < c->i->bits; n++)
    c->result = c_choose(c->x->p, bit(c, n), constant(c, c->i->bits - 1 - n), c->result);
}

static void call_count_ones(struct call *c) {
  c->result = constant(c, 0);
  for (int n = 0; n < c->i->bits; n++)
    c->result = c_binary(c->x->p, CIR_ADD, 64, c->result, bit(c, n));
}

static void extreme(struct call *c, enum cir_op less, bool largest) {
  int first_less = c_binary(c->x->p, less, c->i->bits, c->args[0], c->args[1]);
  c->result = c_choose(c->x->p, first_less, c->args[largest], c->args[!largest]);
}

static void call_umin(struct call *c) {
  extreme(c, CIR_ULT, false);
}

static void call_umax(struct call *c) {
  extreme(c, CIR_ULT, true);
}

static void call_smin(struct call *c) {
  extreme(c, CIR_SLT, false);
}

static void call_smax(struct call *c) {
  extreme(c, CIR_SLT, true);
}

static void call_abs(struct call *c) {
  struct program *p = c->x->p;
  int negative = c_binary(p, CIR_SLT, c->i->bits, c->args[0], constant(c, 0));
  int minus = c_binary(p, CIR_SUB, c->i->bits, constant(c, 0), c->args[0]);
  c->result = c_choose(p, negative, minus, c->args[0]);
}

/* name (a final * stands for any ending), arguments at least, what it does */
static const struct {
  const char *name;
  int args;
  void (*run)(struct call *c);
} externals[] = {{"__assert_fail", 1, call_assert_failed},
                 {"tidemark_assert_failed", 1, call_assert_failed},
                 {"reach_error", 0, call_assert_failed},
                 {"__VERIFIER_error", 0, call_assert_failed},
                 {"__VERIFIER_assert", 1, call_assert},
                 {"tidemark_assume_failed", 0, call_stop},
                 {"abort", 0, call_stop},
                 {"exit", 0, call_stop},
                 {"_exit", 0, call_stop},
                 {"pthread_exit", 0, call_stop},
                 {"thrd_exit", 0, call_stop},
                 {"llvm.trap", 0, call_stop},
                 {"assume", 1, call_assume},
                 {"tidemark_assume", 1, call_assume},
                 {"__VERIFIER_assume", 1, call_assume},
                 {"llvm.assume", 0, call_nothing},
                 {"llvm.expect.*", 1, NULL},
                 {"llvm.threadlocal.address.*", 1, NULL},
                 {"__VERIFIER_nondet_*", 0, call_nondeterministic},
                 {"tidemark_nondet*", 0, call_nondeterministic},
                 {"malloc", 1, call_malloc},
                 {"calloc", 2, call_calloc},
                 {"aligned_alloc", 2, call_aligned_alloc},
                 {"free", 1, call_free},
                 {"llvm.memset.*", 3, call_memset},
                 {"memset", 3, call_memset},
                 {"llvm.memcpy.*", 3, call_memcpy},
                 {"memcpy", 3, call_memcpy},
                 {"llvm.memmove.*", 3, call_memcpy},
                 {"memmove", 3, call_memcpy},
                 {"pthread_create", 4, call_pthread_create},
                 {"pthread_join", 1, call_pthread_join},
                 {"pthread_self", 0, call_self},
                 {"pthread_detach", 0, call_nothing},
                 {"__VERIFIER_loop_bound", 0, call_nothing},
                 {"pthread_attr_*", 0, call_nothing},
                 {"thrd_create", 3, call_thrd_create},
                 {"thrd_join", 1, call_thrd_join},
                 {"thrd_current", 0, call_self},
                 {"thrd_yield", 0, call_nothing},
                 {"sched_yield", 0, call_nothing},
                 {"pthread_yield", 0, call_nothing},
                 {"pthread_mutex_init", 1, call_lock_init},
                 {"pthread_mutex_destroy", 1, call_nothing},
                 {"pthread_mutex_lock", 1, call_lock},
                 {"pthread_mutex_trylock", 1, call_trylock},
                 {"pthread_mutex_unlock", 1, call_unlock},
                 {"pthread_mutexattr_*", 0, call_nothing},
                 {"pthread_spin_init", 1, call_lock_init},
                 {"pthread_spin_destroy", 1, call_nothing},
                 {"pthread_spin_lock", 1, call_lock},
                 {"pthread_spin_trylock", 1, call_trylock},
                 {"pthread_spin_unlock", 1, call_unlock},
                 {"pthread_barrier_init", 3, call_barrier_init},
                 {"pthread_barrier_destroy", 1, call_nothing},
                 {"pthread_barrier_wait", 1, call_barrier_wait},
                 {"mtx_init", 1, call_lock_init},
                 {"mtx_destroy", 1, call_nothing},
                 {"mtx_lock", 1, call_lock},
                 {"mtx_trylock", 1, call_mtx_trylock},
                 {"mtx_unlock", 1, call_unlock},
                 {"tidemark_smp_mb", 0, call_smp_mb},
                 {"tidemark_smp_rmb", 0, call_smp_rmb},
                 {"tidemark_smp_wmb", 0, call_smp_wmb},
                 {"tidemark_rcu_read_lock", 0, call_rcu_lock},
                 {"tidemark_rcu_read_unlock", 0, call_rcu_unlock},
                 {"tidemark_synchronize_rcu", 0, call_rcu_wait},
                 {"llvm.cttz.*", 1, call_count_trailing},
                 {"llvm.ctlz.*", 1, call_count_leading},
                 {"llvm.ctpop.*", 1, call_count_ones},
                 {"llvm.umin.*", 2, call_umin},
                 {"llvm.umax.*", 2, call_umax},
                 {"llvm.smin.*", 2, call_smin},
                 {"llvm.smax.*", 2, call_smax},
                 {"llvm.abs.*", 1, call_abs},
                 {"abs", 1, call_abs},
                 {"labs", 1, call_abs},
                 {"llvm.x86.sse2.pause", 0, call_nothing},
                 {"llvm.x86.sse2.mfence", 0, call_smp_mb},
                 {"printf", 0, call_nothing},
                 {"fprintf", 0, call_nothing},
                 {"puts", 0, call_nothing},
                 {"putchar", 0, call_nothing}};

static bool matches(const char *pattern, const char *name) {
  size_t n = strlen(pattern);
  if (n && pattern[n - 1] == '*')
    return !strncmp(pattern, name, n - 1);
  return !strcmp(pattern, name);
}

bool c_call_external(struct c_exec *x, const char *name, const struct c_instruction *i,
                     const int *args, int count, int *result) {
  for (unsigned e = 0; e < sizeof externals / sizeof *externals; e++) {
    if (!matches(externals[e].name, name))
      continue;
    if (count < externals[e].args)
      c_fail(x, i->place, "'%s' with %d arguments", name, count);
    struct call c = {x, i, args, count, -1};
    if (externals[e].run)
      externals[e].run(&c);
    else
      c.result = args[0];
    *result = c.result;
    return true;
  }
  return false;
}
