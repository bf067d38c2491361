/* The primitives of C litmus tests: C11 atomics, and the Linux kernel's accesses, barriers,
 * read-modify-writes, locks and RCU. */
#include "axiom/c_internal.h"
#include <string.h>

struct call {
  struct c_reader *c;
  struct program *p;
  struct asm_machine *m;
  const char *name, *start;
  struct place where;
};

static struct asm_value nothing(struct call *k) {
  return asm_const(k->m, 0);
}

static void next_argument(struct call *k) {
  scan_expect(k->c->scan, ",", "',' and another argument");
}

/* Behind the last argument; what is emitted from now on belongs to this call. */
static void end_arguments(struct call *k) {
  scan_expect(k->c->scan, ")", "')' after the last argument");
  c_begin(k->c, k->where, k->start);
}

static struct tags tags_two(enum tag a, enum tag b) {
  struct tags t = tags_of(a);
  tags_add(&t, b);
  return t;
}

static void fence(struct call *k, struct tags tags) {
  if (!k->c->skipping)
    asm_fence(k->m, FLAVOUR_NONE, tags);
}

/* Runs what follows only where `test` (an expression) holds; gives the path to come back to. */
static int only_if(struct call *k, int test) {
  int path = k->c->state.path;
  k->c->state.path = expr_make(k->p, EXPR_LAND, path, test, -1);
  return path;
}

/* 0 or 1, as nobody decides; 0 where the call is not reached. */
static int choice(struct call *k) {
  if (k->c->skipping)
    return expr_const(k->p, 0);
  int e = expr_choice(k->p), idle = expr_make(k->p, EXPR_LNOT, e, -1, -1);
  list_push(k->p->arena, &k->p->assumes, expr_make(k->p, EXPR_LOR, k->c->state.path, idle, -1));
  return e;
}

/* Executions in which `e` does not hold here are left out. */
static void assume(struct call *k, int e) {
  int away = expr_make(k->p, EXPR_LNOT, k->c->state.path, -1, -1);
  if (!k->c->skipping)
    list_push(k->p->arena, &k->p->assumes, expr_make(k->p, EXPR_LOR, away, e, -1));
}

/* ---- read-modify-writes -------------------------------------------------------------------- */

struct rmw {
  struct tags read, write;
  struct tags failed_read;
  bool differs; /* a failed one reads with other tags */
};

static struct asm_value exchange(struct call *k, struct asm_value address, struct asm_value v,
                                 struct rmw how) {
  int read = -1;
  struct asm_value old = c_load(k->c, address, how.read, &read);
  c_store(k->c, address, how.write, v, read);
  return old;
}

static struct asm_value fetch_op(struct call *k, struct asm_value address, enum expr_kind op,
                                 struct asm_value operand, struct rmw how, bool give_new) {
  int read = -1;
  struct asm_value old = c_load(k->c, address, how.read, &read);
  struct asm_value new = asm_op(k->m, op, old, operand);
  c_store(k->c, address, how.write, new, read);
  return give_new ? new : old;
}

/* Stores `desired` if memory holds `expected`; *done says whether.  Where a failed one reads in
 * another way, or may fail for no reason, which it is was chosen before. */
static struct asm_value compare_exchange(struct call *k, struct asm_value address,
                                         struct asm_value expected, struct asm_value desired,
                                         struct rmw how, bool weak, struct asm_value *done) {
  int read = -1, path;
  if (!how.differs && !weak) {
    struct asm_value old = c_load(k->c, address, how.read, &read);
    *done = asm_op(k->m, EXPR_EQ, old, expected);
    path = only_if(k, done->value);
    c_store(k->c, address, how.write, desired, read);
    k->c->state.path = path;
    return old;
  }
  struct asm_value success = {choice(k), DEPEND_NONE, DEPEND_NONE};
  path = only_if(k, success.value);
  struct asm_value seen = c_load(k->c, address, how.read, &read);
  assume(k, expr_make(k->p, EXPR_EQ, seen.value, expected.value, -1));
  c_store(k->c, address, how.write, desired, read);
  k->c->state.path = path;
  only_if(k, expr_make(k->p, EXPR_LNOT, success.value, -1, -1));
  struct asm_value other = c_load(k->c, address, how.failed_read, NULL);
  if (!weak)
    assume(k, expr_make(k->p, EXPR_NE, other.value, expected.value, -1));
  k->c->state.path = path;
  struct asm_value old = {expr_make(k->p, EXPR_ITE, success.value, seen.value, other.value),
                          depend_choose(k->p, success.value, seen.from, other.from), DEPEND_NONE};
  *done = (struct asm_value){success.value, old.from, DEPEND_NONE};
  return old;
}

/* ---- C11 ---------------------------------------------------------------------------------- */

static enum tag read_order(struct call *k) {
  static const struct {
    const char *name;
    enum tag tag;
  } orders[] = {{"memory_order_relaxed", TAG_RLX}, {"memory_order_acquire", TAG_ACQ},
                {"memory_order_release", TAG_REL}, {"memory_order_acq_rel", TAG_ACQ_REL},
                {"memory_order_seq_cst", TAG_SC},  {"memory_order_consume", TAG_CON}};
  for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
    if (scan_accept(k->c->scan, orders[i].name))
      return orders[i].tag;
  scan_unexpected(k->c->scan, "an order such as memory_order_relaxed");
}

/* ", order" of an _explicit primitive; the others are sequentially consistent. */
static enum tag order_argument(struct call *k) {
  if (!strstr(k->name, "_explicit"))
    return TAG_SC;
  next_argument(k);
  return read_order(k);
}

static struct tags c11_tags(enum tag order, bool rmw) {
  struct tags t = tags_two(order, TAG_A);
  if (rmw)
    tags_add(&t, TAG_RMW);
  return t;
}

static struct rmw c11_rmw(enum tag order) {
  enum tag read = order == TAG_ACQ_REL ? TAG_ACQ : order == TAG_REL ? TAG_RLX : order;
  enum tag write = order == TAG_ACQ_REL                   ? TAG_REL
                   : order == TAG_ACQ || order == TAG_CON ? TAG_RLX
                                                          : order;
  return (struct rmw){c11_tags(read, true), c11_tags(write, true), c11_tags(read, false), false};
}

/* atomic_compare_exchange_strong(object, expected, desired [, success, failure]): `expected` points
 * to memory of its own, which gets what was seen. */
static struct asm_value c11_compare_exchange(struct call *k, bool weak) {
  struct asm_value object = c_read_expression(k->c);
  next_argument(k);
  const char *local = NULL;
  struct scan saved = *k->c->scan;
  if (scan_accept(k->c->scan, "&") && k->c->scan->kind == TOK_NAME) {
    local = scan_name(k->c->scan, k->p->arena, "a name");
    if (!c_find_local(k->c, k->c->thread, local))
      local = NULL;
  }
  if (!local)
    scan_restore(k->c->scan, &saved);
  struct asm_value place = local ? nothing(k) : c_read_expression(k->c);
  next_argument(k);
  struct asm_value desired = c_read_expression(k->c);
  enum tag success = order_argument(k), failure = order_argument(k);
  end_arguments(k);
  struct rmw how = c11_rmw(success);
  how.failed_read = c11_tags(failure, false);
  how.differs = true;
  struct asm_value expected = local ? c_find_local(k->c, k->c->thread, local)->value
                                    : c_load(k->c, place, tags_of(TAG_NA), NULL);
  struct asm_value done, old = compare_exchange(k, object, expected, desired, how, weak, &done);
  if (local) {
    c_find_local(k->c, k->c->thread, local)->value = old;
    return done;
  }
  int path = only_if(k, expr_make(k->p, EXPR_LNOT, done.value, -1, -1));
  c_store(k->c, place, tags_of(TAG_NA), old, -1);
  k->c->state.path = path;
  return done;
}

/* The operation of "..._add", "..._sub" and so on at the start of `text`; what follows in *rest. */
static bool find_op(const char *text, enum expr_kind *op, bool *one, bool *invert,
                    const char **rest) {
  static const struct {
    const char *name;
    enum expr_kind op;
    bool one, invert;
  } ops[] = {{"add", EXPR_ADD, 0, 0}, {"sub", EXPR_SUB, 0, 0},    {"inc", EXPR_ADD, 1, 0},
             {"dec", EXPR_SUB, 1, 0}, {"andnot", EXPR_AND, 0, 1}, {"and", EXPR_AND, 0, 0},
             {"or", EXPR_OR, 0, 0},   {"xor", EXPR_XOR, 0, 0}};
  for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
    size_t n = strlen(ops[i].name);
    if (strncmp(text, ops[i].name, n) || (text[n] && text[n] != '_'))
      continue;
    *op = ops[i].op;
    *one = ops[i].one;
    *invert = ops[i].invert;
    *rest = text + n;
    return true;
  }
  return false;
}

static bool is_address(struct call *k, struct asm_value v) {
  int64_t address;
  return expr_is_const(k->p, v.value, &address) && program_location_at(k->p, address) >= 0;
}

static struct asm_value c11_fence(struct call *k) {
  enum tag order = read_order(k);
  end_arguments(k);
  fence(k, tags_of(order));
  return nothing(k);
}

/* False if `name` is no C11 primitive; atomic_fetch_add is left to the kernel's reader. */
static bool c11_call(struct call *k, struct asm_value *v) {
  const char *name = k->name;
  if (!strcmp(name, "atomic_thread_fence")) {
    *v = c11_fence(k);
    return true;
  }
  bool weak = !strncmp(name, "atomic_compare_exchange_weak", 28);
  if (weak || !strncmp(name, "atomic_compare_exchange_strong", 30)) {
    *v = c11_compare_exchange(k, weak);
    return true;
  }
  bool load = !strcmp(name, "atomic_load") || !strcmp(name, "atomic_load_explicit");
  bool store = !strcmp(name, "atomic_store") || !strcmp(name, "atomic_store_explicit");
  bool swap = !strcmp(name, "atomic_exchange") || !strcmp(name, "atomic_exchange_explicit");
  bool fetch = !strncmp(name, "atomic_fetch_", 13) && strstr(name, "_explicit");
  enum expr_kind op = EXPR_ADD;
  bool one, invert;
  const char *rest;
  if (!load && !store && !swap && !(fetch && find_op(name + 13, &op, &one, &invert, &rest)))
    return false;
  struct asm_value address = c_read_expression(k->c), operand = nothing(k);
  if (!load) {
    next_argument(k);
    operand = c_read_expression(k->c);
  }
  enum tag order = order_argument(k);
  end_arguments(k);
  *v = nothing(k);
  if (load)
    *v = c_load(k->c, address, c11_tags(order, false), NULL);
  else if (store)
    c_store(k->c, address, c11_tags(order, false), operand, -1);
  else if (swap)
    *v = exchange(k, address, operand, c11_rmw(order));
  else
    *v = fetch_op(k, address, op, operand, c11_rmw(order), false);
  return true;
}

/* ---- the Linux kernel: accesses and barriers ------------------------------------------------ */

enum arguments { NO_ARGUMENTS, LVALUE, POINTER, LVALUE_VALUE, POINTER_VALUE };

static const struct access_name {
  const char *name;
  enum arguments arguments;
  enum tag tag;
  bool barrier; /* followed by smp_mb() */
} accesses[] = {
    {"READ_ONCE", LVALUE, TAG_ONCE, 0},
    {"WRITE_ONCE", LVALUE_VALUE, TAG_ONCE, 0},
    {"smp_load_acquire", POINTER, TAG_ACQUIRE, 0},
    {"smp_store_release", POINTER_VALUE, TAG_RELEASE, 0},
    {"smp_store_mb", LVALUE_VALUE, TAG_ONCE, 1},
    {"rcu_dereference", LVALUE, TAG_ONCE, 0},
    {"rcu_assign_pointer", LVALUE_VALUE, TAG_RELEASE, 0},
    {"atomic_read", POINTER, TAG_ONCE, 0},
    {"atomic_set", POINTER_VALUE, TAG_ONCE, 0},
    {"atomic_read_acquire", POINTER, TAG_ACQUIRE, 0},
    {"atomic_set_release", POINTER_VALUE, TAG_RELEASE, 0},
    {"srcu_read_lock", POINTER, TAG_SRCU_LOCK, 0},
    {"srcu_down_read", POINTER, TAG_SRCU_LOCK, 0},
    {"srcu_read_unlock", POINTER_VALUE, TAG_SRCU_UNLOCK, 0},
    {"srcu_up_read", POINTER_VALUE, TAG_SRCU_UNLOCK, 0},
    {"smp_mb", NO_ARGUMENTS, TAG_MB, 0},
    {"smp_rmb", NO_ARGUMENTS, TAG_RMB, 0},
    {"smp_wmb", NO_ARGUMENTS, TAG_WMB, 0},
    {"smp_mb__before_atomic", NO_ARGUMENTS, TAG_BEFORE_ATOMIC, 0},
    {"smp_mb__after_atomic", NO_ARGUMENTS, TAG_AFTER_ATOMIC, 0},
    {"smp_mb__after_spinlock", NO_ARGUMENTS, TAG_AFTER_SPINLOCK, 0},
    {"smp_mb__after_unlock_lock", NO_ARGUMENTS, TAG_AFTER_UNLOCK_LOCK, 0},
    {"smp_mb__after_srcu_read_unlock", NO_ARGUMENTS, TAG_AFTER_SRCU_READ_UNLOCK, 0},
    {"barrier", NO_ARGUMENTS, TAG_BARRIER, 0},
    {"rcu_read_lock", NO_ARGUMENTS, TAG_RCU_LOCK, 0},
    {"rcu_read_unlock", NO_ARGUMENTS, TAG_RCU_UNLOCK, 0},
    {"synchronize_rcu", NO_ARGUMENTS, TAG_SYNC_RCU, 0},
    {"synchronize_rcu_expedited", NO_ARGUMENTS, TAG_SYNC_RCU, 0},
};

static bool kernel_access(struct call *k, struct asm_value *v) {
  const struct access_name *a = accesses, *end = a + sizeof accesses / sizeof *accesses;
  while (a < end && strcmp(a->name, k->name))
    a++;
  if (a == end)
    return false;
  bool lvalue = a->arguments == LVALUE || a->arguments == LVALUE_VALUE;
  bool writes = a->arguments == LVALUE_VALUE || a->arguments == POINTER_VALUE;
  struct asm_value address = nothing(k), value = address;
  if (a->arguments != NO_ARGUMENTS)
    address = lvalue ? c_read_lvalue(k->c) : c_read_expression(k->c);
  if (writes) {
    next_argument(k);
    value = c_read_expression(k->c);
  }
  end_arguments(k);
  *v = nothing(k);
  if (writes)
    c_store(k->c, address, tags_of(a->tag), value, -1);
  else if (a->arguments != NO_ARGUMENTS)
    *v = c_load(k->c, address, tags_of(a->tag), NULL);
  else
    fence(k, tags_of(a->tag));
  if (a->barrier)
    fence(k, tags_of(TAG_MB));
  return true;
}

/* A grace period of one srcu_struct: a fence that has a location. */
static void synchronize_srcu(struct call *k) {
  struct asm_value address = c_read_expression(k->c);
  end_arguments(k);
  if (!k->c->skipping)
    asm_emit(k->m, (struct stmt){.kind = STMT_FENCE,
                                 .address = address.value,
                                 .address_from = address.from,
                                 .value = -1,
                                 .partner = -1,
                                 .tags = tags_of(TAG_SYNC_SRCU)});
}

/* ---- the Linux kernel: read-modify-writes --------------------------------------------------- */

/* "", "_relaxed", "_acquire" or "_release" at the end of a name. */
static bool kernel_order(const char *rest, enum tag *tag) {
  static const struct {
    const char *name;
    enum tag tag;
  } orders[] = {
      {"", TAG_MB}, {"_relaxed", TAG_ONCE}, {"_acquire", TAG_ACQUIRE}, {"_release", TAG_RELEASE}};
  for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
    if (!strcmp(rest, orders[i].name)) {
      *tag = orders[i].tag;
      return true;
    }
  return false;
}

/* Acquire is a matter of the read and release of the write; the other half is marked once. */
static struct rmw kernel_rmw(enum tag order) {
  enum tag read = order == TAG_RELEASE ? TAG_ONCE : order;
  enum tag write = order == TAG_ACQUIRE ? TAG_ONCE : order;
  struct tags r = tags_two(read, TAG_RMW);
  return (struct rmw){r, tags_two(write, TAG_RMW), r, false};
}

/* xchg and cmpxchg, with or without atomic_ before them. */
static bool kernel_exchange(struct call *k, const char *name, struct asm_value *v) {
  enum tag order;
  bool compare = !strncmp(name, "cmpxchg", 7);
  if ((!compare && strncmp(name, "xchg", 4)) || !kernel_order(name + (compare ? 7 : 4), &order))
    return false;
  struct asm_value address = c_read_expression(k->c), expected = nothing(k), done;
  next_argument(k);
  if (compare) {
    expected = c_read_expression(k->c);
    next_argument(k);
  }
  struct asm_value new = c_read_expression(k->c);
  end_arguments(k);
  struct rmw how = kernel_rmw(order);
  *v = compare ? compare_exchange(k, address, expected, new, how, false, &done)
               : exchange(k, address, new, how);
  return true;
}

/* atomic_add_unless(x, a, u): adds a unless x is u; says whether it did. */
static struct asm_value add_unless(struct call *k) {
  struct asm_value address = c_read_expression(k->c);
  next_argument(k);
  struct asm_value operand = c_read_expression(k->c);
  next_argument(k);
  struct asm_value unless = c_read_expression(k->c);
  end_arguments(k);
  struct rmw how = kernel_rmw(TAG_MB);
  int read = -1;
  struct asm_value old = c_load(k->c, address, how.read, &read);
  struct asm_value done = asm_op(k->m, EXPR_NE, old, unless);
  int path = only_if(k, done.value);
  c_store(k->c, address, how.write, asm_op(k->m, EXPR_ADD, old, operand), read);
  k->c->state.path = path;
  return done;
}

/* atomic_add(v, x), atomic_add_return(v, x), atomic_fetch_add(v, x), atomic_inc_and_test(x), ...
 * C11's atomic_fetch_add(x, v) has the pointer first. */
static bool kernel_op(struct call *k, const char *name, struct asm_value *v) {
  bool fetch = !strncmp(name, "fetch_", 6), one, invert;
  enum expr_kind op;
  enum tag order = TAG_MB;
  const char *rest;
  if (!find_op(name + (fetch ? 6 : 0), &op, &one, &invert, &rest))
    return false;
  bool returns = !strncmp(rest, "_return", 7), test = !strcmp(rest, "_and_test");
  bool negative = !strcmp(rest, "_negative"), silent = !fetch && !returns && !test && !negative;
  if (!test && !negative && !kernel_order(rest + (returns ? 7 : 0), &order))
    return false;
  if (silent && *rest)
    return false;
  struct asm_value operand = asm_const(k->m, 1), address;
  if (!one) {
    operand = c_read_expression(k->c);
    next_argument(k);
  }
  address = c_read_expression(k->c);
  end_arguments(k);
  struct rmw how = kernel_rmw(order);
  if (fetch && !one && is_address(k, operand) && !is_address(k, address)) {
    struct asm_value swapped = operand;
    operand = address;
    address = swapped;
    how = c11_rmw(TAG_SC);
  }
  if (silent)
    how.read = how.write = tags_two(TAG_NORETURN, TAG_RMW);
  if (invert)
    operand = asm_op(k->m, EXPR_NOT, operand, operand);
  *v = fetch_op(k, address, op, operand, how, !fetch);
  if (test || negative)
    *v = asm_op(k->m, test ? EXPR_EQ : EXPR_LT, *v, nothing(k));
  return true;
}

static bool kernel_atomic(struct call *k, struct asm_value *v) {
  static const char *const prefixes[] = {"atomic_long_", "atomic64_", "atomic_", ""};
  if (!strcmp(k->name, "atomic_add_unless")) {
    *v = add_unless(k);
    return true;
  }
  for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t n = strlen(prefixes[i]);
    if (strncmp(k->name, prefixes[i], n))
      continue;
    return kernel_exchange(k, k->name + n, v) || (n && kernel_op(k, k->name + n, v));
  }
  return false;
}

/* ---- the Linux kernel: locks --------------------------------------------------------------- */

/* A lock sees 0 and writes 1; who cannot have it waits, so no execution sees anything else. */
static void take_lock(struct call *k, struct asm_value address) {
  int read = -1;
  struct asm_value old = c_load(k->c, address, tags_two(TAG_LKR, TAG_ACQUIRE), &read);
  assume(k, expr_make(k->p, EXPR_EQ, old.value, expr_const(k->p, 0), -1));
  c_store(k->c, address, tags_of(TAG_LKW), asm_const(k->m, 1), read);
}

static void release_lock(struct call *k, struct asm_value address) {
  c_store(k->c, address, tags_two(TAG_UL, TAG_RELEASE), nothing(k), -1);
}

/* Something that happens in one of two ways, as nobody decides: with the lock free or taken. */
static struct asm_value lock_or_not(struct call *k, struct asm_value address, bool try) {
  int free = choice(k), path = only_if(k, free), taken = expr_make(k->p, EXPR_LNOT, free, -1, -1);
  if (try) {
    take_lock(k, address);
  } else {
    struct asm_value seen = c_load(k->c, address, tags_of(TAG_RU), NULL);
    assume(k, expr_make(k->p, EXPR_EQ, seen.value, expr_const(k->p, 0), -1));
  }
  k->c->state.path = path;
  only_if(k, taken);
  struct asm_value seen = c_load(k->c, address, tags_of(try ? TAG_LF : TAG_RL), NULL);
  assume(k, expr_make(k->p, EXPR_NE, seen.value, expr_const(k->p, 0), -1));
  k->c->state.path = path;
  return (struct asm_value){try ? free : taken, DEPEND_NONE, DEPEND_NONE};
}

static bool kernel_lock(struct call *k, struct asm_value *v) {
  static const char *const names[] = {"spin_lock", "spin_unlock", "spin_trylock", "spin_is_locked",
                                      "spin_unlock_wait"};
  unsigned i = 0, n = sizeof names / sizeof *names;
  while (i < n && strcmp(names[i], k->name))
    i++;
  if (i == n)
    return false;
  struct asm_value address = c_read_expression(k->c);
  end_arguments(k);
  *v = nothing(k);
  if (i == 0 || i == 4)
    take_lock(k, address);
  if (i == 4) {
    k->m->id = k->p->stmts.length;
    release_lock(k, address);
  } else if (i == 1) {
    release_lock(k, address);
  } else if (i == 2 || i == 3) {
    *v = lock_or_not(k, address, i == 2);
  }
  return true;
}

/* ---- all ---------------------------------------------------------------------------------- */

struct asm_value c_call(struct c_reader *c, const char *name, struct place where,
                        const char *start) {
  struct call k = {c, c->p, &c->machine, name, start, where};
  struct asm_value v;
  if (c11_call(&k, &v)) {
    if (!c->p->default_model)
      c->p->default_model = "rc11";
    return v;
  }
  if (!strcmp(name, "synchronize_srcu") || !strcmp(name, "synchronize_srcu_expedited")) {
    synchronize_srcu(&k);
    v = nothing(&k);
  } else if (!kernel_access(&k, &v) && !kernel_lock(&k, &v) && !kernel_atomic(&k, &v)) {
    scan_fail(c->scan, where, "'%s' is no primitive that is understood", name);
  }
  if (!c->p->default_model)
    c->p->default_model = "lkmm";
  return v;
}
