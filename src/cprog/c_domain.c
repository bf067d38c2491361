#include "cprog/c_domain.h"
#include "cprog/c_hidden.h"
#include "cprog/c_low.h"
#include "cprog/c_memory.h"
#include <stdlib.h>
#include <string.h>

enum { SET_MAX = 64, PRODUCT_MAX = 4096, PLACES_MAX = 4096 };

static const struct values anything = {NULL, -1};

struct initial { /* contents of memory before any thread */
  int64_t address;
  int bytes;
  bool is_constant;
  int64_t value;
  bool is_unwritten;
};

static const int64_t UNWRITTEN = C_UNWRITTEN, NEAR = 0x10000000; /* in a guess */

struct builder {
  struct c_exec *x;
  bool guesses;
  struct program *p;
  struct arena *arena;
  struct values *domain; /* by expression */
  uint64_t *origin;      /* by expression: objects that it may be an address in, then functions */
  size_t words, object_words;
  int exprs;
  struct values *read;    /* by part */
  uint64_t *read_origin;  /* by part */
  int *part_of;           /* by statement, -1 = none */
  struct values *written; /* by part: what it wrote as of the last round; none if it cannot run */
  const int *hiders;      /* see c_hidden.h; NULL = the model hides nothing */
  LIST(struct initial) initials;
  int64_t scratch[PRODUCT_MAX + 2 * SET_MAX + 2];
  int used;
  bool origin_changed;
};

static int compare_values(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static struct values take(struct builder *b) {
  int n = 0;
  qsort(b->scratch, (size_t)b->used, sizeof *b->scratch, compare_values);
  for (int i = 0; i < b->used; i++)
    if (!n || b->scratch[n - 1] != b->scratch[i])
      b->scratch[n++] = b->scratch[i];
  b->used = 0;
  if (n > SET_MAX)
    return anything;
  int64_t *data = arena_alloc(b->arena, (size_t)n * sizeof *data + 1);
  memcpy(data, b->scratch, (size_t)n * sizeof *data);
  return (struct values){data, n};
}

static bool same(struct values a, struct values b) {
  return a.count == b.count &&
         (a.count <= 0 || !memcmp(a.data, b.data, (size_t)a.count * sizeof *a.data));
}

static struct values join(struct builder *b, struct values u, struct values v) {
  if (u.count < 0 || v.count < 0)
    return anything;
  if (!v.count || !u.count)
    return v.count ? v : u;
  for (int i = 0; i < u.count; i++)
    b->scratch[b->used++] = u.data[i];
  for (int i = 0; i < v.count; i++)
    b->scratch[b->used++] = v.data[i];
  return take(b);
}

static struct values range(struct builder *b, uint64_t count, uint64_t mask) {
  if (count) {
    for (uint64_t i = 0; i < count; i++)
      b->scratch[b->used++] = (int64_t)i;
  } else {
    uint64_t sub = 0;
    do { /* all subsets of the mask's bits */
      b->scratch[b->used++] = (int64_t)sub;
      sub = (sub - mask) & mask;
    } while (sub);
  }
  return take(b);
}

static bool is_truth(enum expr_kind k) {
  return (k >= EXPR_EQ && k <= EXPR_ULE) || k == EXPR_LAND || k == EXPR_LOR || k == EXPR_LNOT;
}

/* Operators that make something finite of anything. */
static struct values bounded(struct builder *b, const struct expr *e) {
  for (int i = 0; i < 2 && e->kind == EXPR_AND; i++) {
    struct values v = b->domain[e->arg[i]];
    uint64_t bits = 0;
    for (int k = 0; k < v.count; k++)
      bits |= (uint64_t)v.data[k];
    if (v.count > 0 && __builtin_popcountll(bits) <= 6)
      return range(b, 0, bits);
  }
  struct values m = b->domain[e->arg[1]];
  if (e->kind == EXPR_UMOD && m.count == 1 && m.data[0] > 0 && m.data[0] <= SET_MAX)
    return range(b, (uint64_t)m.data[0], 0);
  return anything;
}

/* Does it compare something that nobody has written? */
static bool is_unknown_truth(const struct builder *b, const struct expr *e) {
  if (!b->guesses || !is_truth(e->kind))
    return false;
  for (int i = 0; i < expr_arity(e->kind); i++) {
    struct values v = b->domain[e->arg[i]];
    for (int k = 0; k < v.count; k++)
      if (v.data[k] > UNWRITTEN - NEAR && v.data[k] < UNWRITTEN + NEAR)
        return true;
  }
  return false;
}

static struct values operator_values(struct builder *b, const struct expr *e) {
  int arity = expr_arity(e->kind);
  struct values one = {(const int64_t[]){0}, 1}, v[3] = {one, one, one};
  for (int i = 0; i < arity; i++)
    v[i] = b->domain[e->arg[i]];
  if (e->kind == EXPR_ITE) {
    if (v[0].count == 1)
      return v[0].data[0] ? v[1] : v[2];
    return v[0].count ? join(b, v[1], v[2]) : (struct values){NULL, 0};
  }
  if (is_unknown_truth(b, e) || (is_truth(e->kind) && (v[0].count < 0 || v[1].count < 0)))
    return range(b, 2, 0);
  if (v[0].count < 0 || v[1].count < 0)
    return bounded(b, e);
  if (v[0].count * v[1].count > PRODUCT_MAX)
    return is_truth(e->kind) ? range(b, 2, 0) : anything;
  for (int i = 0; i < v[0].count; i++)
    for (int j = 0; j < v[1].count; j++)
      b->scratch[b->used++] = expr_apply(e->kind, v[0].data[i], v[1].data[j], 0);
  return take(b);
}

static void add_origins(struct builder *b, uint64_t *to, const uint64_t *from) {
  for (size_t w = 0; w < b->words; w++) {
    b->origin_changed = b->origin_changed || (from[w] & ~to[w]);
    to[w] |= from[w];
  }
}

static void add_origin(struct builder *b, uint64_t *to, size_t bit) {
  uint64_t mask = (uint64_t)1 << bit % 64;
  if (!(to[bit / 64] & mask)) {
    to[bit / 64] |= mask;
    b->origin_changed = true;
  }
}

/* What a constant may be the address of. */
static void add_target(struct builder *b, uint64_t *to, int64_t address) {
  int o = c_object_at(b->x, address), f = c_function_at(b->x->module, address);
  if (o < 0 && address > 0) /* one behind the end still comes from the object */
    o = c_object_at(b->x, address - 1);
  if (o >= 0)
    add_origin(b, to, (size_t)o);
  if (f >= 0)
    add_origin(b, to, b->object_words * 64 + (size_t)f);
}

static const struct values unwritten = {&UNWRITTEN, 1};

static struct values input_values(struct builder *b, const struct input *i) {
  if (b->guesses && i->is_contents)
    return unwritten;
  return i->bits == 1 ? range(b, 2, 0) : anything;
}

static void update_read(struct builder *b, int r);

static bool update_expr(struct builder *b, int n) {
  const struct expr *e = &b->p->exprs.data[n];
  struct values old = b->domain[n], new;
  uint64_t *origin = b->origin + (size_t)n * b->words;
  switch (e->kind) {
  case EXPR_CONST:
    if (old.count)
      return false;
    b->scratch[b->used++] = e->value;
    new = take(b);
    add_target(b, origin, e->value);
    break;
  case EXPR_INPUT:
    new = input_values(b, &b->p->inputs.data[e->value]);
    break;
  case EXPR_READ:
    update_read(b, b->part_of[e->value]);
    new = b->read[b->part_of[e->value]];
    add_origins(b, origin, b->read_origin + (size_t)b->part_of[e->value] * b->words);
    break;
  default:
    new = operator_values(b, e);
    for (int i = e->kind == EXPR_ITE; i < expr_arity(e->kind) && !is_truth(e->kind); i++)
      if (e->kind != EXPR_MUL && e->kind != EXPR_DIV && e->kind != EXPR_UDIV)
        add_origins(b, origin, b->origin + (size_t)e->arg[i] * b->words);
  }
  b->domain[n] = new;
  return !same(old, new);
}

/* ---- memory ------------------------------------------------------------------------------- */

static const struct initial *initial_at(struct builder *b, int64_t address, int bytes) {
  for (int i = 0; i < b->initials.length; i++)
    if (b->initials.data[i].address == address && b->initials.data[i].bytes == bytes)
      return &b->initials.data[i];
  struct initial n = {.address = address, .bytes = bytes};
  int o = c_object_at(b->x, address);
  int e = c_memory_initial(b->x, o, address - b->x->objects.data[o].address, bytes);
  n.is_constant = expr_is_const(b->p, e, &n.value);
  n.is_unwritten = b->p->exprs.data[e].kind == EXPR_INPUT;
  list_push(b->arena, &b->initials, n);
  return &b->initials.data[b->initials.length - 1];
}

static bool meets(const struct builder *b, uint64_t *const *origins, int r, int w) {
  for (size_t i = 0; i < b->object_words; i++)
    if (origins[r][i] & origins[w][i])
      return true;
  return false;
}

static struct values addresses_of(const struct builder *b, int e) {
  return b->x->guess ? b->x->guess[e] : b->domain[e];
}

/* May two parts touch a common byte?  *whole: wherever they do, they are the same bytes.  An access
 * outside of all objects (a field of what null points to) goes wrong, and touches nothing. */
static bool overlap(struct builder *b, int r, int w, bool *whole) {
  const struct c_part *p = &b->x->parts.data[r], *q = &b->x->parts.data[w];
  int e = b->p->stmts.data[p->stmt].address, f = b->p->stmts.data[q->stmt].address;
  struct values u = addresses_of(b, e), v = addresses_of(b, f);
  *whole = p->bytes == q->bytes;
  if (u.count < 0 || v.count < 0) {
    if (!c_low_may_meet(c_low(b->p, b->domain, e), p->bytes, c_low(b->p, b->domain, f), q->bytes))
      return false;
    uint64_t *origins[2] = {b->origin + (size_t)e * b->words, b->origin + (size_t)f * b->words};
    return meets(b, origins, 0, 1);
  }
  bool any = false;
  for (int i = 0; i < u.count; i++)
    for (int j = 0; j < v.count; j++)
      if (u.data[i] < v.data[j] + q->bytes && v.data[j] < u.data[i] + p->bytes &&
          c_object_at(b->x, u.data[i]) >= 0 && c_object_at(b->x, v.data[j]) >= 0) {
        any = true;
        *whole = *whole && u.data[i] == v.data[j];
      }
  return any;
}

static bool can_run(const struct builder *b, const struct stmt *s) {
  struct values guard = b->domain[s->guard];
  bool can = guard.count < 0;
  for (int i = 0; i < guard.count; i++)
    can = can || guard.data[i];
  return can;
}

static void update_read(struct builder *b, int r) {
  const struct c_part *part = &b->x->parts.data[r];
  int address = b->p->stmts.data[part->stmt].address;
  struct values sum = b->read[r];
  if (!can_run(b, &b->p->stmts.data[part->stmt]))
    return;
  uint64_t *origin = b->read_origin + (size_t)r * b->words;
  for (int w = 0; w < b->x->parts.length; w++) {
    const struct stmt *s = &b->p->stmts.data[b->x->parts.data[w].stmt];
    bool whole;
    if (s->kind != STMT_WRITE || !b->written[w].count || !overlap(b, r, w, &whole) ||
        (b->hiders && !c_hidden_sees(b->x, b->hiders, r, w)))
      continue;
    sum = join(b, sum, whole ? b->written[w] : anything);
    add_origins(b, origin, b->origin + (size_t)s->value * b->words);
  }
  struct values places = c_domain_addresses(b->x, b->domain, address, part->bytes);
  bool written_before = b->hiders && b->hiders[r] >= 0;
  for (int i = 0; !written_before && i < places.count; i++) {
    const struct initial *n = initial_at(b, places.data[i], part->bytes);
    add_target(b, origin, n->is_constant ? n->value : 0);
    if (n->is_constant && sum.count >= 0) {
      struct values one = {&n->value, 1};
      sum = join(b, sum, one);
    } else if (n->is_unwritten && b->guesses) {
      sum = join(b, sum, unwritten);
    } else {
      sum = anything;
    }
  }
  if (part->bytes == 1 && sum.count > SET_MAX)
    sum = anything;
  b->read[r] = sum;
}

struct places {
  struct c_exec *x;
  struct low low; /* of the address */
  LIST(int64_t) list;
};

static void add_place(struct places *p, int64_t address) {
  if (!c_low_may_be(p->low, address))
    return;
  for (int i = 0; i < p->list.length; i++)
    if (p->list.data[i] == address)
      return;
  list_push(p->x->arena, &p->list, address);
  if (p->list.length > PLACES_MAX)
    c_fail(p->x, (struct place){0}, "an access that may be in more than %d places", PLACES_MAX);
}

/* Memory whose type says nothing: from malloc, or an array of bytes. */
static bool is_raw(const struct c_exec *x, const struct c_object *o) {
  const struct c_layout *l = o->layout >= 0 ? &x->module->layouts.data[o->layout] : NULL;
  for (int i = 0; l && i < l->scalars.length; i++)
    if (l->scalars.data[i].bytes > 1)
      return false;
  return true;
}

/* Where an object has values of so many bytes: by its type, which may say nowhere; if it has none, by
 * the accesses whose addresses are known, else everywhere.  That may leave out some, which
 * c_check_module finds out. */
static void add_typed_places(struct places *p, const struct values *domain, int object, int bytes) {
  const struct c_object *o = &p->x->objects.data[object];
  int before = p->list.length;
  bool raw = is_raw(p->x, o);
  for (int i = 0; o->layout >= 0 && i < p->x->module->layouts.data[o->layout].scalars.length; i++) {
    struct c_scalar s = p->x->module->layouts.data[o->layout].scalars.data[i];
    if (s.bytes == bytes)
      add_place(p, o->address + s.offset);
  }
  for (int q = 0; raw && q < p->x->parts.length; q++) {
    const struct c_part *part = &p->x->parts.data[q];
    int e = p->x->p->stmts.data[part->stmt].address;
    struct values v = p->x->guess ? p->x->guess[e] : domain[e];
    for (int i = 0; part->bytes == bytes && i < v.count; i++)
      if (v.data[i] >= o->address && v.data[i] + bytes <= o->address + o->size)
        add_place(p, v.data[i]);
  }
  bool everywhere = p->x->everywhere || (raw && p->list.length == before);
  for (int64_t at = 0; everywhere && at + bytes <= o->size; at += bytes)
    add_place(p, o->address + at);
}

struct values c_domain_addresses(struct c_exec *x, const struct values *domain, int address,
                                 int bytes) {
  struct places p = {.x = x, .low = c_low(x->p, domain, address)};
  struct values v = x->guess ? x->guess[address] : domain[address];
  for (int i = 0; i < v.count; i++) {
    int o = c_object_at(x, v.data[i]);
    const struct c_object *object = o >= 0 ? &x->objects.data[o] : NULL;
    if (object && !object->is_private && v.data[i] + bytes <= object->address + object->size)
      add_place(&p, v.data[i]);
  }
  const uint64_t *origin = v.count < 0 ? x->origins + (size_t)address * x->origin_words : NULL;
  for (int o = 0; origin && o < x->objects.length; o++)
    if ((origin[o / 64] >> o % 64 & 1) && !x->objects.data[o].is_private)
      add_typed_places(&p, domain, o, bytes);
  return (struct values){p.list.data, p.list.length};
}

/* Values that go round in a circle: without thin air they stop by themselves. */
static void widen(struct builder *b) {
  for (int r = 0; r < b->x->parts.length; r++)
    if (b->read[r].count)
      b->read[r] = anything;
}

static void publish_writes(struct builder *b) {
  for (int i = 0; i < b->x->parts.length; i++) {
    const struct stmt *s = &b->p->stmts.data[b->x->parts.data[i].stmt];
    if (s->kind == STMT_WRITE && can_run(b, s))
      b->written[i] = b->domain[s->value];
  }
}

/* Every round brings values one write further, and through all that a thread does in between: the
 * guard and the address of a read come before what it reads, in the order of expressions. */
static void iterate(struct builder *b, int writes, bool thin_air) {
  for (int round = 0; round <= writes + 2 || thin_air; round++) {
    bool changed = false;
    for (int e = 0; e < b->exprs; e++)
      changed = update_expr(b, e) || changed;
    if (!changed && !b->origin_changed)
      break;
    b->origin_changed = false;
    publish_writes(b);
    if (thin_air && round == writes + 2)
      widen(b);
  }
}

/* Reads without a value so far are not executed, which makes them 0 (values_bits.c): a condition may
 * speak of them nevertheless, as one of two ways to a place does that nobody takes. */
static bool give_up_reads(struct builder *b) {
  static const int64_t zero = 0;
  bool any = false;
  for (int r = 0; r < b->x->parts.length; r++)
    if (b->p->stmts.data[b->x->parts.data[r].stmt].kind == STMT_READ && !b->read[r].count) {
      b->read[r] = (struct values){&zero, 1};
      any = true;
    }
  return any;
}

static struct values *compute(struct c_exec *x, bool guesses, bool thin_air) {
  struct builder *b = arena_alloc(x->arena, sizeof *b);
  b->x = x;
  b->p = x->p;
  b->arena = x->arena;
  b->guesses = guesses;
  b->exprs = x->p->exprs.length;
  b->object_words = (size_t)(x->objects.length + 63) / 64;
  b->words = b->object_words + (size_t)(x->module->functions.length + 63) / 64;
  b->domain = arena_alloc(x->arena, (size_t)b->exprs * sizeof *b->domain + 1);
  b->origin = arena_alloc(x->arena, (size_t)b->exprs * b->words * sizeof *b->origin + 1);
  b->read = arena_alloc(x->arena, (size_t)x->parts.length * sizeof *b->read + 1);
  b->read_origin = arena_alloc(x->arena, (size_t)x->parts.length * b->words * 8 + 1);
  b->written = arena_alloc(x->arena, (size_t)x->parts.length * sizeof *b->written + 1);
  b->part_of = arena_alloc(x->arena, (size_t)x->p->stmts.length * sizeof *b->part_of + 1);
  x->origins = b->origin;
  x->origin_words = b->words;
  x->origin_functions = b->object_words;
  int writes = 0;
  for (int i = 0; i < x->parts.length; i++) {
    b->part_of[x->parts.data[i].stmt] = i;
    writes += x->p->stmts.data[x->parts.data[i].stmt].kind == STMT_WRITE;
  }
  b->hiders = x->coherent ? c_hidden_find(x) : NULL;
  iterate(b, writes, thin_air);
  if (give_up_reads(b))
    iterate(b, writes, thin_air);
  for (int e = 0; e < b->exprs; e++)
    update_expr(b, e);
  return b->domain;
}

struct values *c_domain_compute(struct c_exec *x, bool thin_air) {
  x->guess = NULL;
  if (!x->everywhere) {
    struct values *guess = compute(x, true, thin_air);
    x->guess = guess;
  }
  return compute(x, false, thin_air);
}
