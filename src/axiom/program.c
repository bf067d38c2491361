#include "axiom/program.h"
#include "base/check.h"
#include "base/hash.h"
#include <string.h>

enum { WEIGHT_MAX = 1 << 30, ADDRESS_FIRST = 0x10000, ADDRESS_STEP = 0x1000 };

struct expr_table {
  int *slots; /* expression number + 1; open addressing */
  int size;
};

struct program *program_create(struct arena *a, const char *file) {
  struct program *p = arena_alloc(a, sizeof *p);
  p->arena = a;
  p->file = file;
  p->name = "";
  p->table = arena_alloc(a, sizeof *p->table);
  p->table->size = 256;
  p->table->slots = arena_alloc(a, 256 * sizeof(int));
  p->condition = expr_const(p, 1);
  CHECK(p->condition == EXPR_ONE, "the constant 1 has number %d", p->condition);
  struct thread init = {.name = "init"};
  list_push(a, &p->threads, init);
  return p;
}

static uint64_t expr_hash(const struct expr *e) {
  uint64_t h = hash_u64((uint64_t)e->kind, (uint64_t)e->value);
  for (int i = 0; i < 3; i++)
    h = hash_u64(h, (uint64_t)(int64_t)e->arg[i]);
  return h;
}

static bool expr_same(const struct expr *a, const struct expr *b) {
  return a->kind == b->kind && a->value == b->value && !memcmp(a->arg, b->arg, sizeof a->arg);
}

static void table_grow(struct program *p) {
  struct expr_table *t = p->table;
  t->size *= 2;
  t->slots = arena_alloc(p->arena, (size_t)t->size * sizeof(int));
  for (int e = 0; e < p->exprs.length; e++) {
    unsigned i = (unsigned)expr_hash(&p->exprs.data[e]) % (unsigned)t->size;
    while (t->slots[i])
      i = (i + 1) % (unsigned)t->size;
    t->slots[i] = e + 1;
  }
}

static int expr_intern(struct program *p, struct expr e) {
  struct expr_table *t = p->table;
  unsigned i = (unsigned)expr_hash(&e) % (unsigned)t->size;
  for (; t->slots[i]; i = (i + 1) % (unsigned)t->size)
    if (expr_same(&p->exprs.data[t->slots[i] - 1], &e))
      return t->slots[i] - 1;
  int64_t weight = 1;
  for (int a = 0; a < 3; a++)
    weight += e.arg[a] >= 0 ? p->exprs.data[e.arg[a]].weight : 0;
  e.weight = weight > WEIGHT_MAX ? WEIGHT_MAX : (int)weight;
  list_push(p->arena, &p->exprs, e);
  t->slots[i] = p->exprs.length;
  if (p->exprs.length * 2 > t->size)
    table_grow(p);
  return p->exprs.length - 1;
}

int expr_const(struct program *p, int64_t value) {
  return expr_intern(p, (struct expr){.kind = EXPR_CONST, .value = value, .arg = {-1, -1, -1}});
}

int expr_leaf(struct program *p, enum expr_kind kind, int64_t value) {
  return expr_intern(p, (struct expr){.kind = kind, .value = value, .arg = {-1, -1, -1}});
}

int expr_choice(struct program *p) {
  return expr_leaf(p, EXPR_CHOICE, p->choices++);
}

int expr_arity(enum expr_kind op) {
  static const signed char arity[EXPR_KINDS] = {
#define X(name, text, n) [EXPR_##name] = n,
      EXPR_OPS(X)
#undef X
  };
  return arity[op];
}

bool expr_is_const(const struct program *p, int e, int64_t *value) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind != EXPR_CONST)
    return false;
  if (value)
    *value = x->value;
  return true;
}

static int64_t divide(int64_t a, int64_t b, bool remainder) {
  if (b == 0) /* Java would throw; the language defines x/0 = 0 and x%0 = x, see docs/litmus.md */
    return remainder ? a : 0;
  if (b == -1)
    return remainder ? 0 : (int64_t)(0 - (uint64_t)a);
  return remainder ? a % b : a / b;
}

int64_t expr_apply(enum expr_kind op, int64_t a, int64_t b, int64_t c) {
  uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  switch (op) {
  case EXPR_ADD:
    return (int64_t)(ua + ub);
  case EXPR_SUB:
    return (int64_t)(ua - ub);
  case EXPR_MUL:
    return (int64_t)(ua * ub);
  case EXPR_DIV:
    return divide(a, b, false);
  case EXPR_MOD:
    return divide(a, b, true);
  case EXPR_AND:
    return a & b;
  case EXPR_OR:
    return a | b;
  case EXPR_XOR:
    return a ^ b;
  case EXPR_SHL:
    return (int64_t)(ua << (ub & 63));
  case EXPR_SHR:
    return a >> (ub & 63);
  case EXPR_EQ:
    return a == b;
  case EXPR_NE:
    return a != b;
  case EXPR_LT:
    return a < b;
  case EXPR_LE:
    return a <= b;
  case EXPR_ULT:
    return ua < ub;
  case EXPR_ULE:
    return ua <= ub;
  case EXPR_LAND:
    return a && b;
  case EXPR_LOR:
    return a || b;
  case EXPR_LNOT:
    return !a;
  case EXPR_NOT:
    return ~a;
  case EXPR_NEG:
    return (int64_t)(0 - ua);
  case EXPR_WRAP32:
    return (int32_t)a;
  case EXPR_WRAP16:
    return (int16_t)a;
  case EXPR_WRAP8:
    return (int8_t)a;
  case EXPR_ITE:
    return a ? b : c;
  case EXPR_UDIV:
    return ub ? (int64_t)(ua / ub) : 0;
  case EXPR_UMOD:
    return ub ? (int64_t)(ua % ub) : a;
  case EXPR_USHR:
    return (int64_t)(ua >> (ub & 63));
  default:
    CHECK(false, "no such operator %d", (int)op);
  }
}

static bool is_zero(const struct program *p, int e) {
  int64_t v;
  return expr_is_const(p, e, &v) && v == 0;
}

/* How many low bits an operator leaves alone: those it cuts to; 0 if it is no such operator. */
static int kept_bits(const struct program *p, enum expr_kind op, int b) {
  int64_t mask = 0;
  if (op == EXPR_AND && !expr_is_const(p, b, &mask))
    return 0;
  return op == EXPR_WRAP32 || mask == 0xffffffff ? 32
         : op == EXPR_WRAP16 || mask == 0xffff   ? 16
         : op == EXPR_WRAP8 || mask == 0xff      ? 8
                                                 : 0;
}

/* Cutting to n bits what was cut to n or more before: once is enough. */
static int simplify_width(struct program *p, enum expr_kind op, int a, int b) {
  const struct expr *x = &p->exprs.data[a];
  int bits = kept_bits(p, op, b), inner = kept_bits(p, x->kind, x->arg[1]);
  return bits && inner >= bits ? expr_make(p, op, x->arg[0], b, -1) : -1;
}

/* Identities that keep guards small; returns -1 if none applies. */
static int simplify(struct program *p, enum expr_kind op, int a, int b, int c) {
  int64_t v;
  switch (op) {
  case EXPR_LAND:
    if (expr_is_const(p, a, &v))
      return v ? expr_make(p, EXPR_NE, b, expr_const(p, 0), -1) : a;
    if (expr_is_const(p, b, &v))
      return v ? expr_make(p, EXPR_NE, a, expr_const(p, 0), -1) : b;
    return a == b ? expr_make(p, EXPR_NE, a, expr_const(p, 0), -1) : -1;
  case EXPR_LOR:
    if (expr_is_const(p, a, &v))
      return v ? expr_const(p, 1) : expr_make(p, EXPR_NE, b, expr_const(p, 0), -1);
    if (expr_is_const(p, b, &v))
      return v ? expr_const(p, 1) : expr_make(p, EXPR_NE, a, expr_const(p, 0), -1);
    if (p->exprs.data[b].kind == EXPR_LNOT && p->exprs.data[b].arg[0] == a)
      return expr_const(p, 1);
    return a == b ? expr_make(p, EXPR_NE, a, expr_const(p, 0), -1) : -1;
  case EXPR_NE: { /* x != 0 is x when x is a truth value */
    enum expr_kind k = p->exprs.data[a].kind;
    bool truth =
        (k >= EXPR_EQ && k <= EXPR_ULE) || k == EXPR_LAND || k == EXPR_LOR || k == EXPR_LNOT;
    return truth && expr_is_const(p, b, &v) && v == 0 ? a : -1;
  }
  case EXPR_ITE:
    if (expr_is_const(p, a, &v))
      return v ? b : c;
    return b == c ? b : -1;
  case EXPR_XOR:
  case EXPR_SUB:
    return a == b ? expr_const(p, 0) : -1;
  case EXPR_SHL:
  case EXPR_SHR:
    return is_zero(p, b) ? a : -1;
  case EXPR_ADD:
    return is_zero(p, b) ? a : is_zero(p, a) ? b : -1;
  case EXPR_AND:
  case EXPR_WRAP32:
  case EXPR_WRAP16:
  case EXPR_WRAP8:
    return simplify_width(p, op, a, b);
  default:
    return -1;
  }
}

int expr_make(struct program *p, enum expr_kind op, int a, int b, int c) {
  int arity = expr_arity(op);
  int64_t v[3] = {0, 0, 0};
  int args[3] = {a, arity > 1 ? b : -1, arity > 2 ? c : -1};
  CHECK(arity <= 3, "operator %d has %d operands", (int)op, arity);
  bool constant = true;
  for (int i = 0; i < arity; i++)
    constant = expr_is_const(p, args[i], &v[i]) && constant;
  if (constant)
    return expr_const(p, expr_apply(op, v[0], v[1], v[2]));
  int simple = simplify(p, op, args[0], args[1], args[2]);
  if (simple >= 0)
    return simple;
  return expr_intern(p, (struct expr){.kind = op, .arg = {args[0], args[1], args[2]}});
}

/* Elements of an array are neighbours, so that address arithmetic works; everything else lies
 * apart. */
int program_add_location(struct program *p, struct location l) {
  int64_t first = p->locations.length;
  if (!l.address)
    l.address = l.index ? p->locations.data[l.array].address + l.offset
                        : ADDRESS_FIRST + first * ADDRESS_STEP;
  list_push(p->arena, &p->locations, l);
  return p->locations.length - 1;
}

int program_find_location(const struct program *p, const char *name) {
  for (int i = 0; i < p->locations.length; i++)
    if (!strcmp(p->locations.data[i].name, name))
      return i;
  return -1;
}

int program_monitor(struct program *p, const char *name) {
  for (int i = 0; i < p->monitors.length; i++)
    if (!strcmp(p->monitors.data[i], name))
      return i;
  list_push(p->arena, &p->monitors, name);
  return p->monitors.length - 1;
}

int64_t program_address(const struct program *p, int location) {
  return p->locations.data[location].address;
}

int program_location_at(const struct program *p, int64_t address) {
  for (int i = 0; i < p->locations.length; i++)
    if (p->locations.data[i].address == address)
      return i;
  return -1;
}

const char *program_value_text(const struct program *p, struct arena *a, int64_t value) {
  int l = program_location_at(p, value);
  return l >= 0 ? p->locations.data[l].name : arena_format(a, "%lld", (long long)value);
}

bool program_thread_before(const struct program *p, int t, int u) {
  uint64_t before = 0; /* threads that have ended when u starts */
  for (uint64_t grown = 1; grown != before;) {
    before = grown;
    for (int i = 0; i < p->threads.length; i++)
      for (int a = 0; (i == u || (before >> i & 1)) && a < p->threads.data[i].after.length; a++)
        grown |= (uint64_t)1 << p->threads.data[i].after.data[a];
  }
  return u != 0 && (before >> t & 1);
}

bool program_order(const struct program *p, int s, int t) {
  const struct stmt *x = &p->stmts.data[s], *y = &p->stmts.data[t];
  if (s >= t || x->thread != y->thread)
    return false;
  if (x->instruction == y->instruction && x->kind == y->kind)
    return false; /* the reads of one instruction are not ordered among each other */
  for (int i = 0; i < p->unsequenced.length; i++) {
    const struct unsequenced *u = &p->unsequenced.data[i];
    if (s >= u->first && s < u->middle && t >= u->middle && t < u->end)
      return false;
  }
  return true;
}

static struct stmt boundary(struct program *p, enum stmt_kind kind, int thread) {
  return (struct stmt){.kind = kind,
                       .thread = thread,
                       .guard = expr_const(p, 1),
                       .address = -1,
                       .value = -1,
                       .partner = -1,
                       .monitor = -1,
                       .place = {p->file, 0, 0},
                       .text = kind == STMT_START ? "start" : "end"};
}

static void shift_reads(struct program *p, const int *moved) {
  for (int e = 0; e < p->exprs.length; e++)
    if (p->exprs.data[e].kind == EXPR_READ)
      p->exprs.data[e].value = moved[p->exprs.data[e].value];
  for (int i = 0; i < p->unsequenced.length; i++) { /* statements of a thread stay together */
    struct unsequenced *u = &p->unsequenced.data[i];
    int by = moved[u->first] - u->first;
    *u = (struct unsequenced){u->first + by, u->middle + by, u->end + by};
  }
  for (int d = 0; d < p->depends.length; d++)
    for (int i = 0; i < p->depends.data[d].count; i++)
      p->depends.data[d].list[i].stmt = moved[p->depends.data[d].list[i].stmt];
  p->table->slots = NULL; /* hashes changed: no expression is made after this */
}

/* Whether anybody looks at an element of an array; large ones are mostly padding. */
static bool is_used(const struct program *p, const struct stmt *stmts, int count, int location) {
  int64_t address = 0;
  for (int i = 0; i < count; i++)
    if (stmts[i].address >= 0 &&
        (!expr_is_const(p, stmts[i].address, &address) || address == program_address(p, location)))
      return true;
  for (int e = 0; e < p->exprs.length; e++)
    if ((p->exprs.data[e].kind == EXPR_FINAL || p->exprs.data[e].kind == EXPR_NVM) &&
        p->exprs.data[e].value == location)
      return true;
  return false;
}

struct place program_place_of(const struct program *p, int expr) {
  struct arena scratch = {0};
  struct place found = {p->file, 1, 1};
  bool *needs = arena_alloc(&scratch, (size_t)p->exprs.length + 1);
  needs[expr] = true;
  for (int e = expr + 1; e < p->exprs.length; e++) /* operands come first */
    for (int a = 0; a < expr_arity(p->exprs.data[e].kind); a++)
      needs[e] |= needs[p->exprs.data[e].arg[a]];
  for (int i = p->parts.length - 1; i >= 0; i--)
    if (needs[p->parts.data[i].expr])
      found = p->parts.data[i].place;
  for (int i = p->stmts.length - 1; i >= 0; i--) {
    const struct stmt *s = &p->stmts.data[i];
    if (s->place.line && (needs[s->guard] || (s->address >= 0 && needs[s->address]) ||
                          (s->value >= 0 && needs[s->value])))
      found = s->place;
  }
  arena_release(&scratch);
  return found;
}

void program_finish(struct program *p) {
  int old_count = p->stmts.length;
  int *moved = arena_alloc(p->arena, (size_t)(old_count + 1) * sizeof *moved);
  struct stmt *old = p->stmts.data;
  p->stmts.data = NULL;
  p->stmts.length = p->stmts.capacity = 0;
  for (int t = 0; t < p->threads.length; t++) {
    list_push(p->arena, &p->stmts, boundary(p, STMT_START, t));
    for (int l = 0; t == 0 && l < p->locations.length; l++) {
      if (p->locations.data[l].array >= 0 && !is_used(p, old, old_count, l))
        continue;
      struct stmt s = boundary(p, STMT_WRITE, 0);
      s.address = expr_const(p, program_address(p, l));
      s.unwritten = p->locations.data[l].unwritten;
      s.value = p->locations.data[l].input
                    ? expr_leaf(p, EXPR_INPUT, p->locations.data[l].input - 1)
                    : expr_const(p, p->locations.data[l].initial);
      s.is_volatile = p->locations.data[l].is_volatile;
      s.tags = p->locations.data[l].tags;
      s.place = p->locations.data[l].place;
      s.text = arena_format(p->arena, "%s = %s", p->locations.data[l].name,
                            program_value_text(p, p->arena, p->locations.data[l].initial));
      list_push(p->arena, &p->stmts, s);
    }
    for (int i = 0; i < old_count; i++)
      if (old[i].thread == t) {
        moved[i] = p->stmts.length;
        list_push(p->arena, &p->stmts, old[i]);
      }
    list_push(p->arena, &p->stmts, boundary(p, STMT_END, t));
  }
  for (int i = 0; i < p->stmts.length; i++) {
    struct stmt *s = &p->stmts.data[i];
    if (s->partner >= 0)
      s->partner = moved[s->partner];
    if (s->kind == STMT_START || s->kind == STMT_END || s->thread == 0)
      s->instruction = -1 - i; /* apart from the front end's numbers */
  }
  for (int i = 0; i < p->inputs.length; i++) {
    struct input *x = &p->inputs.data[i];
    while (x->before < old_count && old[x->before].thread != x->thread)
      x->before++;
    x->before = x->before < old_count ? moved[x->before] : p->stmts.length;
  }
  p->moved = moved;
  shift_reads(p, moved);
}
