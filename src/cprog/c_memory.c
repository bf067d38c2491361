/* Memory that only one thread sees: objects, their contents as expressions.
 *
 * Used for local variables whose address goes nowhere, and for everything as long as no other thread
 * runs; what it holds then becomes the initial contents. */
#include "cprog/c_memory.h"
#include "base/hash.h"
#include <string.h>

static const int64_t SHARED_FIRST = 0x10000, PRIVATE_FIRST = 0x400000000000;

int c_object_create(struct c_exec *x, struct c_object o) {
  uint64_t key = o.global < 0 ? c_key_next(x)
                              : hash_u64(hash_u64((uint64_t)o.global, 1), (uint64_t)(o.thread + 1));
  o.address = c_key_address(x, key, o.size, o.is_private ? PRIVATE_FIRST : SHARED_FIRST);
  list_push(x->arena, &x->objects, o);
  return x->objects.length - 1;
}

int64_t c_object_address(struct c_exec *x, int global) {
  const struct c_global *g = &x->module->globals.data[global];
  int thread = g->is_thread_local ? x->thread : -1;
  for (int i = 0; i < x->objects.length; i++)
    if (x->objects.data[i].global == global && x->objects.data[i].thread == thread)
      return x->objects.data[i].address;
  if (g->initial_unsupported)
    c_fail(x, g->place, "the initial value of '%s' is of a kind that is not supported", g->name);
  struct c_object o = {.name = g->name,
                       .size = x->module->layouts.data[g->layout].size,
                       .layout = g->layout,
                       .global = global,
                       .thread = thread,
                       .freed = -1,
                       .over = -1,
                       .place = g->place};
  if (thread > 0)
    o.name = arena_format(x->arena, "%s@%s", g->name, x->p->threads.data[thread].name);
  int object = c_object_create(x, o);
  return x->objects.data[object].address;
}

int c_object_at(const struct c_exec *x, int64_t address) {
  for (int i = 0; i < x->objects.length; i++) {
    const struct c_object *o = &x->objects.data[i];
    if (address >= o->address && address < o->address + (o->size ? o->size : 1))
      return i;
  }
  return -1;
}

/* ---- contents ------------------------------------------------------------------------------ */

static int operand_constant(struct c_exec *x, struct c_operand o) {
  if (o.kind == OPERAND_OBJECT)
    return expr_const(x->p, c_object_address(x, (int)o.number) + o.offset);
  return expr_const(x->p,
                    o.kind == OPERAND_FUNCTION ? c_function_address((int)o.number) : o.number);
}

static int shifted(struct c_exec *x, int value, int64_t bytes, int width) {
  int64_t by = bytes < 0 ? -bytes : bytes;
  int e = c_binary(x->p, bytes < 0 ? CIR_LSHR : CIR_SHL, 64, value, expr_const(x->p, by * 8));
  return c_convert(x->p, CIR_TRUNC, width * 8, 64, e);
}

int c_memory_unwritten(struct c_exec *x, int object, int bytes, struct place where) {
  const struct c_object *o = &x->objects.data[object];
  if (!x->fixes_unwritten || x->sequential || o->is_private) /* nobody else sees who reads it */
    return c_contents_input(x, o, bytes, where);
  return expr_const(x->p, (int64_t)((uint64_t)C_UNWRITTEN & c_mask(bytes * 8)));
}

/* What the source says that these bytes are at first. */
static int source_value(struct c_exec *x, int object, int64_t offset, int bytes) {
  struct c_object *o = &x->objects.data[object];
  if (o->is_undefined)
    return c_memory_unwritten(x, object, bytes, o->place);
  int value = expr_const(x->p, 0);
  if (o->global < 0)
    return value;
  const struct c_global *g = &x->module->globals.data[o->global];
  for (int i = 0; i < g->initial.length; i++) {
    struct c_initial n = g->initial.data[i];
    if (n.offset + n.bytes <= offset || n.offset >= offset + bytes)
      continue;
    int whole = operand_constant(x, n.value);
    if (n.offset == offset && n.bytes == bytes)
      return whole;
    value = c_binary(x->p, CIR_OR, 64, value, shifted(x, whole, n.offset - offset, bytes));
  }
  return value;
}

static int compare_cells(const struct c_cell *a, int64_t offset) {
  return a->offset < offset ? -1 : a->offset > offset;
}

static void insert_cell(struct c_exec *x, struct c_object *o, struct c_cell c) {
  list_push(x->arena, &o->cells, c);
  int i = o->cells.length - 1;
  for (; i > 0 && compare_cells(&o->cells.data[i - 1], c.offset) > 0; i--)
    o->cells.data[i] = o->cells.data[i - 1];
  o->cells.data[i] = c;
}

static int cell_over(const struct c_object *o, int64_t offset) {
  for (int i = 0; i < o->cells.length; i++)
    if (offset >= o->cells.data[i].offset &&
        offset < o->cells.data[i].offset + o->cells.data[i].bytes)
      return i;
  return -1;
}

/* A cell of the size that the type has there, or of `bytes`, as far as there is room. */
static void make_cell(struct c_exec *x, int object, int64_t offset, int bytes) {
  const struct c_object *o = &x->objects.data[object];
  struct c_cell c = {.offset = offset, .bytes = bytes, .value = -1};
  for (int i = 0; o->layout >= 0 && i < x->module->layouts.data[o->layout].scalars.length; i++) {
    struct c_scalar s = x->module->layouts.data[o->layout].scalars.data[i];
    if (offset >= s.offset && offset < s.offset + s.bytes && s.bytes <= 8)
      c = (struct c_cell){.offset = s.offset, .bytes = s.bytes, .value = -1};
  }
  for (int64_t at = c.offset; at < c.offset + c.bytes; at++)
    if (cell_over(o, at) >= 0 || at >= o->size) /* something is in the way: one byte */
      c = (struct c_cell){.offset = offset, .bytes = 1, .value = -1};
  c.value = source_value(x, object, c.offset, c.bytes);
  c.is_unwritten = x->objects.data[object].is_undefined;
  insert_cell(x, &x->objects.data[object], c);
}

static void split_cell(struct c_exec *x, struct c_object *o, int cell) {
  struct c_cell old = o->cells.data[cell];
  o->cells.data[cell].bytes = 1;
  o->cells.data[cell].value = c_convert(x->p, CIR_TRUNC, 8, 64, old.value);
  for (int b = 1; b < old.bytes; b++)
    insert_cell(x, o,
                (struct c_cell){old.offset + b, 1, shifted(x, old.value, -b, 1), old.is_unwritten});
}

/* Cells that together are exactly these bytes: the first; they are neighbours. */
static int cover(struct c_exec *x, int object, int64_t offset, int bytes, int *count) {
  for (int64_t at = offset; at < offset + bytes;) {
    struct c_object *o = &x->objects.data[object];
    int c = cell_over(o, at);
    if (c < 0) {
      make_cell(x, object, at, (int)(offset + bytes - at));
    } else if (o->cells.data[c].offset < offset ||
               o->cells.data[c].offset + o->cells.data[c].bytes > offset + bytes) {
      split_cell(x, o, c);
    } else {
      at = o->cells.data[c].offset + o->cells.data[c].bytes;
    }
  }
  const struct c_object *o = &x->objects.data[object];
  int first = cell_over(o, offset);
  *count = 0;
  for (int i = first; i < o->cells.length && o->cells.data[i].offset < offset + bytes; i++)
    ++*count;
  return first;
}

static int load_bytes(struct c_exec *x, int object, int64_t offset, int bytes) {
  int count, first = cover(x, object, offset, bytes, &count);
  const struct c_cell *c = x->objects.data[object].cells.data + first;
  int value = c[0].value;
  for (int i = 1; i < count; i++)
    value = c_binary(x->p, CIR_OR, 64, value, shifted(x, c[i].value, c[i].offset - offset, 8));
  return value;
}

static void store_bytes(struct c_exec *x, int object, int64_t offset, int bytes, int value,
                        int guard) {
  int count, first = cover(x, object, offset, bytes, &count);
  for (int i = 0; i < count; i++) {
    struct c_cell *c = &x->objects.data[object].cells.data[first + i];
    int part = count == 1 ? value : shifted(x, value, offset - c->offset, c->bytes);
    c->is_unwritten = c->is_unwritten && !c_is(x->p, guard, 1);
    c->value = c_choose(x->p, guard, part, c->value);
  }
}

int c_memory_initial(struct c_exec *x, int object, int64_t offset, int bytes) {
  return load_bytes(x, object, offset, bytes);
}

bool c_memory_is_unwritten(struct c_exec *x, int object, int64_t offset, int bytes) {
  int count, first = cover(x, object, offset, bytes, &count);
  for (int i = first; i < first + count; i++)
    if (x->objects.data[object].cells.data[i].is_unwritten)
      return true;
  return false;
}

/* ---- addresses that are not constant -------------------------------------------------------- */

/* Objects whose address occurs in an expression. */
static void find_objects(struct c_exec *x, int e, unsigned char *in, unsigned char *seen) {
  if (seen[e])
    return;
  seen[e] = 1;
  int64_t v;
  if (expr_is_const(x->p, e, &v)) {
    int o = c_object_at(x, v);
    if (o >= 0)
      in[o] = 1;
    return;
  }
  const struct expr *f = &x->p->exprs.data[e];
  for (int i = 0; i < expr_arity(f->kind); i++)
    find_objects(x, f->arg[i], in, seen);
}

/* An address that was read may be in an object that its expression does not name; an index that was
 * read into an object that only we know is harmless. */
static bool depends_on_reads(const struct c_exec *x, int e) {
  const struct expr *f = &x->p->exprs.data[e];
  if (f->kind == EXPR_READ)
    return true;
  if (f->kind == EXPR_ADD) /* base and index: the index is no address */
    return depends_on_reads(x, f->arg[0]) && depends_on_reads(x, f->arg[1]);
  for (int i = f->kind == EXPR_ITE; i < expr_arity(f->kind); i++)
    if (depends_on_reads(x, f->arg[i]))
      return true;
  return false;
}

static unsigned char *objects_of(struct c_exec *x, int e) {
  unsigned char *in = arena_alloc(x->arena, (size_t)x->objects.length + 1);
  find_objects(x, e, in, arena_alloc(x->arena, (size_t)x->p->exprs.length + 1));
  return in;
}

/* Nobody else writes there. */
static bool is_quiet(const struct c_exec *x, int object) {
  const struct c_object *o = &x->objects.data[object];
  return o->is_private || (o->global >= 0 && x->module->globals.data[o->global].is_constant);
}

bool c_is_contents(struct c_exec *x, int address) {
  if (x->sequential)
    return true;
  int64_t v;
  if (expr_is_const(x->p, address, &v)) {
    int o = c_object_at(x, v);
    return o >= 0 && is_quiet(x, o);
  }
  unsigned char *in = objects_of(x, address);
  bool any = false, all = true;
  for (int o = 0; o < x->objects.length; o++) {
    any = any || in[o];
    all = all && (!in[o] || is_quiet(x, o));
  }
  return any && all && !depends_on_reads(x, address);
}

/* Every place that an access of so many bytes can hit, made of whole cells. */
struct hit {
  int object;
  int64_t offset;
  int condition; /* the address is that one */
};

static int find_hits(struct c_exec *x, int address, int bytes, struct hit **hits) {
  LIST(struct hit) list = {0};
  int64_t v;
  if (expr_is_const(x->p, address, &v)) {
    struct hit h = {c_object_at(x, v), 0, expr_const(x->p, 1)};
    if (h.object >= 0) {
      h.offset = v - x->objects.data[h.object].address;
      if (h.offset + bytes <= x->objects.data[h.object].size)
        list_push(x->arena, &list, h);
    }
    *hits = list.data;
    return list.length;
  }
  unsigned char *in = objects_of(x, address);
  for (int o = 0; o < x->objects.length; o++)
    for (int64_t at = 0; in[o] && at + bytes <= x->objects.data[o].size; at += bytes) {
      int place = expr_const(x->p, x->objects.data[o].address + at);
      struct hit h = {o, at, c_equal(x->p, address, place)};
      list_push(x->arena, &list, h);
      if (list.length > 4096)
        c_fail(x, (struct place){0}, "an access that may hit more than 4096 places");
    }
  *hits = list.data;
  return list.length;
}

static void check_hits(struct c_exec *x, struct c_request r, const struct hit *hits, int count) {
  int somewhere = expr_const(x->p, 0);
  for (int i = 0; i < count; i++) {
    somewhere = c_or(x->p, somewhere, hits[i].condition);
    if (x->objects.data[hits[i].object].freed >= 0)
      c_violate(x, VIOLATION_FREE,
                c_and(x->p, hits[i].condition, x->objects.data[hits[i].object].freed), r.place,
                "use after free");
  }
  c_violate_access(x, c_not(x->p, somewhere), r.address, r.bytes, r.place);
}

int c_contents_load(struct c_exec *x, struct c_request r) {
  struct hit *hits;
  int count = find_hits(x, r.address, r.bytes, &hits);
  check_hits(x, r, hits, count);
  int value = expr_const(x->p, 0);
  for (int i = count - 1; i >= 0; i--)
    value = c_choose(x->p, hits[i].condition,
                     load_bytes(x, hits[i].object, hits[i].offset, r.bytes), value);
  return value;
}

void c_contents_store(struct c_exec *x, struct c_request r, int value) {
  struct hit *hits;
  int count = find_hits(x, r.address, r.bytes, &hits);
  check_hits(x, r, hits, count);
  list_push(x->arena, &x->effects, x->guard);
  for (int i = 0; i < count; i++)
    store_bytes(x, hits[i].object, hits[i].offset, r.bytes, value,
                c_and(x->p, x->guard, hits[i].condition));
}

/* What is not constant when threads begin is written by the thread that made it so. */
void c_memory_start(struct c_exec *x) {
  if (!x->sequential)
    return;
  x->sequential = false;
  for (int o = 0; o < x->objects.length; o++)
    for (int c = 0; c < x->objects.data[o].cells.length; c++) {
      const struct c_object *object = &x->objects.data[o];
      struct c_cell *cell = &x->objects.data[o].cells.data[c];
      const struct expr *e = &x->p->exprs.data[cell->value];
      if (object->is_private || e->kind == EXPR_CONST || e->kind == EXPR_INPUT)
        continue;
      struct c_request r = {expr_const(x->p, object->address + cell->offset), cell->bytes, ORDER_NA,
                            object->place};
      int guard = x->guard, value = cell->value;
      x->guard = expr_const(x->p, 1);
      cell->value = expr_const(x->p, 0);
      c_access_store(x, r, value);
      x->guard = guard;
    }
}
