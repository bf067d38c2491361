/* Locks, condition variables and the like, as atomics on the object's own bytes.  Whoever would wait
 * ends there; a turn of a library's loop that changes nothing is left out as those of the program.
 *
 * A mutex is a word: 0, or that somebody has it.  Only in programs that make mutexes of other kinds
 * (c_shape.mutex_kinds) does the word also say who has it, and how often, and is the kind looked at. */
#include "cprog/c_call.h"
#include "cprog/c_memory.h"
#include <errno.h>

enum { KIND_NORMAL = 0, KIND_RECURSIVE = 1, KIND_CHECKED = 2 }; /* as in <pthread.h> */
enum { THRD_BUSY = 1, THRD_TIMED_OUT = 4 };                     /* as in glibc's <threads.h> */
enum { KIND_OFFSET = 16, MUTEX_BYTES = 40 };                    /* as in glibc's pthread_mutex_t */
static const int64_t DESTROYED = 0xdead0000;                    /* no word has that value else */

static int binary(struct c_call *c, enum cir_op op, int a, int64_t b) {
  return c_binary(c->x->p, op, 32, a, c_call_constant(c, b));
}

static int is(struct c_call *c, int a, int64_t value) {
  return c_equal(c->x->p, a, c_call_constant(c, value));
}

static int field(struct c_call *c, int address, int64_t offset) {
  return c_binary(c->x->p, CIR_ADD, 64, address, c_call_constant(c, offset));
}

static int load(struct c_call *c, int address, enum cir_order order) {
  return c_access_load(c->x, c_call_request(c, address, 4, order));
}

static void store(struct c_call *c, int address, enum cir_order order, int value) {
  c_access_store(c->x, c_call_request(c, address, 4, order), value);
}

static void store_if(struct c_call *c, int condition, int address, enum cir_order order,
                     int value) {
  int guard = c->x->guard;
  c->x->guard = c_and(c->x->p, guard, condition);
  if (!c_is(c->x->p, c->x->guard, 0))
    store(c, address, order, value);
  c->x->guard = guard;
}

/* The value that was there. */
static int exchange(struct c_call *c, int address, enum cir_order order, int expected, int desired,
                    int *success) {
  return c_compare_exchange(c->x, c_call_request(c, address, 4, order), ORDER_RELAXED, false,
                            expected, desired, success);
}

static void wait_until(struct c_call *c, int condition, int first_part) {
  c_wait_until(c->x, condition, first_part, c->i->place);
}

static void call_nothing(struct c_call *c) {
  c->result = c_call_constant(c, 0);
}

static void call_zero(struct c_call *c) {
  store(c, c->args[0], ORDER_NA, c_call_constant(c, 0));
  c->result = c_call_constant(c, 0);
}

/* Whoever sees this word uses something after its end; looked for only if anything has one. */
static void check_alive(struct c_call *c, int word) {
  if (c->x->shape->destroys)
    c_violate(c->x, VIOLATION_CALL, is(c, word, DESTROYED), c->i->place,
              "use of what has been destroyed");
}

static void destroy(struct c_call *c, int busy, const char *text) {
  c->x->destroys = true;
  c_violate(c->x, VIOLATION_CALL, busy, c->i->place, text);
  store(c, c->args[0], ORDER_NA, c_call_constant(c, DESTROYED));
  c->result = c_call_constant(c, 0);
}

/* Of a lock that is 0 when it is free. */
static void call_destroy_lock(struct c_call *c) {
  int word = load(c, c->args[0], ORDER_RELAXED);
  destroy(c, c_not(c->x->p, is(c, word, 0)), "a lock is destroyed that is locked, or destroyed");
}

/* ---- spin locks, and mutexes of the usual kind ---------------------------------------------- */

static void take(struct c_call *c, int address) {
  int free_now, first = c->x->parts.length;
  check_alive(c, exchange(c, address, ORDER_ACQUIRE, c_call_constant(c, 0), c_call_constant(c, 1),
                          &free_now));
  wait_until(c, free_now, first);
  c_hold_take(c->x, address, c_call_constant(c, 1));
  c->result = c_call_constant(c, 0);
}

static void try_take(struct c_call *c, int busy) {
  int free_now;
  check_alive(c, exchange(c, c->args[0], ORDER_ACQUIRE, c_call_constant(c, 0),
                          c_call_constant(c, 1), &free_now));
  c_hold_take(c->x, c->args[0], free_now);
  c->result = c_choose(c->x->p, free_now, c_call_constant(c, 0), c_call_constant(c, busy));
}

static void give(struct c_call *c, int address) {
  c_hold_give(c->x, address, c->i->place);
  store(c, address, ORDER_RELEASE, c_call_constant(c, 0));
  c->result = c_call_constant(c, 0);
}

static void call_spin_lock(struct c_call *c) {
  take(c, c->args[0]);
}

static void call_spin_trylock(struct c_call *c) {
  try_take(c, EBUSY);
}

static void call_spin_unlock(struct c_call *c) {
  give(c, c->args[0]);
}

/* ---- mutexes of all kinds -------------------------------------------------------------------- */

/* A kind that is made somewhere: from the next round on all mutexes have one. */
static void note_kind(struct c_call *c, int kind) {
  if (!expr_is_const(c->x->p, kind, NULL) || c_is(c->x->p, kind, KIND_RECURSIVE) ||
      c_is(c->x->p, kind, KIND_CHECKED))
    c->x->mutex_kinds = true;
}

/* The kind that an initialiser has given to a variable. */
static void note_initial_kind(struct c_call *c, int address) {
  int64_t at;
  int object = expr_is_const(c->x->p, address, &at) ? c_object_at(c->x, at) : -1;
  const struct c_object *o = object >= 0 ? &c->x->objects.data[object] : NULL;
  if (o && o->global >= 0 && at + MUTEX_BYTES <= o->address + o->size)
    note_kind(c, c_memory_initial(c->x, object, at + KIND_OFFSET - o->address, 4));
}

static bool has_kinds(struct c_call *c, int address) {
  note_initial_kind(c, address);
  return c->x->shape->mutex_kinds;
}

static int kind_of(struct c_call *c, int address) {
  return load(c, field(c, address, KIND_OFFSET), ORDER_NA);
}

/* The word of a mutex that this thread has, once. */
static int mine(struct c_call *c) {
  return c_call_constant(c, c->x->thread * 256 + 1);
}

static int is_mine(struct c_call *c, int word) {
  return is(c, binary(c, CIR_LSHR, word, 8), c->x->thread);
}

/* Whoever has a recursive mutex takes it once more; *refused: has one that checks for that. */
static int take_kind(struct c_call *c, int address, int *refused) {
  struct program *p = c->x->p;
  int free_now, kind = kind_of(c, address);
  int old = exchange(c, address, ORDER_ACQUIRE, c_call_constant(c, 0), mine(c), &free_now);
  check_alive(c, old);
  int again = c_and(p, is_mine(c, old), is(c, kind, KIND_RECURSIVE));
  store_if(c, again, address, ORDER_RELAXED, binary(c, CIR_ADD, old, 1));
  *refused = c_and(p, is_mine(c, old), is(c, kind, KIND_CHECKED));
  return c_or(p, free_now, again);
}

static void lock(struct c_call *c, int address, int refusal) {
  if (!has_kinds(c, address)) {
    take(c, address);
    return;
  }
  int first = c->x->parts.length, refused, taken = take_kind(c, address, &refused);
  wait_until(c, c_or(c->x->p, taken, refused), first);
  c->result = c_choose(c->x->p, refused, c_call_constant(c, refusal), c_call_constant(c, 0));
}

static void try_lock(struct c_call *c, int busy) {
  if (!has_kinds(c, c->args[0])) {
    try_take(c, busy);
    return;
  }
  int refused, taken = take_kind(c, c->args[0], &refused);
  c->result = c_choose(c->x->p, taken, c_call_constant(c, 0), c_call_constant(c, busy));
}

static void unlock(struct c_call *c, int address) {
  struct program *p = c->x->p;
  if (!has_kinds(c, address)) {
    give(c, address);
    return;
  }
  int kind = kind_of(c, address), word = load(c, address, ORDER_RELAXED);
  int owned = is_mine(c, word), often = c_not(p, is(c, binary(c, CIR_AND, word, 255), 1));
  int normal = is(c, kind, KIND_NORMAL), refused = c_and(p, c_not(p, normal), c_not(p, owned));
  c_violate(c->x, VIOLATION_CALL, c_and(p, normal, c_not(p, owned)), c->i->place,
            "unlock of what this thread has not locked");
  int again = c_and(p, is(c, kind, KIND_RECURSIVE), c_and(p, owned, often));
  int last = c_not(p, c_or(p, refused, again));
  store_if(c, again, address, ORDER_RELAXED, binary(c, CIR_SUB, word, 1));
  store_if(c, last, address, ORDER_RELEASE, c_call_constant(c, 0));
  c->result = c_choose(p, refused, c_call_constant(c, EPERM), c_call_constant(c, 0));
}

static void call_mutex_lock(struct c_call *c) {
  lock(c, c->args[0], EDEADLK);
}

static void call_mutex_trylock(struct c_call *c) {
  try_lock(c, EBUSY);
}

static void call_mtx_trylock(struct c_call *c) {
  try_lock(c, THRD_BUSY);
}

/* The time is over whenever it is, so as if it had been tried once; likewise below. */
static void call_mutex_timedlock(struct c_call *c) {
  try_lock(c, ETIMEDOUT);
}

static void call_mtx_timedlock(struct c_call *c) {
  try_lock(c, THRD_TIMED_OUT);
}

static void call_mutex_unlock(struct c_call *c) {
  unlock(c, c->args[0]);
}

static void store_kind(struct c_call *c, int address, int kind) {
  if (c->x->shape->mutex_kinds)
    store(c, address, ORDER_NA, kind);
}

static void call_mutexattr_init(struct c_call *c) {
  store_kind(c, c->args[0], c_call_constant(c, KIND_NORMAL));
  c->result = c_call_constant(c, 0);
}

static void call_mutexattr_settype(struct c_call *c) {
  note_kind(c, c->args[1]);
  int usual = c_or(c->x->p, is(c, c->args[1], KIND_RECURSIVE), is(c, c->args[1], KIND_CHECKED));
  store_kind(c, c->args[0], c_choose(c->x->p, usual, c->args[1], c_call_constant(c, KIND_NORMAL)));
  c->result = c_call_constant(c, 0);
}

static void call_mutex_init(struct c_call *c) {
  call_zero(c);
  if (!c->x->shape->mutex_kinds)
    return;
  int guard = c->x->guard, given = c_not(c->x->p, is(c, c->args[1], 0)), kind = -1;
  c->x->guard = c_and(c->x->p, guard, given);
  if (!c_is(c->x->p, c->x->guard, 0))
    kind = load(c, c->args[1], ORDER_NA);
  c->x->guard = guard;
  int normal = c_call_constant(c, KIND_NORMAL);
  store_kind(c, field(c, c->args[0], KIND_OFFSET),
             kind < 0 ? normal : c_choose(c->x->p, given, kind, normal));
}

static void call_mtx_init(struct c_call *c) {
  int kind = binary(c, CIR_AND, c->args[1], 1); /* mtx_recursive */
  call_zero(c);
  note_kind(c, kind);
  store_kind(c, field(c, c->args[0], KIND_OFFSET), kind);
}

/* ---- condition variables: a bit for each wait of the program that has not been signalled --------- */

enum { WAITS_MAX = 64 };

static struct c_request waiting(struct c_call *c) {
  return c_call_request(c, c->args[0], WAITS_MAX / 8, ORDER_RELAXED);
}

static void call_cond_init(struct c_call *c) {
  struct c_request r = waiting(c);
  r.order = ORDER_NA;
  c_access_store(c->x, r, c_call_constant(c, 0));
  c->result = c_call_constant(c, 0);
}

static void call_cond_broadcast(struct c_call *c) {
  c_read_modify_write(c->x, waiting(c), RMW_AND, c_call_constant(c, 0));
  c->result = c_call_constant(c, 0);
}

/* One of those who wait goes on, whichever it is; which waits there are the last round has found. */
static void call_cond_signal(struct c_call *c) {
  struct program *p = c->x->p;
  int waits = c->x->shape->condition_waits;
  if (waits < 2) {
    call_cond_broadcast(c);
    return;
  }
  int which = c_input(c->x, "who is signalled", 6, c->i->place);
  int bit = c_binary(p, CIR_SHL, 64, c_call_constant(c, 1), which);
  int others = c_binary(p, CIR_XOR, 64, bit, c_call_constant(c, -1));
  int old = c_read_modify_write(c->x, waiting(c), RMW_AND, others);
  int waits_there = c_not(p, is(c, c_binary(p, CIR_AND, 64, old, bit), 0));
  int fits = c_or(p, c_not(p, c->x->guard), c_or(p, waits_there, is(c, old, 0)));
  list_push(c->x->arena, &p->assumes, fits);
  c->result = c_call_constant(c, 0);
}

/* The mutex is given back; a truth value: the wait is over. */
static int wait_begins(struct c_call *c, int *first_part) {
  struct program *p = c->x->p;
  int number = c->x->condition_waits++;
  if (number >= WAITS_MAX)
    c_fail(c->x, c->i->place, "more than %d waits for condition variables", WAITS_MAX);
  int bit = c_binary(p, CIR_SHL, 64, c_call_constant(c, 1), c_call_constant(c, number));
  c_read_modify_write(c->x, waiting(c), RMW_OR, bit);
  unlock(c, c->args[1]);
  *first_part = c->x->parts.length;
  int now = c_access_load(c->x, waiting(c));
  return is(c, c_binary(p, CIR_AND, 64, now, bit), 0);
}

static void call_cond_wait(struct c_call *c) {
  int first, over = wait_begins(c, &first);
  wait_until(c, over, first);
  lock(c, c->args[1], EDEADLK);
}

static void wait_with_deadline(struct c_call *c, int late) {
  struct program *p = c->x->p;
  int first, over = wait_begins(c, &first), number = c->x->condition_waits - 1;
  int bit = c_binary(p, CIR_SHL, 64, c_call_constant(c, 1), c_call_constant(c, number));
  /* whoever goes on by itself can no longer be signalled */
  int others = c_binary(p, CIR_XOR, 64, bit, c_call_constant(c, -1));
  c_read_modify_write(c->x, waiting(c), RMW_AND, others);
  lock(c, c->args[1], EDEADLK);
  c->result = c_choose(p, over, c->result, c_call_constant(c, late));
}

static void call_cond_timedwait(struct c_call *c) {
  wait_with_deadline(c, ETIMEDOUT);
}

static void call_cnd_timedwait(struct c_call *c) {
  wait_with_deadline(c, THRD_TIMED_OUT);
}

/* ---- locks for readers and writers: how many readers there are, or who writes -------------------- */

static const int64_t WRITER = 0x80000000;

static int64_t my_writing(const struct c_call *c) {
  return WRITER + c->x->thread;
}

/* Takes a word for which `fits` as it was read; the success of the exchange is all that counts. */
static int step_word(struct c_call *c, int fits, int old, int64_t difference) {
  int guard = c->x->guard, success;
  c->x->guard = c_and(c->x->p, guard, fits);
  exchange(c, c->args[0], ORDER_ACQUIRE, old, binary(c, CIR_ADD, old, difference), &success);
  c->x->guard = guard;
  return c_and(c->x->p, fits, success);
}

static int take_shared(struct c_call *c, int *old, int *open) {
  *old = load(c, c->args[0], ORDER_RELAXED);
  check_alive(c, *old);
  *open = binary(c, CIR_ULT, *old, WRITER);
  return step_word(c, *open, *old, 1);
}

static int take_alone(struct c_call *c, int *old) {
  int success;
  *old = exchange(c, c->args[0], ORDER_ACQUIRE, c_call_constant(c, 0),
                  c_call_constant(c, my_writing(c)), &success);
  check_alive(c, *old);
  return success;
}

static void result_if(struct c_call *c, int condition, int64_t yes, int64_t no) {
  c->result = c_choose(c->x->p, condition, c_call_constant(c, yes), c_call_constant(c, no));
}

/* Whoever writes is told so, as by glibc. */
static void wait_for_word(struct c_call *c, int taken, int old, int first_part) {
  int refused = is(c, old, my_writing(c));
  wait_until(c, c_or(c->x->p, taken, refused), first_part);
  result_if(c, refused, EDEADLK, 0);
}

static void call_rwlock_rdlock(struct c_call *c) {
  int first = c->x->parts.length, old, open, taken = take_shared(c, &old, &open);
  wait_for_word(c, taken, old, first);
}

static void call_rwlock_wrlock(struct c_call *c) {
  int first = c->x->parts.length, old, taken = take_alone(c, &old);
  wait_for_word(c, taken, old, first);
}

static void try_wrlock(struct c_call *c, int64_t busy) {
  int old;
  result_if(c, take_alone(c, &old), 0, busy);
}

/* Somebody else may change the word between the look at it and the exchange; then it looks again. */
static void try_rdlock(struct c_call *c, int64_t busy) {
  int first = c->x->parts.length, old, open, taken = take_shared(c, &old, &open);
  wait_until(c, c_or(c->x->p, taken, c_not(c->x->p, open)), first);
  result_if(c, open, 0, busy);
}

static void call_rwlock_trywrlock(struct c_call *c) {
  try_wrlock(c, EBUSY);
}

static void call_rwlock_tryrdlock(struct c_call *c) {
  try_rdlock(c, EBUSY);
}

static void call_rwlock_timedwrlock(struct c_call *c) {
  try_wrlock(c, ETIMEDOUT);
}

static void call_rwlock_timedrdlock(struct c_call *c) {
  try_rdlock(c, ETIMEDOUT);
}

static void call_rwlock_unlock(struct c_call *c) {
  int word = load(c, c->args[0], ORDER_RELAXED), read = binary(c, CIR_ULT, word, WRITER);
  int guard = c->x->guard, nobody = is(c, word, 0);
  int others = c_not(c->x->p, c_or(c->x->p, read, is(c, word, my_writing(c))));
  c_violate(c->x, VIOLATION_CALL, c_or(c->x->p, nobody, others), c->i->place,
            "unlock of what this thread has not locked");
  store_if(c, c_not(c->x->p, read), c->args[0], ORDER_RELEASE, c_call_constant(c, 0));
  c->x->guard = c_and(c->x->p, guard, read);
  if (!c_is(c->x->p, c->x->guard, 0))
    c_read_modify_write(c->x, c_call_request(c, c->args[0], 4, ORDER_RELEASE), RMW_SUB,
                        c_call_constant(c, 1));
  c->x->guard = guard;
  c->result = c_call_constant(c, 0);
}

/* ---- semaphores ------------------------------------------------------------------------------------ */

static void call_sem_init(struct c_call *c) {
  store(c, c->args[0], ORDER_NA, c->args[2]);
  c->result = c_call_constant(c, 0);
}

static int take_permit(struct c_call *c, int *some) {
  int old = load(c, c->args[0], ORDER_RELAXED);
  check_alive(c, old);
  *some = c_not(c->x->p, is(c, old, 0));
  return step_word(c, *some, old, -1);
}

static void call_sem_wait(struct c_call *c) {
  int first = c->x->parts.length, some;
  wait_until(c, take_permit(c, &some), first);
  c->result = c_call_constant(c, 0);
}

static void call_sem_trywait(struct c_call *c) {
  int first = c->x->parts.length, some, taken = take_permit(c, &some);
  wait_until(c, c_or(c->x->p, taken, c_not(c->x->p, some)), first);
  result_if(c, some, 0, (int64_t)c_mask(32)); /* -1 */
}

static void call_sem_post(struct c_call *c) {
  int old = c_read_modify_write(c->x, c_call_request(c, c->args[0], 4, ORDER_RELEASE), RMW_ADD,
                                c_call_constant(c, 1));
  check_alive(c, old);
  c->result = c_call_constant(c, 0);
}

static void call_sem_getvalue(struct c_call *c) {
  int value = load(c, c->args[0], ORDER_RELAXED);
  check_alive(c, value);
  store(c, c->args[1], ORDER_NA, value);
  c->result = c_call_constant(c, 0);
}

static void call_destroy(struct c_call *c) {
  destroy(c, c_call_constant(c, 0), "");
}

/* ---- once: 0, 1 while somebody is at it, 2 ----------------------------------------------------------- */

static void call_once(struct c_call *c) {
  struct c_exec *x = c->x;
  int64_t address;
  int function = expr_is_const(x->p, c->args[1], &address) ? c_function_at(x->module, address) : -1;
  if (function < 0 || !x->module->functions.data[function].defined)
    c_fail(x, c->i->place, "a function that is to be called once, and is not known");
  int guard = x->guard, is_first, part = x->parts.length;
  int old = c_compare_exchange(x, c_call_request(c, c->args[0], 4, ORDER_ACQUIRE), ORDER_ACQUIRE,
                               false, c_call_constant(c, 0), c_call_constant(c, 1), &is_first);
  wait_until(c, c_or(x->p, is_first, is(c, old, 2)), part);
  int later = c_and(x->p, x->guard, c_not(x->p, is_first));
  x->guard = c_and(x->p, guard, is_first);
  if (!c_is(x->p, x->guard, 0)) {
    c_run_function(x, function, NULL, 0, c->i->place);
    store(c, c->args[0], ORDER_RELEASE, c_call_constant(c, 2));
  }
  int ways[2] = {x->guard, later};
  x->guard = c_any(x->p, ways, 2);
  c->result = c_call_constant(c, 0);
}

/* ---- a barrier: how many it is for, and behind that how many have come -------------------------------- */

static void call_barrier_init(struct c_call *c) {
  store(c, c->args[0], ORDER_NA, c->args[2]);
  store(c, field(c, c->args[0], 4), ORDER_NA, c_call_constant(c, 0));
  c->result = c_call_constant(c, 0);
}

/* Who comes last lets the others go; the next round counts on. */
static void call_barrier_wait(struct c_call *c) {
  struct c_exec *x = c->x;
  struct program *p = x->p;
  int arrived = field(c, c->args[0], 4), size = load(c, c->args[0], ORDER_NA);
  int fine = c_not(p, c_or(p, is(c, size, 0), is(c, size, DESTROYED)));
  c_violate(x, VIOLATION_CALL, c_not(p, fine), c->i->place,
            "a barrier that is not initialised, or destroyed");
  c_stop_unless(x, fine);
  int old = c_read_modify_write(x, c_call_request(c, arrived, 4, ORDER_ACQ_REL), RMW_ADD,
                                c_call_constant(c, 1));
  int round = c_binary(p, CIR_UDIV, 32, old, size);
  int full = c_binary(p, CIR_MUL, 32, binary(c, CIR_ADD, round, 1), size);
  int first = x->parts.length, now = load(c, arrived, ORDER_ACQUIRE);
  wait_until(c, c_binary(p, CIR_ULE, 32, full, now), first);
  int last = c_equal(p, binary(c, CIR_ADD, old, 1), full);
  c->result = c_choose(p, last, c_call_constant(c, (int64_t)c_mask(32)), c_call_constant(c, 0));
}

const struct c_external c_sync_externals[] = {
    {"pthread_mutex_init", 2, call_mutex_init},
    {"pthread_mutex_destroy", 1, call_destroy_lock},
    {"pthread_mutex_lock", 1, call_mutex_lock},
    {"pthread_mutex_trylock", 1, call_mutex_trylock},
    {"pthread_mutex_timedlock", 2, call_mutex_timedlock},
    {"pthread_mutex_clocklock", 3, call_mutex_timedlock},
    {"pthread_mutex_unlock", 1, call_mutex_unlock},
    {"pthread_mutexattr_init", 1, call_mutexattr_init},
    {"pthread_mutexattr_settype", 2, call_mutexattr_settype},
    {"pthread_mutexattr_*", 0, call_nothing},
    {"mtx_init", 2, call_mtx_init},
    {"mtx_destroy", 1, call_destroy_lock},
    {"mtx_lock", 1, call_mutex_lock},
    {"mtx_trylock", 1, call_mtx_trylock},
    {"mtx_timedlock", 2, call_mtx_timedlock},
    {"mtx_unlock", 1, call_mutex_unlock},
    {"pthread_spin_init", 1, call_zero},
    {"pthread_spin_destroy", 1, call_destroy_lock},
    {"pthread_spin_lock", 1, call_spin_lock},
    {"pthread_spin_trylock", 1, call_spin_trylock},
    {"pthread_spin_unlock", 1, call_spin_unlock},
    {"pthread_cond_init", 1, call_cond_init},
    {"pthread_cond_destroy", 1, call_nothing},
    {"pthread_cond_signal", 1, call_cond_signal},
    {"pthread_cond_broadcast", 1, call_cond_broadcast},
    {"pthread_cond_wait", 2, call_cond_wait},
    {"pthread_cond_timedwait", 3, call_cond_timedwait},
    {"pthread_cond_clockwait", 4, call_cond_timedwait},
    {"cnd_init", 1, call_cond_init},
    {"cnd_destroy", 1, call_nothing},
    {"cnd_signal", 1, call_cond_signal},
    {"cnd_broadcast", 1, call_cond_broadcast},
    {"cnd_wait", 2, call_cond_wait},
    {"cnd_timedwait", 3, call_cnd_timedwait},
    {"pthread_rwlock_init", 1, call_zero},
    {"pthread_rwlock_destroy", 1, call_destroy_lock},
    {"pthread_rwlock_rdlock", 1, call_rwlock_rdlock},
    {"pthread_rwlock_wrlock", 1, call_rwlock_wrlock},
    {"pthread_rwlock_tryrdlock", 1, call_rwlock_tryrdlock},
    {"pthread_rwlock_trywrlock", 1, call_rwlock_trywrlock},
    {"pthread_rwlock_timedrdlock", 2, call_rwlock_timedrdlock},
    {"pthread_rwlock_timedwrlock", 2, call_rwlock_timedwrlock},
    {"pthread_rwlock_unlock", 1, call_rwlock_unlock},
    {"sem_init", 3, call_sem_init},
    {"sem_destroy", 1, call_destroy},
    {"sem_wait", 1, call_sem_wait},
    {"sem_trywait", 1, call_sem_trywait},
    {"sem_timedwait", 2, call_sem_trywait},
    {"sem_post", 1, call_sem_post},
    {"sem_getvalue", 2, call_sem_getvalue},
    {"pthread_once", 2, call_once},
    {"call_once", 2, call_once},
    {"pthread_barrier_init", 3, call_barrier_init},
    {"pthread_barrier_destroy", 1, call_destroy},
    {"pthread_barrier_wait", 1, call_barrier_wait},
    {NULL, 0, NULL}};
