#include "axiom/circuit.h"
#include "base/check.h"
#include "base/hash.h"
#include "sat/sat.h"
#include <stdlib.h>
#include <string.h>

struct node {
  int first, count; /* children; count 0 = input (or the constant) */
};

struct keyed {
  uint64_t key;
  int node;
};

struct bounded_input {
  int node, index;
  const struct bounded *bounded;
};

struct circuit {
  struct arena *arena;
  LIST(struct bounded_input) bounded; /* by node, ascending */
  LIST(struct node) nodes;
  LIST(int) children;
  int *slots; /* conjunctions by hash: node number, 0 = free */
  int slot_count, and_count;
  struct keyed *keyed; /* open addressing; node 0 = free */
  int keyed_slots, keyed_count;
  struct scratch {
    int *data;
    int capacity;
  } sorted, negated; /* long lists of literals while a node is made */
};

static int *scratch(struct circuit *c, struct scratch *s, int count) {
  if (count > s->capacity) {
    s->capacity = count * 2;
    s->data = arena_alloc(c->arena, (size_t)s->capacity * sizeof *s->data);
  }
  return s->data;
}

struct circuit *circuit_create(struct arena *a) {
  struct circuit *c = arena_alloc(a, sizeof *c);
  c->arena = a;
  c->slot_count = 1024;
  c->slots = arena_alloc(a, (size_t)c->slot_count * sizeof *c->slots);
  c->keyed_slots = 256;
  c->keyed = arena_alloc(a, (size_t)c->keyed_slots * sizeof *c->keyed);
  struct node none = {0, 0};
  list_push(a, &c->nodes, none); /* number 0 is no node */
  list_push(a, &c->nodes, none); /* number 1 is the constant */
  return c;
}

int circuit_nodes(const struct circuit *c) {
  return c->nodes.length;
}

int circuit_inputs(const struct circuit *c, int first, int last) {
  int count = 0;
  for (int n = first; n <= last; n++)
    count += !c->nodes.data[n].count;
  return count;
}

static bool value_of(const struct circuit *c, const unsigned char *value, int node) {
  const struct node *d = &c->nodes.data[node];
  for (int i = 0; i < d->count; i++)
    if (!model_value(value, c->children.data[d->first + i]))
      return false;
  return true;
}

void circuit_evaluate(const struct circuit *c, unsigned char *value, int first, int last) {
  for (int n = first; n <= last; n++)
    if (c->nodes.data[n].count)
      value[n] = value_of(c, value, n);
}

int circuit_input(struct circuit *c) {
  struct node n = {0, 0};
  list_push(c->arena, &c->nodes, n);
  return c->nodes.length - 1;
}

int circuit_input_bounded(struct circuit *c, const struct bounded *b, int index) {
  struct bounded_input i = {circuit_input(c), index, b};
  list_push(c->arena, &c->bounded, i);
  return i.node;
}

static const struct bounded_input *find_bounded(const struct circuit *c, int node) {
  int low = 0, high = c->bounded.length;
  while (low < high) {
    int middle = (low + high) / 2;
    if (c->bounded.data[middle].node < node)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < c->bounded.length && c->bounded.data[low].node == node;
  return found ? &c->bounded.data[low] : NULL;
}

static void keyed_grow(struct circuit *c) {
  struct keyed *old = c->keyed;
  int old_slots = c->keyed_slots;
  c->keyed_slots *= 2;
  c->keyed = arena_alloc(c->arena, (size_t)c->keyed_slots * sizeof *c->keyed);
  for (int i = 0; i < old_slots; i++)
    if (old[i].node) {
      unsigned s = (unsigned)hash_u64(7, old[i].key) % (unsigned)c->keyed_slots;
      while (c->keyed[s].node)
        s = (s + 1) % (unsigned)c->keyed_slots;
      c->keyed[s] = old[i];
    }
}

int circuit_input_keyed(struct circuit *c, uint64_t key, bool *fresh) {
  unsigned s = (unsigned)hash_u64(7, key) % (unsigned)c->keyed_slots;
  for (; c->keyed[s].node; s = (s + 1) % (unsigned)c->keyed_slots)
    if (c->keyed[s].key == key) {
      if (fresh)
        *fresh = false;
      return c->keyed[s].node;
    }
  int n = circuit_input(c);
  c->keyed[s] = (struct keyed){key, n};
  if (fresh)
    *fresh = true;
  if (++c->keyed_count * 2 > c->keyed_slots)
    keyed_grow(c);
  return n;
}

static uint64_t hash_children(const int *l, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++)
    h = hash_u64(h, (uint64_t)(int64_t)l[i]);
  return h;
}

static void slots_grow(struct circuit *c) {
  c->slot_count *= 2;
  c->slots = arena_alloc(c->arena, (size_t)c->slot_count * sizeof *c->slots);
  for (int n = 2; n < c->nodes.length; n++) {
    const struct node *d = &c->nodes.data[n];
    if (!d->count)
      continue;
    unsigned s =
        (unsigned)hash_children(c->children.data + d->first, d->count) % (unsigned)c->slot_count;
    while (c->slots[s])
      s = (s + 1) % (unsigned)c->slot_count;
    c->slots[s] = n;
  }
}

static int intern(struct circuit *c, const int *l, int n) {
  unsigned s = (unsigned)hash_children(l, n) % (unsigned)c->slot_count;
  for (; c->slots[s]; s = (s + 1) % (unsigned)c->slot_count) {
    const struct node *d = &c->nodes.data[c->slots[s]];
    if (d->count == n && !memcmp(c->children.data + d->first, l, (size_t)n * sizeof *l))
      return c->slots[s];
  }
  struct node d = {c->children.length, n};
  for (int i = 0; i < n; i++)
    list_push(c->arena, &c->children, l[i]);
  list_push(c->arena, &c->nodes, d);
  int number = c->nodes.length - 1;
  c->slots[s] = number;
  if (++c->and_count * 2 > c->slot_count)
    slots_grow(c);
  return number;
}

static int compare_literals(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (abs(x) != abs(y))
    return abs(x) - abs(y);
  return x - y;
}

static void sort_literals(int *l, int n) {
  if (n > 16) {
    qsort(l, (size_t)n, sizeof *l, compare_literals);
    return;
  }
  for (int i = 1; i < n; i++) {
    int v = l[i], j = i;
    for (; j > 0 && compare_literals(&l[j - 1], &v) > 0; j--)
      l[j] = l[j - 1];
    l[j] = v;
  }
}

/* x & (x | y) = x, and x & (~x | y) is left alone. */
static bool absorbs(const struct circuit *c, int or_literal, int x) {
  if (or_literal >= 0)
    return false;
  const struct node *d = &c->nodes.data[-or_literal];
  for (int i = 0; i < d->count && i < 16; i++)
    if (c->children.data[d->first + i] == -x)
      return true;
  return false;
}

int circuit_and(struct circuit *c, const int *literals, int count) {
  int small[64];
  int *l = count <= 64 ? small : scratch(c, &c->sorted, count);
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (literals[i] == LIT_FALSE)
      return LIT_FALSE;
    if (literals[i] != LIT_TRUE)
      l[n++] = literals[i];
  }
  sort_literals(l, n);
  int kept = 0;
  for (int i = 0; i < n; i++) {
    if (kept && l[kept - 1] == l[i])
      continue;
    if (kept && l[kept - 1] == -l[i])
      return LIT_FALSE;
    l[kept++] = l[i];
  }
  if (kept == 0)
    return LIT_TRUE;
  if (kept == 1)
    return l[0];
  if (kept == 2 && absorbs(c, l[0], l[1]))
    return l[1];
  if (kept == 2 && absorbs(c, l[1], l[0]))
    return l[0];
  return intern(c, l, kept);
}

int circuit_or(struct circuit *c, const int *literals, int count) {
  int small[64];
  int *l = count <= 64 ? small : scratch(c, &c->negated, count);
  int n = 0;
  for (int i = 0; i < count; i++)
    if (literals[i] != LIT_FALSE)
      l[n++] = -literals[i];
  return -circuit_and(c, l, n);
}

int circuit_and2(struct circuit *c, int a, int b) {
  return circuit_and(c, (int[]){a, b}, 2);
}

int circuit_or2(struct circuit *c, int a, int b) {
  return -circuit_and(c, (int[]){-a, -b}, 2);
}

int circuit_iff(struct circuit *c, int a, int b) {
  if (a == LIT_TRUE || b == LIT_TRUE)
    return a == LIT_TRUE ? b : a;
  if (a == LIT_FALSE || b == LIT_FALSE)
    return a == LIT_FALSE ? -b : -a;
  if (a == b || a == -b)
    return a == b ? LIT_TRUE : LIT_FALSE;
  return circuit_and2(c, circuit_or2(c, -a, b), circuit_or2(c, a, -b));
}

/* ---- CNF ---------------------------------------------------------------------------------- */

void cnf_init(struct cnf *f, struct circuit *c, struct sat *s, struct arena *a) {
  *f = (struct cnf){.circuit = c, .sat = s, .arena = a};
}

static void cnf_reserve(struct cnf *f) {
  int want = f->circuit->nodes.length;
  if (want <= f->capacity)
    return;
  size_t old = (size_t)f->capacity, new = (size_t)want * 2;
  f->variable =
      arena_grow(f->arena, f->variable, old * sizeof *f->variable, new * sizeof *f->variable);
  f->emitted = arena_grow(f->arena, f->emitted, old, new);
  f->read = arena_grow(f->arena, f->read, old, new);
  f->capacity = (int)new;
}

static int variable_of(struct cnf *f, int node) {
  if (!f->variable[node]) {
    f->variable[node] = sat_new_variable(f->sat);
    if (node == LIT_TRUE)
      sat_add_clause(f->sat, &f->variable[node], 1);
  }
  return f->variable[node];
}

static int as_solver_literal(struct cnf *f, int l) {
  int v = variable_of(f, abs(l));
  return l > 0 ? v : -v;
}

static int define(struct cnf *f, int l);

/* An input that somebody wants to be true, if it needs a reason. */
static void define_input(struct cnf *f, int node) {
  const struct bounded_input *b = find_bounded(f->circuit, node);
  if (!b || (f->emitted[node] & 1))
    return;
  f->emitted[node] |= 1;
  int exact = b->bounded->exact(b->bounded->context, b->index);
  cnf_reserve(f);
  int reason = define(f, exact);
  sat_add_clause(f->sat, (int[]){-variable_of(f, node), reason}, 2);
}

/* Defines what `l` needs when it is used as true. */
static int define(struct cnf *f, int l) {
  int node = abs(l), mine = variable_of(f, node);
  const struct node *d = &f->circuit->nodes.data[node];
  unsigned char way = l > 0 ? 1 : 2;
  if (!d->count && l > 0 && f->circuit->bounded.length)
    define_input(f, node);
  if (!d->count || (f->emitted[node] & way))
    return l > 0 ? mine : -mine;
  f->emitted[node] |= way;
  const int *child = f->circuit->children.data + d->first;
  if (way == 1) {
    for (int i = 0; i < d->count; i++) {
      int x = define(f, child[i]);
      sat_add_clause(f->sat, (int[]){-mine, x}, 2);
    }
    return mine;
  }
  for (int i = 0; i < d->count; i++)
    define(f, -child[i]);
  sat_add(f->sat, mine);
  for (int i = 0; i < d->count; i++)
    sat_add(f->sat, as_solver_literal(f, -child[i]));
  sat_add(f->sat, 0);
  return -mine;
}

int cnf_literal(struct cnf *f, int literal) {
  cnf_reserve(f);
  define(f, -literal);
  return define(f, literal);
}

int cnf_assumption(struct cnf *f, int literal) {
  cnf_reserve(f);
  return define(f, literal);
}

enum { DISTRIBUTE_MAX = 64, CLAUSE_MAX = 512 };

static bool is_and(const struct cnf *f, int l) {
  return l > 0 && f->circuit->nodes.data[l].count > 0;
}

static void add_clause(struct cnf *f, const int *literals, int count, int selector, int budget);

/* One conjunction among the literals is multiplied out, which saves its variable.  The budget bounds
 * the number of clauses that one clause may become. */
static bool distribute(struct cnf *f, const int *l, int n, int selector, int budget) {
  for (int i = 0; i < n; i++) {
    if (!is_and(f, l[i]) || f->emitted[l[i]])
      continue;
    struct node d = f->circuit->nodes.data[l[i]];
    if (d.count > budget)
      continue;
    int clause[CLAUSE_MAX];
    memcpy(clause, l, (size_t)n * sizeof *l);
    for (int c = 0; c < d.count; c++) {
      clause[i] = f->circuit->children.data[d.first + c];
      add_clause(f, clause, n, selector, budget / d.count);
    }
    return true;
  }
  return false;
}

static void add_clause(struct cnf *f, const int *literals, int count, int selector, int budget) {
  int l[CLAUSE_MAX];
  int n = 0;
  for (int i = 0; i < count; i++) { /* disjunctions inside are flattened one level */
    int x = literals[i];
    if (x == LIT_TRUE)
      return;
    if (x == LIT_FALSE)
      continue;
    const struct node *d = &f->circuit->nodes.data[abs(x)];
    if (x < 0 && d->count && n + d->count + count - i < CLAUSE_MAX) {
      for (int c = 0; c < d->count; c++)
        l[n++] = -f->circuit->children.data[d->first + c];
    } else {
      CHECK(n < CLAUSE_MAX, "a clause of more than %d literals", CLAUSE_MAX);
      l[n++] = x;
    }
  }
  if (n < CLAUSE_MAX / 2 && distribute(f, l, n, selector, budget))
    return;
  for (int i = 0; i < n; i++)
    define(f, l[i]);
  if (selector)
    sat_add(f->sat, -selector);
  for (int i = 0; i < n; i++)
    sat_add(f->sat, as_solver_literal(f, l[i]));
  sat_add(f->sat, 0);
}

void cnf_clause(struct cnf *f, const int *literals, int count, int selector) {
  cnf_reserve(f);
  if (count < CLAUSE_MAX) {
    add_clause(f, literals, count, selector, DISTRIBUTE_MAX);
    return;
  }
  int all = circuit_or(f->circuit, literals, count); /* too long for the tricks above */
  cnf_reserve(f);
  int x = define(f, all);
  if (selector)
    sat_add(f->sat, -selector);
  sat_add(f->sat, x);
  sat_add(f->sat, 0);
}

void cnf_push(struct cnf *f, int a, int b, int input) {
  cnf_reserve(f);
  int clause[3] = {define(f, -a), define(f, -b), variable_of(f, input)};
  sat_add_clause(f->sat, clause, 3);
}

void cnf_assert(struct cnf *f, int literal, int selector) {
  if (is_and(f, literal)) {
    struct node d = f->circuit->nodes.data[literal];
    for (int i = 0; i < d.count; i++)
      cnf_assert(f, f->circuit->children.data[d.first + i], selector);
    return;
  }
  cnf_clause(f, &literal, 1, selector);
}

void cnf_read_begin(struct cnf *f) {
  cnf_reserve(f);
  memset(f->read, 0, (size_t)f->circuit->nodes.length);
  f->read[LIT_TRUE] = 2;
}

bool cnf_read(struct cnf *f, int literal) {
  int n = abs(literal);
  if (!f->read[n]) {
    const struct node *d = &f->circuit->nodes.data[n];
    CHECK(d->count || !find_bounded(f->circuit, n), "a bounded input is read by itself");
    bool value = d->count || (f->variable[n] && sat_value(f->sat, f->variable[n]));
    for (int i = 0; i < d->count && value; i++)
      value = cnf_read(f, f->circuit->children.data[d->first + i]);
    f->read[n] = 1 + value;
  }
  return (f->read[n] == 2) == (literal > 0);
}

const unsigned char *cnf_model(struct cnf *f, struct arena *a) {
  cnf_reserve(f);
  struct circuit *c = f->circuit;
  unsigned char *value = arena_alloc(a, (size_t)c->nodes.length);
  value[LIT_TRUE] = 1;
  for (int n = 2; n < c->nodes.length; n++) {
    const struct node *d = &c->nodes.data[n];
    const struct bounded_input *b = !d->count && c->bounded.length ? find_bounded(c, n) : NULL;
    if (!d->count) {
      value[n] = b ? b->bounded->value(b->bounded->context, b->index, value, a)
                   : f->variable[n] && sat_value(f->sat, f->variable[n]);
      continue;
    }
    value[n] = value_of(c, value, n);
  }
  return value;
}

bool model_value(const unsigned char *model, int literal) {
  return literal > 0 ? model[literal] : !model[-literal];
}
