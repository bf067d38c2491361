/* Accesses that other threads can see, and fences: statements of the program. */
#include "cprog/c_memory.h"
#include <string.h>

/* ---- orders ------------------------------------------------------------------------------- */

static bool same_place(struct place a, struct place b) {
  return a.line == b.line && a.column == b.column && !strcmp(a.file, b.file);
}

static const struct c_override *override_at(const struct c_exec *x, struct place where) {
  for (int i = 0; where.line && i < x->override_count; i++)
    if (same_place(x->overrides[i].place, where))
      return &x->overrides[i];
  return NULL;
}

static enum cir_order order_at(const struct c_exec *x, struct place where, enum cir_order order) {
  const struct c_override *o = override_at(x, where);
  return o && order > ORDER_RELAXED ? o->order : order;
}

/* What an order is for a load or a store, whose strongest one but seq_cst is `own`: several accesses may
 * be written at one place, as in a macro, and have the order of that place. */
static enum cir_order order_for(enum cir_order order, enum cir_order own) {
  if (order == ORDER_ACQ_REL)
    return own;
  return (order == ORDER_ACQUIRE || order == ORDER_RELEASE) && order != own ? ORDER_RELAXED : order;
}

/* The site of an order that the source asks for, so that cores can name it. */
static int order_site(struct c_exec *x, struct place where, const char *text) {
  for (int i = 0; i < x->p->orders.length; i++)
    if (same_place(x->p->orders.data[i].place, where))
      return i + 1;
  struct order_site s = {where, text};
  list_push(x->arena, &x->p->orders, s);
  return x->p->orders.length;
}

/* What gives an access its order: a function of the library, or what the source says. */
static const char *order_text(const struct c_exec *x, enum cir_order order) {
  return x->within ? x->within : c_order_name(order);
}

/* ---- statements --------------------------------------------------------------------------- */

static struct stmt statement(struct c_exec *x, enum stmt_kind kind, struct place where) {
  return (struct stmt){.kind = kind,
                       .thread = x->thread,
                       .guard = x->guard,
                       .address = -1,
                       .value = -1,
                       .partner = -1,
                       .monitor = -1,
                       .instruction = x->instruction,
                       .place = where,
                       .text = ""};
}

static int push(struct c_exec *x, struct stmt s) {
  if (x->p->stmts.length > 20000)
    c_fail(x, s.place, "the program has more than 20000 accesses when its loops are unrolled");
  list_push(x->arena, &x->p->stmts, s);
  x->needs_start = true;
  return x->p->stmts.length - 1;
}

static void add_order(struct c_exec *x, struct stmt *s, enum c_half half, enum cir_order order) {
  s->tags = s->weak = x->target->access(half, order);
  if (order <= ORDER_RELAXED)
    return;
  s->weak = x->target->access(half, ORDER_RELAXED);
  x->asks_order = x->asks_order || s->place.line;
  if (s->place.line && !tags_equal(&s->tags, &s->weak))
    s->order_site = order_site(x, s->place, order_text(x, order));
}

/* `text` is the order that the fence is part of; NULL = it stands for itself. */
static void push_fence(struct c_exec *x, struct c_fence_event f, const char *text,
                       struct place where) {
  if (!f.exists)
    return;
  struct stmt s = statement(x, STMT_FENCE, where);
  s.flavour = f.flavour;
  s.tags = f.tags;
  s.order_site = where.line && text ? order_site(x, where, text) : 0;
  push(x, s);
}

void c_fence(struct c_exec *x, enum c_fence fence, enum cir_order order, struct place where) {
  const struct c_override *o = override_at(x, where);
  if (o && o->removed)
    return;
  if (fence >= FENCE_RCU_LOCK && !x->target->has_rcu)
    c_fail(x, where, "RCU means something to the target lkmm only");
  if (fence >= FENCE_BEFORE_ATOMIC && !x->target->has_rcu)
    fence = FENCE_FULL;
  order = order_at(x, where, order);
  x->asks_order = x->asks_order || fence != FENCE_C11 || order > ORDER_RELAXED;
  x->instruction++;
  push_fence(x, x->target->fence(fence, order), NULL, where);
}

/* ---- parts -------------------------------------------------------------------------------- */

/* What the last round knows about the next access. */
static const struct c_access *next_access(struct c_exec *x, struct c_request r) {
  static const struct c_access nothing;
  const struct c_access *a = c_key_known(x, c_key_access(x));
  if (!a || a->bytes != r.bytes)
    return &nothing;
  if (a->known) { /* an address of nothing: undefined behaviour, and no event */
    int somewhere = expr_const(x->p, 0);
    for (int i = 0; i < a->candidates.length; i++) {
      int here = c_equal(x->p, r.address, expr_const(x->p, a->candidates.data[i]));
      int object = c_object_at(x, a->candidates.data[i]);
      somewhere = c_or(x->p, somewhere, here);
      if (object >= 0 && x->objects.data[object].freed >= 0)
        c_violate(x, VIOLATION_FREE, c_and(x->p, here, x->objects.data[object].freed), r.place,
                  "use after free");
    }
    c_violate_access(x, c_not(x->p, somewhere), r.address, r.bytes, r.place);
    if (!a->candidates.length && expr_is_const(x->p, r.address, NULL))
      c_stop_unless(x, somewhere); /* it may be too large for what lies there */
  }
  return a;
}

/* As long as nothing else is known, an access is in one piece, or in two of 8 bytes. */
static int part_count(const struct c_access *a, const struct c_request *r) {
  return a->parts.length ? a->parts.length : r->bytes > 8 ? 2 : 1;
}

static int part_bytes(const struct c_access *a, const struct c_request *r, int i) {
  return a->parts.length ? a->parts.data[i] : r->bytes > 8 ? 8 : r->bytes;
}

static int push_part(struct c_exec *x, struct stmt s, struct c_request r, int64_t offset, int bytes,
                     bool is_atomic) {
  s.address = c_binary(x->p, CIR_ADD, 64, r.address, expr_const(x->p, offset));
  s.bits = bytes * 8;
  struct c_part part = {.access = x->keys.length - 1,
                        .stmt = push(x, s),
                        .offset = offset,
                        .bytes = bytes,
                        .access_bytes = r.bytes,
                        .is_atomic = is_atomic,
                        .follows = s.frees || s.births};
  list_push(x->arena, &x->parts, part);
  return part.stmt;
}

/* The number that marks the parts of an access which others see as one; 0 if they need not. */
static int joined(const struct c_exec *x, const struct c_access *a, const struct c_request *r) {
  return part_count(a, r) > 1 && r->order != ORDER_NA ? x->p->stmts.length + 1 : 0;
}

/* All parts of a read, like `s`: what they read together.  *first is the first of them. */
static struct c_pair push_reads(struct c_exec *x, const struct c_access *a, struct c_request r,
                                struct stmt s, int *first) {
  int zero = expr_const(x->p, 0);
  struct c_pair value = {zero, r.bytes > 8 ? zero : -1};
  int64_t offset = 0;
  s.access = joined(x, a, &r);
  *first = x->p->stmts.length;
  for (int i = 0; i < part_count(a, &r); i++) {
    int bytes = part_bytes(a, &r, i);
    int read = push_part(x, s, r, offset, bytes, r.order != ORDER_NA);
    int part = expr_leaf(x->p, EXPR_READ, read), *word = offset < 8 ? &value.low : &value.high;
    *word = c_binary(x->p, CIR_OR, 64, *word,
                     c_binary(x->p, CIR_SHL, 64, part, expr_const(x->p, offset % 8 * 8)));
    offset += bytes;
  }
  return value;
}

/* All parts of a write, like `s`; `read` is the first part of what it is a half of, or -1. */
static void push_writes(struct c_exec *x, const struct c_access *a, struct c_request r,
                        struct stmt s, struct c_pair value, int read) {
  int64_t offset = 0;
  s.access = joined(x, a, &r);
  for (int i = 0; i < part_count(a, &r); i++) {
    int bytes = part_bytes(a, &r, i);
    int part = c_binary(x->p, CIR_LSHR, 64, offset < 8 ? value.low : value.high,
                        expr_const(x->p, offset % 8 * 8));
    s.value = c_convert(x->p, CIR_TRUNC, bytes * 8, 64, part);
    s.partner = read < 0 ? -1 : read + i;
    int write = push_part(x, s, r, offset, bytes, r.order != ORDER_NA);
    if (read >= 0)
      x->p->stmts.data[read + i].partner = write;
    offset += bytes;
  }
}

static struct c_request half_of(struct c_exec *x, struct c_request r, bool high) {
  r.bytes = 8;
  if (high)
    r.address = c_binary(x->p, CIR_ADD, 64, r.address, expr_const(x->p, 8));
  return r;
}

static struct c_pair contents_load(struct c_exec *x, struct c_request r) {
  if (r.bytes <= 8)
    return (struct c_pair){c_contents_load(x, r), -1};
  int low = c_contents_load(x, half_of(x, r, false));
  return (struct c_pair){low, c_contents_load(x, half_of(x, r, true))};
}

static void contents_store(struct c_exec *x, struct c_request r, struct c_pair value) {
  if (r.bytes <= 8) {
    c_contents_store(x, r, value.low);
  } else {
    c_contents_store(x, half_of(x, r, false), value.low);
    c_contents_store(x, half_of(x, r, true), value.high);
  }
}

static int equal(struct c_exec *x, struct c_pair a, struct c_pair b) {
  int low = c_equal(x->p, a.low, b.low);
  return a.high < 0 ? low : c_and(x->p, low, c_equal(x->p, a.high, b.high));
}

static struct c_pair choose(struct c_exec *x, int condition, struct c_pair a, struct c_pair b) {
  int high = a.high < 0 ? -1 : c_choose(x->p, condition, a.high, b.high);
  return (struct c_pair){c_choose(x->p, condition, a.low, b.low), high};
}

static struct c_pair modified(struct c_exec *x, enum cir_rmw op, struct c_request r,
                              struct c_pair old, struct c_pair operand) {
  struct program *p = x->p;
  if (r.bytes <= 8)
    return (struct c_pair){c_rmw(p, op, r.bytes * 8, old.low, operand.low), -1};
  if (op == RMW_MAX || op == RMW_MIN || op == RMW_UMAX || op == RMW_UMIN)
    c_fail(x, r.place, "an atomic maximum or minimum of 16 bytes");
  struct c_pair new = {c_rmw(p, op, 64, old.low, operand.low),
                       c_rmw(p, op, 64, old.high, operand.high)};
  if (op == RMW_ADD)
    new.high = c_binary(p, CIR_ADD, 64, new.high, c_binary(p, CIR_ULT, 64, new.low, old.low));
  else if (op == RMW_SUB)
    new.high = c_binary(p, CIR_SUB, 64, new.high, c_binary(p, CIR_ULT, 64, old.low, operand.low));
  return new;
}

int c_access_load(struct c_exec *x, struct c_request r) {
  return c_access_load_pair(x, r).low;
}

void c_access_store(struct c_exec *x, struct c_request r, int value) {
  c_access_store_pair(x, r, (struct c_pair){value, -1});
}

int c_read_modify_write(struct c_exec *x, struct c_request r, enum cir_rmw op, int operand) {
  return c_read_modify_write_pair(x, r, op, (struct c_pair){operand, -1}).low;
}

int c_compare_exchange(struct c_exec *x, struct c_request r, enum cir_order failure, bool weak,
                       int expected, int desired, int *success) {
  return c_compare_exchange_pair(x, r, failure, weak, (struct c_pair){expected, -1},
                                 (struct c_pair){desired, -1}, success)
      .low;
}

struct c_pair c_access_load_pair(struct c_exec *x, struct c_request r) {
  if (c_is_contents(x, r.address))
    return contents_load(x, r);
  r.order = order_for(order_at(x, r.place, r.order), ORDER_ACQUIRE);
  const struct c_access *a = next_access(x, r);
  x->instruction++;
  const char *text = order_text(x, r.order);
  push_fence(x, x->target->before(HALF_LOAD, r.order), text, r.place);
  struct stmt s = statement(x, STMT_READ, r.place);
  add_order(x, &s, HALF_LOAD, r.order);
  int first;
  struct c_pair value = push_reads(x, a, r, s, &first);
  push_fence(x, x->target->after(HALF_LOAD, r.order), text, r.place);
  return value;
}

void c_access_store_pair(struct c_exec *x, struct c_request r, struct c_pair value) {
  if (c_is_contents(x, r.address)) {
    contents_store(x, r, value);
    return;
  }
  r.order = order_for(order_at(x, r.place, r.order), ORDER_RELEASE);
  const struct c_access *a = next_access(x, r);
  x->instruction++;
  const char *text = order_text(x, r.order);
  push_fence(x, x->target->before(HALF_STORE, r.order), text, r.place);
  struct stmt s = statement(x, STMT_WRITE, r.place);
  add_order(x, &s, HALF_STORE, r.order);
  push_writes(x, a, r, s, value, -1);
  push_fence(x, x->target->after(HALF_STORE, r.order), text, r.place);
  list_push(x->arena, &x->effects, x->guard);
}

/* ---- the beginning of memory ------------------------------------------------------------------ */

/* A plain write of its contents: whoever uses it and does not know of it races. */
void c_access_malloc(struct c_exec *x, int object, struct place where) {
  const struct c_object *o = &x->objects.data[object];
  int address = expr_const(x->p, o->address);
  struct c_birth b = {
      .object = object, .guard = x->guard, .thread = x->thread, .stmt = x->p->stmts.length};
  if (x->sequential || !x->target->has_births)
    return;
  b.access = c_key_access(x);
  list_push(x->arena, &x->births, b);
  const struct c_access *known = c_key_known(x, b.access);
  x->instruction++;
  for (int i = 0; known && i < known->ends.length; i++) {
    struct c_span c = known->ends.data[i];
    struct c_request r = {address, c.bytes, ORDER_NA, where};
    struct stmt s = statement(x, STMT_WRITE, where);
    s.unwritten = x->objects.data[object].is_undefined;
    s.value = s.unwritten ? c_memory_unwritten(x, object, c.bytes, where) : expr_const(x->p, 0);
    s.births = true;
    add_order(x, &s, HALF_STORE, ORDER_NA);
    push_part(x, s, r, c.offset, c.bytes, false);
  }
}

/* ---- the end of memory --------------------------------------------------------------------- */

/* Before threads: whoever uses it later is wrong; likewise for what only one thread sees. */
static void free_contents(struct c_exec *x, int address, int here, int object, struct place where) {
  struct c_object *o = &x->objects.data[object];
  int this_one = c_and(x->p, here, c_equal(x->p, address, expr_const(x->p, o->address)));
  if (o->freed >= 0)
    c_violate(x, VIOLATION_FREE, c_and(x->p, this_one, o->freed), where, "a second free");
  o->freed = o->freed < 0 ? this_one : c_or(x->p, o->freed, this_one);
}

/* A write to each of the object's cells: whoever comes after it in the orders of the model uses
 * freed memory, and whoever is not ordered with it races where the model has races. */
static void end_cells(struct c_exec *x, struct c_free end, bool returns, struct place where) {
  end.thread = x->thread;
  end.access = c_key_access(x);
  list_push(x->arena, &x->frees, end);
  const struct c_access *known = c_key_known(x, end.access);
  if (x->sequential)
    return;
  x->instruction++;
  for (int i = 0; known && i < known->ends.length; i++) {
    struct c_span c = known->ends.data[i];
    struct c_request r = {end.address, c.bytes, ORDER_NA, where};
    struct stmt s = statement(x, STMT_WRITE, where);
    s.value = expr_const(x->p, 0);
    s.frees = true;
    s.returns = returns;
    add_order(x, &s, HALF_STORE, ORDER_NA);
    push_part(x, s, r, c.offset, c.bytes, false);
  }
}

void c_access_free(struct c_exec *x, int address, struct place where) {
  int guard = x->guard, null = c_equal(x->p, address, expr_const(x->p, 0)), fine = null;
  for (int i = 0; i < x->shape->heap.length; i++) /* also what threads allocate that come later */
    fine = c_or(x->p, fine, c_equal(x->p, address, expr_const(x->p, x->shape->heap.data[i])));
  if (x->shape->joined_known)
    c_violate(x, VIOLATION_FREE, c_not(x->p, fine), where, "free of what is not from malloc");
  x->guard = c_and(x->p, guard, c_not(x->p, null));
  end_cells(x, (struct c_free){.address = address, .object = -1}, false, where);
  list_push(x->arena, &x->effects, x->guard);
  x->guard = guard;
  for (int o = 0; x->sequential && o < x->objects.length; o++)
    if (x->objects.data[o].is_heap)
      free_contents(x, address, x->guard, o, where);
}

void c_access_return(struct c_exec *x, int object, struct place where) {
  struct c_object *o = &x->objects.data[object];
  o->over = o->over < 0 ? x->guard : c_or(x->p, o->over, x->guard);
  if (x->sequential)
    o->freed = o->freed < 0 ? x->guard : c_or(x->p, o->freed, x->guard);
  end_cells(x, (struct c_free){.address = expr_const(x->p, o->address), .object = object}, true,
            where);
}

/* ---- read-modify-writes ------------------------------------------------------------------- */

struct half { /* the read of a read-modify-write */
  const struct c_access *access;
  int first; /* statement */
  struct c_pair seen;
};

static struct half push_read(struct c_exec *x, const struct c_access *a, struct c_request r,
                             int guard, enum c_half half, enum cir_order order) {
  struct half h = {.access = a};
  struct stmt s = statement(x, STMT_READ, r.place);
  s.guard = guard;
  s.atomic = x->target->locked;
  add_order(x, &s, half, order);
  h.seen = push_reads(x, a, r, s, &h.first);
  return h;
}

static void push_write(struct c_exec *x, struct c_request r, int guard, struct half h,
                       struct c_pair value) {
  struct stmt s = statement(x, STMT_WRITE, r.place);
  s.guard = guard;
  s.atomic = x->target->locked;
  add_order(x, &s, HALF_RMW_STORE, r.order);
  int same = equal(x, h.seen, value);
  s.echo = same + 1;
  push_writes(x, h.access, r, s, value, h.first);
  /* what writes back the value that it has read changes nothing */
  int effect = c_and(x->p, guard, c_not(x->p, same));
  list_push(x->arena, &x->effects, effect);
}

static void fence_if(struct c_exec *x, struct c_fence_event f, int guard, struct c_request r) {
  int before = x->guard;
  x->guard = guard;
  push_fence(x, f, order_text(x, r.order), r.place);
  x->guard = before;
}

struct c_pair c_read_modify_write_pair(struct c_exec *x, struct c_request r, enum cir_rmw op,
                                       struct c_pair operand) {
  if (c_is_contents(x, r.address)) {
    struct c_pair old = contents_load(x, r);
    contents_store(x, r, modified(x, op, r, old, operand));
    return old;
  }
  r.order = order_at(x, r.place, r.order);
  const struct c_access *a = next_access(x, r);
  x->instruction++;
  fence_if(x, x->target->before(HALF_RMW_LOAD, r.order), x->guard, r);
  struct half h = push_read(x, a, r, x->guard, HALF_RMW_LOAD, r.order);
  push_write(x, r, x->guard, h, modified(x, op, r, h.seen, operand));
  fence_if(x, x->target->after(HALF_RMW_STORE, r.order), x->guard, r);
  return h.seen;
}

/* Whether success and failure are different events. */
static bool differ(const struct c_exec *x, enum cir_order success, enum cir_order failure) {
  if (!x->target->by_outcome)
    return false;
  struct tags a = x->target->access(HALF_LOAD, success), b = x->target->access(HALF_LOAD, failure);
  return !tags_equal(&a, &b) || x->target->before(HALF_RMW_LOAD, success).exists ||
         x->target->after(HALF_RMW_STORE, success).exists;
}

static void note_spurious(struct c_exec *x, int guard) {
  struct c_spurious s = {x->parts.length - 1, guard};
  list_push(x->arena, &x->spurious, s);
}

/* A weak exchange that could succeed does so or not: a truth value. */
static int may_fail(struct c_exec *x, int could, struct place where) {
  int outcome = c_input(x, "outcome", 1, where);
  note_spurious(x, c_and(x->p, could, c_not(x->p, outcome)));
  return outcome;
}

/* The outcome is guessed by an input: each has its own read, and must see what it needs. */
static struct c_pair exchange_by_outcome(struct c_exec *x, const struct c_access *a,
                                         struct c_request r, enum cir_order failure, bool weak,
                                         struct c_pair expected, struct c_pair desired,
                                         int *success) {
  struct program *p = x->p;
  int guess = c_input(x, "outcome", 1, r.place);
  int yes = c_and(p, x->guard, guess), no = c_and(p, x->guard, c_not(p, guess));
  fence_if(x, x->target->before(HALF_RMW_LOAD, r.order), yes, r);
  struct half h = push_read(x, a, r, yes, HALF_RMW_LOAD, r.order);
  fence_if(x, x->target->before(HALF_LOAD, failure), no, r);
  struct half other = push_read(x, a, r, no, HALF_LOAD, failure);
  fence_if(x, x->target->after(HALF_LOAD, failure), no, r);
  int same = equal(x, h.seen, expected), same_other = equal(x, other.seen, expected);
  int fits = c_or(p, c_not(p, yes), same);
  list_push(x->arena, &p->assumes, fits);
  if (weak) {
    note_spurious(x, c_and(p, no, same_other));
  } else {
    fits = c_or(p, c_not(p, no), c_not(p, same_other));
    list_push(x->arena, &p->assumes, fits);
  }
  push_write(x, r, yes, h, desired);
  fence_if(x, x->target->after(HALF_RMW_STORE, r.order), yes, r);
  *success = c_and(p, guess, same); /* the comparison is known, and keeps the dependency */
  return choose(x, guess, h.seen, other.seen);
}

struct c_pair c_compare_exchange_pair(struct c_exec *x, struct c_request r, enum cir_order failure,
                                      bool weak, struct c_pair expected, struct c_pair desired,
                                      int *success) {
  struct program *p = x->p;
  if (c_is_contents(x, r.address)) {
    struct c_pair old = contents_load(x, r);
    *success = equal(x, old, expected);
    contents_store(x, r, choose(x, *success, desired, old));
    return old;
  }
  enum cir_order written = r.order;
  r.order = order_at(x, r.place, r.order);
  if (r.order != written) /* a failure is never ordered more than a success */
    failure = r.order == ORDER_SEQ_CST ? failure
              : r.order == ORDER_ACQ_REL || r.order == ORDER_ACQUIRE
                  ? (failure == ORDER_RELAXED ? failure : ORDER_ACQUIRE)
                  : ORDER_RELAXED;
  const struct c_access *a = next_access(x, r);
  x->instruction++;
  if (differ(x, r.order, failure))
    return exchange_by_outcome(x, a, r, failure, weak, expected, desired, success);
  fence_if(x, x->target->before(HALF_RMW_LOAD, r.order), x->guard, r);
  struct half h = push_read(x, a, r, x->guard, HALF_RMW_LOAD, r.order);
  *success = equal(x, h.seen, expected);
  if (weak)
    *success = c_and(p, *success, may_fail(x, c_and(p, x->guard, *success), r.place));
  push_write(x, r, c_and(p, x->guard, *success), h, desired);
  fence_if(x, x->target->after(HALF_RMW_STORE, r.order), x->guard, r);
  return h.seen;
}

/* Parts are in the order of their statements. */
const struct c_values *c_read_values(const struct c_exec *x, int stmt) {
  int low = 0, high = x->shape->values.length ? x->parts.length : 0; /* none with thin air */
  while (low < high) {
    int middle = (low + high) / 2;
    if (x->parts.data[middle].stmt < stmt)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == x->parts.length || x->parts.data[low].stmt != stmt)
    return NULL;
  int access = x->parts.data[low].access, n = 0; /* its n-th part */
  while (low > n && x->parts.data[low - n - 1].access == access)
    n++;
  const struct c_access *a = c_key_known(x, access);
  return a && n < a->values ? &x->shape->values.data[a->first_value + n] : NULL;
}
