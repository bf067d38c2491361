#include "cprog/c_program.h"
#include "base/check.h"
#include "base/hash.h"
#include "cprog/c_depend.h"
#include "cprog/c_domain.h"
#include "cprog/c_hidden.h"
#include "cprog/c_idle.h"
#include "cprog/c_source.h"
#include <string.h>

/* Which turns of loops there are depends on values that the round before has found, by the number of
 * the access: if that goes round in a circle, it has to stop. */
enum { ROUNDS_MAX = 100, ROUNDS_WITH_VALUES = 40 };

/* ---- which cells there are ------------------------------------------------------------------ */

struct cutter {
  struct c_exec *x;
  unsigned char **cuts; /* by object, by offset: an access begins or ends here */
  struct c_access *accesses;
  int *bytes; /* by access, all of it */
  const struct c_part **first;
  int count;
  bool changed;
  const struct c_part *torn; /* an atomic access that is cut; NULL = none */
};

static void cut(struct cutter *c, int64_t address) {
  int o = c_object_at(c->x, address);
  if (o < 0)
    return;
  unsigned char *at = &c->cuts[o][address - c->x->objects.data[o].address];
  c->changed = c->changed || !*at;
  *at = 1;
}

static bool is_cut(const struct cutter *c, int64_t address) {
  int o = c_object_at(c->x, address);
  return o >= 0 && c->cuts[o][address - c->x->objects.data[o].address];
}

/* All places of an access are cut alike. */
static void refine(struct cutter *c) {
  do {
    c->changed = false;
    for (int a = 0; a < c->count; a++) {
      const struct c_access *access = &c->accesses[a];
      for (int at = 0; at <= c->bytes[a]; at++) {
        bool any = at == c->bytes[a] || at % 8 == 0; /* values have 8 bytes at most */
        for (int i = 0; i < access->candidates.length && !any; i++)
          any = is_cut(c, access->candidates.data[i] + at);
        for (int i = 0; i < access->candidates.length && any; i++)
          cut(c, access->candidates.data[i] + at);
      }
    }
  } while (c->changed);
}

static void find_parts(struct cutter *c, int a) {
  struct c_access *access = &c->accesses[a];
  int start = 0;
  if (!access->candidates.length)
    return;
  for (int at = 1; at <= c->bytes[a]; at++) {
    bool here = at == c->bytes[a] || is_cut(c, access->candidates.data[0] + at);
    int bytes = at - start;
    bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (!here)
      continue;
    if (!whole) { /* three bytes and the like: one by one */
      for (int b = 0; b < bytes; b++) {
        int one = 1;
        list_push(c->x->shape->arena, &access->parts, one);
      }
    } else {
      list_push(c->x->shape->arena, &access->parts, bytes);
    }
    start = at;
  }
  if (access->parts.length == 1)
    access->parts.length = 0;
  if (access->parts.length && c->first[a]->is_atomic && !c->x->joins_parts) {
    access->parts.length = 0; /* a later round may know better who goes where */
    c->torn = c->torn ? c->torn : c->first[a];
  }
}

static void add_span(struct cutter *c, struct c_free *f, struct c_span s) {
  for (int i = 0; i < f->cells.length; i++)
    if (f->cells.data[i].offset == s.offset && f->cells.data[i].bytes == s.bytes)
      return;
  list_push(c->x->shape->arena, &f->cells, s);
}

/* Whether an access may come after the end of a variable: by another thread, or later. */
static bool may_be_late(const struct cutter *c, const struct c_free *f, int access) {
  int thread = c->x->p->stmts.data[c->first[access]->stmt].thread;
  return f->object < 0 || thread != f->thread || access > f->access;
}

/* Cells of an object that somebody else accesses; false if there are none. */
static bool add_cells(struct cutter *c, struct c_free *f, const struct c_object *o) {
  bool any = false;
  for (int a = 0; a < c->count; a++) {
    const struct c_access *access = &c->accesses[a];
    bool follows = !c->first[a] || c->first[a]->follows || !may_be_late(c, f, a);
    for (int i = 0; !follows && i < access->candidates.length; i++) {
      int64_t at = access->candidates.data[i] - o->address;
      if (at < 0 || at >= o->size)
        continue;
      any = true;
      for (int k = 0; k < access->parts.length; at += access->parts.data[k++])
        add_span(c, f, (struct c_span){at, access->parts.data[k]});
      if (!access->parts.length)
        add_span(c, f, (struct c_span){at, c->bytes[a]});
    }
  }
  return any;
}

/* Is this cell written by whoever has allocated it before anybody else can know of it?  Then a race
 * with the allocation is one with that write. */
static bool is_initialised(const struct c_exec *x, const struct c_birth *b, struct c_span cell) {
  const struct c_object *o = &x->objects.data[b->object];
  for (int i = b->stmt; i < x->p->stmts.length; i++) {
    const struct stmt *s = &x->p->stmts.data[i];
    int64_t at;
    if (s->thread != b->thread || s->kind != STMT_WRITE || s->births)
      continue;
    if (s->guard != b->guard || !tags_has(&s->tags, TAG_NA) || s->frees ||
        !expr_is_const(x->p, s->address, &at) || at < o->address || at >= o->address + o->size)
      return false;
    if (at == o->address + cell.offset && s->bits == cell.bytes * 8)
      return true;
  }
  return false;
}

/* Where memory that a thread allocates may be used by others. */
static uint64_t keep_births(struct cutter *c, uint64_t h) {
  struct c_exec *x = c->x;
  for (int i = 0; i < x->births.length; i++) {
    struct c_birth b = x->births.data[i];
    struct c_free others = {.object = b.object, .thread = b.thread, .access = c->count};
    add_cells(c, &others, &x->objects.data[b.object]);
    for (int k = 0; k < others.cells.length; k++)
      if (!is_initialised(x, &b, others.cells.data[k])) {
        list_push(x->shape->arena, &c->accesses[b.access].ends, others.cells.data[k]);
        h = hash_u64(h, (uint64_t)others.cells.data[k].offset * 16 +
                            (uint64_t)others.cells.data[k].bytes);
      }
    h = hash_u64(h, (uint64_t)c->accesses[b.access].ends.length);
  }
  return h;
}

/* What each call of free may free. */
static uint64_t keep_frees(struct cutter *c, const struct values *domain, uint64_t h) {
  struct c_exec *x = c->x;
  x->shape->heap.length = 0;
  for (int o = 0; o < x->objects.length; o++)
    if (x->objects.data[o].is_heap) {
      list_push(x->shape->arena, &x->shape->heap, x->objects.data[o].address);
      h = hash_u64(h, (uint64_t)x->objects.data[o].address);
    }
  for (int i = 0; i < x->frees.length; i++) {
    struct c_free f = x->frees.data[i];
    struct values v = domain[f.address];
    const uint64_t *origin = x->origins + (size_t)f.address * x->origin_words;
    for (int o = 0; o < x->objects.length; o++) {
      const struct c_object *object = &x->objects.data[o];
      bool may = v.count < 0 ? origin[o / 64] >> o % 64 & 1 : values_contain(v, object->address);
      may = f.object == o || (f.object < 0 && object->is_heap && may);
      if (may && !add_cells(c, &f, object) && f.object < 0) /* nobody else: for a second free */
        add_span(c, &f, (struct c_span){0, 1});
    }
    h = hash_u64(h, (uint64_t)f.cells.length);
    for (int k = 0; k < f.cells.length; k++)
      h = hash_u64(h, (uint64_t)f.cells.data[k].offset * 16 + (uint64_t)f.cells.data[k].bytes);
    memcpy(&c->accesses[f.access].ends, &f.cells, sizeof f.cells);
  }
  return h;
}

static uint64_t hash_accesses(const struct cutter *c) {
  uint64_t h = hash_u64(c->x->shape->joined, (uint64_t)c->count);
  for (int a = 0; a < c->count; a++) {
    const struct c_access *access = &c->accesses[a];
    h = hash_u64(h, c->x->keys.data[a]);
    for (int i = 0; i < access->candidates.length; i++)
      h = hash_u64(h, (uint64_t)access->candidates.data[i]);
    for (int i = 0; i < access->parts.length; i++)
      h = hash_u64(h, (uint64_t)access->parts.data[i]);
    h = hash_u64(h, (uint64_t)access->parts.length * 64 + (uint64_t)access->bytes);
    h = hash_u64(h, access->clashes);
  }
  return h;
}

static void keep_functions(struct c_exec *x, int e, struct c_values *v) {
  const uint64_t *origin = x->origins + (size_t)e * x->origin_words + x->origin_functions;
  for (int f = 0; f < x->module->functions.length; f++)
    if (origin[f / 64] >> f % 64 & 1)
      list_push(x->shape->arena, &v->functions, f);
}

/* Values of reads, by part.  Relying on them in the next round is sound without thin air: the first
 * read of an execution that saw something else would have to see a write which they allow. */
static uint64_t keep_values(struct c_exec *x, const struct values *domain, int count, uint64_t h) {
  x->shape->values.length = 0;
  for (int i = 0; i < x->parts.length; i++) {
    struct c_values v = {.count = -1};
    const struct c_part *p = &x->parts.data[i];
    if (x->p->stmts.data[p->stmt].kind == STMT_READ) {
      int e = expr_leaf(x->p, EXPR_READ, p->stmt);
      if (e < count)
        v = (struct c_values){.data = domain[e].data, .count = domain[e].count};
      if (e < count && v.count < 0)
        keep_functions(x, e, &v);
    }
    h = hash_u64(h, (uint64_t)(int64_t)v.count);
    for (int k = 0; k < v.count; k++)
      h = hash_u64(h, (uint64_t)v.data[k]);
    for (int k = 0; k < v.functions.length; k++)
      h = hash_u64(h, (uint64_t)v.functions.data[k]);
    list_push(x->shape->arena, &x->shape->values, v);
  }
  return h;
}

/* True if this round has found out nothing new. */
static bool update_shape(struct c_exec *x, const struct values *domain, int count, bool thin_air) {
  struct c_shape *shape = x->shape;
  struct cutter c = {.x = x, .count = x->keys.length};
  size_t n = (size_t)c.count + 1;
  c.accesses = arena_alloc(shape->arena, n * sizeof *c.accesses);
  c.bytes = arena_alloc(x->arena, n * sizeof *c.bytes);
  c.first = arena_alloc(x->arena, n * sizeof *c.first);
  c.cuts = arena_alloc(x->arena, ((size_t)x->objects.length + 1) * sizeof *c.cuts);
  for (int o = 0; o < x->objects.length; o++)
    c.cuts[o] = arena_alloc(x->arena, (size_t)x->objects.data[o].size + 2);
  for (int i = 0; i < x->parts.length; i++) {
    const struct c_part *p = &x->parts.data[i];
    c.bytes[p->access] = p->access_bytes;
    if (!c.accesses[p->access].values++)
      c.accesses[p->access].first_value = i;
    if ((p->offset == 0 || p->follows) && !c.first[p->access])
      c.first[p->access] = p;
  }
  for (int a = 0; a < c.count; a++) {
    if (!c.first[a] || c.first[a]->follows)
      continue;
    struct values v =
        c_domain_addresses(x, domain, x->p->stmts.data[c.first[a]->stmt].address, c.bytes[a]);
    c.accesses[a].known = true;
    c.accesses[a].bytes = c.bytes[a];
    for (int i = 0; i < v.count; i++)
      list_push(shape->arena, &c.accesses[a].candidates, v.data[i]);
  }
  refine(&c);
  for (int a = 0; a < c.count; a++)
    find_parts(&c, a);
  if (x->keeps_idle)
    c_idle_find(x, domain, c.accesses);
  shape->joined |= x->joined; /* never less: what follows a join in vain may join others */
  uint64_t hash = keep_births(&c, keep_frees(&c, domain, hash_accesses(&c)));
  hash = hash_u64(hash, (uint64_t)x->mutex_kinds * 2 + x->destroys);
  shape->mutex_kinds = x->mutex_kinds;
  shape->destroys = x->destroys;
  hash = hash_u64(hash, (uint64_t)x->condition_waits);
  shape->condition_waits = x->condition_waits;
  if (!thin_air)
    hash = keep_values(x, domain, count, hash);
  c_key_keep(x);
  bool stable = shape->hash == hash && shape->joined_known;
  shape->hash = hash;
  shape->joined_known = true;
  shape->accesses.data = c.accesses;
  shape->accesses.length = shape->accesses.capacity = c.count;
  if (stable && x->unknown_call)
    c_fail(x, x->unknown_call->place,
           "a call through a pointer of which not all functions are known");
  if (stable && c.torn)
    c_fail(x, x->p->stmts.data[c.torn->stmt].place,
           "an atomic access %s: the model does not say that its parts belong together (it uses "
           "none of sm, si and same-instance)",
           c.torn->access_bytes > 8 ? "of 16 bytes"
                                    : "to memory that is also accessed in other sizes");
  return stable;
}

/* ---- locations ------------------------------------------------------------------------------ */

static const char *location_name(struct c_exec *x, const struct c_object *o, int64_t offset,
                                 int bytes) {
  if (offset == 0 && bytes == o->size)
    return o->name;
  return arena_format(x->arena, "%s+%lld", o->name, (long long)offset);
}

static void add_location(struct c_exec *x, int64_t address, int bytes) {
  for (int l = 0; l < x->p->locations.length; l++)
    if (x->p->locations.data[l].address == address)
      return;
  int object = c_object_at(x, address);
  int64_t offset = address - x->objects.data[object].address;
  int initial = c_memory_initial(x, object, offset, bytes);
  const struct c_object *o = &x->objects.data[object];
  const struct expr *e = &x->p->exprs.data[initial];
  struct location l = {.name = location_name(x, o, offset, bytes),
                       .array = -1,
                       .line = x->p->locations.length,
                       .unwritten = c_memory_is_unwritten(x, object, offset, bytes),
                       .address = address,
                       .place = o->place};
  if (e->kind == EXPR_CONST)
    l.initial = e->value;
  else if (e->kind == EXPR_INPUT)
    l.input = (int)e->value + 1;
  else if (o->is_undefined) {
    c_contents_input(x, o, bytes, o->place);
    l.input = x->p->inputs.length;
  } else
    c_fail(x, o->place, "'%s' has an initial value that is not supported", l.name);
  program_add_location(x->p, l);
}

/* The beginning and the end of memory have the sizes of other accesses, or none in particular. */
static void add_locations(struct c_exec *x, const struct values *domain) {
  for (int i = 0; i < 2 * x->parts.length; i++) {
    const struct c_part *p = &x->parts.data[i % x->parts.length];
    if (p->follows != (i >= x->parts.length))
      continue;
    struct values v = c_domain_addresses(x, domain, x->p->stmts.data[p->stmt].address, p->bytes);
    for (int k = 0; k < v.count; k++)
      add_location(x, v.data[k], p->bytes);
  }
}

/* ---- the finished program -------------------------------------------------------------------- */

/* Value sets by expression become what the encoder asks for: addresses, and values of reads. */
static struct domains *make_domains(struct c_exec *x, const struct values *domain, int count,
                                    const struct values *addresses) {
  struct program *p = x->p;
  struct domains *d = arena_alloc(x->arena, sizeof *d);
  d->expr = arena_alloc(x->arena, (size_t)p->exprs.length * sizeof *d->expr + 1);
  d->read = arena_alloc(x->arena, (size_t)p->stmts.length * sizeof *d->read + 1);
  for (int e = 0; e < p->exprs.length; e++) {
    const struct expr *f = &p->exprs.data[e];
    struct values any = {NULL, -1};
    d->expr[e] = e < count ? domain[e] : any;
    if (f->kind == EXPR_CONST)
      d->expr[e] = (struct values){&p->exprs.data[e].value, 1};
    if (f->kind == EXPR_READ)
      d->read[f->value] = d->expr[e];
  }
  for (int e = 0; e < count; e++)
    if (addresses[e].data)
      d->expr[e] = addresses[e];
  for (int s = 0; s < p->stmts.length; s++)
    if (p->stmts.data[s].kind == STMT_WRITE) {
      struct values v = d->expr[p->stmts.data[s].value];
      d->bits |= v.count < 0 ? ~(uint64_t)0 : 0;
      for (int i = 0; i < v.count; i++)
        d->bits |= (uint64_t)v.data[i];
    }
  return d;
}

static struct values either(struct c_exec *x, struct values a, struct values b) {
  LIST(int64_t) all = {0};
  for (int i = 0; i < a.count; i++)
    list_push(x->arena, &all, a.data[i]);
  for (int i = 0; i < b.count; i++)
    if (!values_contain(a, b.data[i]))
      list_push(x->arena, &all, b.data[i]);
  return (struct values){all.data, all.length};
}

/* By expression: the places that accesses with this address may touch, of whatever size. */
static struct values *place_sets(struct c_exec *x, const struct values *domain) {
  struct values *sets = arena_alloc(x->arena, (size_t)x->p->exprs.length * sizeof *sets + 1);
  unsigned *sizes =
      arena_alloc(x->arena, (size_t)x->p->exprs.length * sizeof *sizes + 1); /* done */
  for (int i = 0; i < x->parts.length; i++) {
    const struct c_part *p = &x->parts.data[i];
    int e = x->p->stmts.data[p->stmt].address;
    if (expr_is_const(x->p, e, NULL) || (sizes[e] & 1u << p->bytes))
      continue;
    sizes[e] |= 1u << p->bytes;
    sets[e] = either(x, sets[e], c_domain_addresses(x, domain, e, p->bytes));
  }
  return sets;
}

static int any_of(struct c_exec *x, const int *guards, int count) {
  int all = expr_const(x->p, 0);
  for (int i = 0; i < count; i++)
    all = expr_make(x->p, EXPR_LOR, all, guards[i], -1);
  return all;
}

static void finish(struct c_exec *x, struct c_program *c, const struct values *domain, int count) {
  struct program *p = x->p;
  int *guards = arena_alloc(x->arena, (size_t)(x->violations.length + x->bounds.length + 1) * 4);
  for (int i = 0; i < x->violations.length; i++)
    guards[i] = x->violations.data[i].guard;
  c->violated = any_of(x, guards, x->violations.length);
  for (int i = 0; i < x->bounds.length; i++)
    guards[i] = x->bounds.data[i].guard;
  c->bounded = any_of(x, guards, x->bounds.length);
  c->violated_or_bounded = expr_make(p, EXPR_LOR, c->violated, c->bounded, -1);
  c->completed = expr_const(p, 1);
  for (int t = 1; t < x->completed.length; t++)
    c->completed = c_and(p, c->completed, x->completed.data[t]);
  p->condition = c->violated;
  p->condition_text = "an assertion fails";
  c->has_loose = !x->keeps_idle && c_idle_find(x, domain, NULL);
  add_locations(x, domain);
  struct values *places = place_sets(x, domain);
  c_source_texts(x);
  c_find_dependencies(p);
  struct c_hidden_pairs hidden = {0};
  if (x->coherent)
    hidden = c_hidden_pairs(x);
  program_finish(p);
  if (x->coherent)
    c_hidden_note(x, &hidden);
  c->program = p;
  c->domains = make_domains(x, domain, count, places);
  c->module = x->module;
  c->objects = x->objects.data;
  c->object_count = x->objects.length;
  c->origins = x->origins;
  c->origin_words = x->origin_words;
  for (int s = 0; s < p->stmts.length; s++)
    c->has_frees = c->has_frees || p->stmts.data[s].frees;
  c->violations = x->violations.data;
  c->violation_count = x->violations.length;
  c->bounds = x->bounds.data;
  c->bound_count = x->bounds.length;
  c->waits = x->waits.data;
  c->wait_count = x->waits.length;
  c->ends = x->completed.data;
  c->reached = x->reached;
  c->fixes_unwritten = x->fixes_unwritten;
  c->asks_order = x->asks_order;
}

static unsigned char **reached_nothing(const struct c_module *m, struct arena *a) {
  unsigned char **reached = arena_alloc(a, (size_t)(m->functions.length + 1) * sizeof *reached);
  for (int f = 0; f < m->functions.length; f++)
    reached[f] = arena_alloc(a, (size_t)m->functions.data[f].code.length + 1);
  return reached;
}

struct c_program *c_program_build(const struct c_module *m, const struct c_options *o,
                                  struct arena *a, struct diag *d) {
  struct c_program *c = arena_alloc(a, sizeof *c);
  struct c_shape shape = {.arena = a};
  struct c_exec *x = arena_alloc(a, sizeof *x);
  if (setjmp(x->fail))
    return NULL;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    jmp_buf keep;
    memcpy(keep, x->fail, sizeof keep);
    memset(x, 0, sizeof *x);
    memcpy(x->fail, keep, sizeof keep);
    x->arena = a;
    x->module = m;
    x->target = o->target;
    x->shape = &shape;
    x->overrides = o->overrides;
    x->override_count = o->override_count;
    x->unroll = o->unroll;
    x->joins_parts = o->joins_parts;
    x->everywhere = o->everywhere;
    x->coherent = o->coherent;
    x->control = o->control;
    x->keeps_idle = o->keeps_idle;
    x->fixes_unwritten = o->fixes_unwritten;
    x->diag = d;
    shape.all_turns = round >= ROUNDS_WITH_VALUES;
    x->p = program_create(a, m->file);
    x->p->arch = "C";
    x->p->bitwise = true;
    x->reached = reached_nothing(m, a);
    c_run_program(x);
    int count = x->p->exprs.length;
    const struct values *domain = c_domain_compute(x, o->thin_air);
    if (update_shape(x, domain, count, o->thin_air)) {
      finish(x, c, domain, count);
      c->thin_air = o->thin_air;
      return c;
    }
  }
  diag_set(d, (struct place){m->file, 0, 0},
           "which memory the accesses touch did not settle in %d rounds", ROUNDS_MAX);
  return NULL;
}
