#include "event/operation.h"
#include "event/window.h"

static bool overlap(const struct operation *a, const struct operation *b) {
  return a->address < b->address + b->size && b->address < a->address + a->size;
}

static bool share_a_line(const struct operation *a, const struct operation *b) {
  return a->address >> OPERATION_LINE_SHIFT <= (b->address + b->size - 1) >> OPERATION_LINE_SHIFT &&
         b->address >> OPERATION_LINE_SHIFT <= (a->address + a->size - 1) >> OPERATION_LINE_SHIFT;
}

/* A thread's own load and the draining of an older store: the load sees that store either way. */
static bool own_load_and_drain(const struct operation *a, const struct operation *b) {
  return a->drain != b->drain && (a->drain ? b : a)->kind == OPERATION_READ;
}

bool operations_independent(const struct operation *a, const struct operation *b) {
  if (a->thread == b->thread)
    return own_load_and_drain(a, b);
  if (a->kind > b->kind) {
    const struct operation *swap = a;
    a = b;
    b = swap;
  }
  switch ((enum operation_kind)b->kind) {
  case OPERATION_NONE:
  case OPERATION_READ:
    return true;
  case OPERATION_WRITE: /* the order of stores to one line is the order in which they persist */
    return a->kind == OPERATION_NONE ||
           (a->kind == OPERATION_READ ? !overlap(a, b) : !share_a_line(a, b));
  case OPERATION_FLUSH:
    return a->kind != OPERATION_WRITE || !share_a_line(a, b);
  case OPERATION_FENCE: /* what it waits for was settled by the flushes */
    return true;
  case OPERATION_FREE:
    return false;
  case OPERATION_LOCK:
    if (a->kind == OPERATION_WRITE && !a->drain && !b->address)
      return false; /* it may be on a lock in persistent memory */
    return a->kind != OPERATION_LOCK || (a->address && b->address && a->address != b->address);
  }
  return false;
}

static bool same_lock(const struct operation *a, const struct operation *b) {
  return a->address == b->address || (a->also && (a->also == b->address || a->also == b->also)) ||
         (b->also && b->also == a->address);
}

static bool adds(const struct operation *o) {
  return o->change == OPERATION_CHANGE_RMW + ABI_RMW_ADD ||
         o->change == OPERATION_CHANGE_RMW + ABI_RMW_SUB;
}

bool operations_add_up(const struct operation *a, const struct operation *b) {
  return a->blind && b->blind && a->address == b->address && a->size == b->size &&
         (a->change == b->change || (adds(a) && adds(b)));
}

uint64_t operation_take_back(const struct operation *o, uint64_t value) {
  int rmw = o->change - OPERATION_CHANGE_RMW;
  int back = rmw == ABI_RMW_ADD ? ABI_RMW_SUB : rmw == ABI_RMW_SUB ? ABI_RMW_ADD : rmw;
  return operation_combine(back, value, o->operand[0], (int)o->size);
}

/* In one round it does not matter who came first, unless somebody looks at who came last.  In different rounds they have
 * met others.  One that is still to come belongs to the same round if that lacks more than the other one. */
static bool arrivals_commute(const struct operation *a, const struct operation *b) {
  bool serial = a->serial || b->serial;
  if (a->round && b->round)
    return a->round == b->round && (!serial || (a->lacks > 1 && b->lacks > 1));
  const struct operation *happened = a->round ? a : b;
  return happened->round && happened->lacks > (serial ? 2 : 1);
}

bool operations_commute(const struct operation *a, const struct operation *b) {
  if (a->thread == b->thread)
    return a->drain != b->drain && !a->drained && !b->drained;
  if (a->kind == OPERATION_FREE || b->kind == OPERATION_FREE)
    return !a->block || a->block != b->block;
  if (a->kind == OPERATION_LOCK && b->kind == OPERATION_LOCK)
    return !same_lock(a, b) || (a->lock == OPERATION_LOCK_ARRIVE &&
                                b->lock == OPERATION_LOCK_ARRIVE && arrivals_commute(a, b));
  bool accesses = (a->kind == OPERATION_READ || a->kind == OPERATION_WRITE) &&
                  (b->kind == OPERATION_READ || b->kind == OPERATION_WRITE);
  return !accesses || (a->kind == OPERATION_READ && b->kind == OPERATION_READ) ||
         operation_answered(a) || operation_answered(b) || !overlap(a, b) ||
         operations_add_up(a, b);
}

/* Does it change anything that other machines see even if its own machine fails? */
static bool outlasts(const struct operation *o) {
  return o->kind != OPERATION_NONE && (o->kind != OPERATION_READ || o->asks);
}

/* Does their order decide what a machine has done when it is asked to fail: is one asked before both, or before the
 * one, which carries out the other? */
static bool share_a_failure(const struct operation *a, const struct operation *b) {
  return a->asks & b->asks || (a->asks >> b->machine & 1 && outlasts(b)) ||
         (b->asks >> a->machine & 1 && outlasts(a));
}

/* May its own machine be asked to fail before it? */
static bool may_be_last(const struct operation *o) {
  return o->drained || o->kind >= OPERATION_FLUSH;
}

static bool has_a_line(const struct operation *o) {
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE || o->kind == OPERATION_FLUSH;
}

bool operations_apart(const struct operation *a, const struct operation *b) {
  if (a->kind == OPERATION_NONE || b->kind == OPERATION_NONE)
    return a->thread != b->thread;
  if (a->thread == b->thread && !own_load_and_drain(a, b))
    return false;
  if (a->machine == b->machine &&
      ((may_be_last(a) && outlasts(b)) || (may_be_last(b) && outlasts(a))))
    return false;
  if (share_a_failure(a, b) || (has_a_line(a) && has_a_line(b) && share_a_line(a, b)))
    return false;
  if (a->kind == OPERATION_LOCK || b->kind == OPERATION_LOCK)
    return operations_independent(a, b);
  return true;
}

bool operations_commute_pm(const struct operation *a, const struct operation *b) {
  if (a->thread == b->thread)
    return a->drain != b->drain && !a->drained && !b->drained;
  if (a->kind > b->kind) {
    const struct operation *swap = a;
    a = b;
    b = swap;
  }
  switch ((enum operation_kind)b->kind) {
  case OPERATION_NONE:
  case OPERATION_READ:
  case OPERATION_FENCE: /* what it waits for was settled by the flushes */
    return true;
  case OPERATION_WRITE:
    if (a->kind == OPERATION_NONE)
      return true;
    return a->kind == OPERATION_READ || !window_has(a->address) ? !overlap(a, b)
                                                                : !share_a_line(a, b);
  case OPERATION_FLUSH:
    return a->kind != OPERATION_WRITE || !share_a_line(a, b);
  case OPERATION_LOCK:
    return a->kind != OPERATION_LOCK || !same_lock(a, b);
  case OPERATION_FREE:
    break; /* only in ordinary programs */
  }
  return false;
}

uint64_t operation_combine(int rmw, uint64_t old, uint64_t operand, int size) {
  int unused = 64 - size * 8;
  int64_t a = (int64_t)(old << unused) >> unused, b = (int64_t)(operand << unused) >> unused;
  switch ((enum abi_rmw)rmw) {
  case ABI_RMW_XCHG:
    return operand;
  case ABI_RMW_ADD:
    return old + operand;
  case ABI_RMW_SUB:
    return old - operand;
  case ABI_RMW_AND:
    return old & operand;
  case ABI_RMW_NAND:
    return ~(old & operand);
  case ABI_RMW_OR:
    return old | operand;
  case ABI_RMW_XOR:
    return old ^ operand;
  case ABI_RMW_MAX:
    return a > b ? old : operand;
  case ABI_RMW_MIN:
    return a < b ? old : operand;
  case ABI_RMW_UMAX:
    return old > operand ? old : operand;
  case ABI_RMW_UMIN:
    return old < operand ? old : operand;
  }
  return operand;
}

static uint64_t low_bytes(uint64_t value, uint32_t size) {
  return size < 8 ? value & (((uint64_t)1 << size * 8) - 1) : value;
}

bool operation_stores(const struct operation *o, const uint64_t found[2]) {
  switch (o->change) {
  case OPERATION_CHANGE_ALWAYS:
    return true;
  case OPERATION_CHANGE_NEVER:
    return false;
  case OPERATION_CHANGE_CAS:
    return found[0] == o->operand[0];
  case OPERATION_CHANGE_CAS16:
    return found[0] == o->operand[0] && found[1] == o->operand[1];
  default: {
    uint64_t new =
        operation_combine(o->change - OPERATION_CHANGE_RMW, found[0], o->operand[0], (int)o->size);
    return low_bytes(new, o->size) != found[0];
  }
  }
}

const char *operation_text(const struct operation *o) {
  switch ((enum operation_kind)o->kind) {
  case OPERATION_READ:
    return "load";
  case OPERATION_WRITE:
    return o->locked ? "atomic operation" : "store";
  default:
    return "lock operation";
  }
}
