#include "axiom/closure.h"
#include <string.h>

typedef uint64_t bits;

struct closure {
  struct execution *x;
  const struct space *space;
  int n;
  size_t words;
  bits *after;   /* by action, a row: the actions that fixed pairs lead to */
  int *rest;     /* n * n: pairs that are not fixed */
  int *out, *in; /* ports: where such a pair begins, ends */
  int outs, ins;
  int *way;                   /* [out port * ins + in port]: a literal */
  LIST(int) port_of;          /* by such input: its place in `way` */
  const int *exact;           /* n * n, once somebody asks */
  const unsigned char *reach; /* in the solver's model that is being read */
};

static bool is_after(const struct closure *c, int a, int b) {
  return c->after[(size_t)a * c->words + (size_t)b / 64] >> b % 64 & 1;
}

static bool at_or_after(const struct closure *c, int a, int b) {
  return a == b || is_after(c, a, b);
}

/* ---- fixed pairs ---------------------------------------------------------------------------- */

static void find_fixed(struct closure *c, const int *const *parts, int count) {
  for (int a = 0; a < c->n; a++)
    for (int b = 0; b < c->n; b++)
      for (int p = 0; p < count && !is_after(c, a, b); p++) {
        int cell = parts[p][a * c->n + b];
        if (cell != LIT_FALSE &&
            cell == circuit_and2(c->space->circuit, c->x->executed[a], c->x->executed[b]))
          c->after[(size_t)a * c->words + (size_t)b / 64] |= (bits)1 << b % 64;
      }
}

/* Ways through actions that are executed in any case are fixed. */
static void saturate(struct closure *c) {
  for (int k = 0; k < c->n; k++)
    for (int a = 0; c->x->executed[k] == LIT_TRUE && a < c->n; a++)
      for (size_t w = 0; is_after(c, a, k) && w < c->words; w++)
        c->after[(size_t)a * c->words + w] |= c->after[(size_t)k * c->words + w];
}

static bool may_be_passed(const struct closure *c, int k) {
  if (is_after(c, k, k))
    return false;
  for (int a = 0; c->x->executed[k] != LIT_TRUE && a < c->n; a++)
    for (size_t w = 0; is_after(c, a, k) && w < c->words; w++)
      if (c->after[(size_t)k * c->words + w] & ~c->after[(size_t)a * c->words + w])
        return false;
  return true;
}

static void forget(struct closure *c, int k) {
  for (int a = 0; a < c->n; a++)
    c->after[(size_t)a * c->words + (size_t)k / 64] &= ~((bits)1 << k % 64);
  memset(c->after + (size_t)k * c->words, 0, c->words * sizeof *c->after);
}

/* What is left is an order, and holds between executed actions whoever else is executed. */
static void keep_orders(struct closure *c) {
  for (bool changed = true; changed;) {
    changed = false;
    saturate(c);
    for (int k = 0; k < c->n; k++)
      if (!may_be_passed(c, k)) {
        forget(c, k);
        changed = true;
      }
  }
}

static struct closure *create(struct execution *x, const struct space *s, const int *const *parts,
                              int count) {
  struct closure *c = arena_alloc(s->arena, sizeof *c);
  c->x = x;
  c->space = s;
  c->n = s->n;
  c->words = (size_t)(s->n + 63) / 64;
  c->after = arena_alloc(s->arena, (size_t)c->n * c->words * sizeof *c->after + 1);
  find_fixed(c, parts, count);
  keep_orders(c);
  c->rest = cells_create(s, c->n * c->n);
  for (int i = 0; i < c->n * c->n; i++)
    for (int p = 0; p < count && !is_after(c, i / c->n, i % c->n); p++)
      c->rest[i] = circuit_or2(s->circuit, c->rest[i], parts[p][i]);
  return c;
}

/* Nobody needs a fixed pair that follows from two others. */
static bool is_step(const struct closure *c, int a, int b) {
  if (!is_after(c, a, b))
    return false;
  for (int k = 0; k < c->n; k++)
    if (is_after(c, a, k) && is_after(c, k, b))
      return false;
  return true;
}

const int *closure_certain(struct execution *x, const struct space *s, const int *const *parts,
                           int count) {
  struct closure *c = create(x, s, parts, count);
  for (int i = 0; i < c->n * c->n; i++)
    if (is_step(c, i / c->n, i % c->n))
      c->rest[i] = LIT_TRUE;
  return c->rest;
}

/* ---- ports ---------------------------------------------------------------------------------- */

static void find_ports(struct closure *c) {
  c->out = arena_alloc(c->space->arena, (size_t)c->n * sizeof *c->out + 1);
  c->in = arena_alloc(c->space->arena, (size_t)c->n * sizeof *c->in + 1);
  for (int a = 0; a < c->n; a++) {
    bool begins = false, ends = false;
    for (int b = 0; b < c->n; b++) {
      begins = begins || c->rest[a * c->n + b] != LIT_FALSE;
      ends = ends || c->rest[b * c->n + a] != LIT_FALSE;
    }
    if (begins)
      c->out[c->outs++] = a;
    if (ends)
      c->in[c->ins++] = a;
  }
}

/* Out ports at or after an action with no other one in between (in ports: before). */
static bool is_next_out(const struct closure *c, int a, int port) {
  int p = c->out[port];
  if (!at_or_after(c, a, p))
    return false;
  for (int i = 0; i < c->outs; i++)
    if (i != port && at_or_after(c, a, c->out[i]) && is_after(c, c->out[i], p))
      return false;
  return true;
}

static bool is_last_in(const struct closure *c, int port, int b) {
  int q = c->in[port];
  if (!at_or_after(c, q, b))
    return false;
  for (int i = 0; i < c->ins; i++)
    if (i != port && at_or_after(c, c->in[i], b) && is_after(c, q, c->in[i]))
      return false;
  return true;
}

/* Where the rest may lead at all. */
static unsigned char *possible_ways(const struct closure *c) {
  int n = c->n;
  unsigned char *may = arena_alloc(c->space->arena, (size_t)(n * n) + 1);
  for (int i = 0; i < n * n; i++)
    may[i] = c->rest[i] != LIT_FALSE || is_after(c, i / n, i % n);
  for (int k = 0; k < n; k++)
    for (int a = 0; a < n; a++)
      for (int b = 0; may[a * n + k] && b < n; b++)
        may[a * n + b] |= may[k * n + b];
  return may;
}

static int exact_way(void *context, int index) {
  struct closure *c = context;
  if (!c->exact) {
    int n = c->n, *certain = cells_create(c->space, n * n);
    for (int i = 0; i < n * n; i++)
      certain[i] = is_after(c, i / n, i % n) ? LIT_TRUE : c->rest[i];
    c->exact = relation_closure(c->space, certain);
  }
  int port = c->port_of.data[index];
  return c->exact[c->out[port / c->ins] * c->n + c->in[port % c->ins]];
}

/* Whether there is a way in the model of the solver.  The first of ours is asked for first. */
static bool way_in_model(void *context, int index, const unsigned char *model, struct arena *a) {
  struct closure *c = context;
  int n = c->n;
  if (index == 0) {
    unsigned char *reach = arena_alloc(a, (size_t)(n * n) + 1);
    for (int i = 0; i < n * n; i++)
      reach[i] = is_after(c, i / n, i % n) || model_value(model, c->rest[i]);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++)
        for (int j = 0; reach[i * n + k] && j < n; j++)
          reach[i * n + j] |= reach[k * n + j];
    c->reach = reach;
  }
  int port = c->port_of.data[index];
  return c->reach[c->out[port / c->ins] * n + c->in[port % c->ins]];
}

static void create_ways(struct closure *c) {
  const unsigned char *may = possible_ways(c);
  struct bounded *b = arena_alloc(c->space->arena, sizeof *b);
  *b = (struct bounded){exact_way, way_in_model, c};
  c->way = cells_create(c->space, c->outs * c->ins);
  for (int i = 0; i < c->outs * c->ins; i++) {
    int p = c->out[i / c->ins], q = c->in[i % c->ins];
    if (is_after(c, p, q)) {
      c->way[i] = LIT_TRUE;
    } else if (may[p * c->n + q]) {
      c->way[i] = circuit_input_bounded(c->space->circuit, b, c->port_of.length);
      list_push(c->space->arena, &c->port_of, i);
    }
  }
}

static void imply(const struct closure *c, int a, int b, int then) {
  if (a != LIT_FALSE && b != LIT_FALSE && then != LIT_TRUE)
    cnf_push(&c->x->encoder->cnf, a, b, then);
}

static int in_port(const struct closure *c, int action) {
  int q = 0;
  while (c->in[q] != action)
    q++;
  return q;
}

/* Ways from one out port: a pair of the rest alone, or one and a way from what it leads to. */
static void link_ways(struct closure *c, int p) {
  int *row = c->way + p * c->ins;
  for (int m = 0; m < c->n; m++) {
    int pair = c->rest[c->out[p] * c->n + m];
    if (pair == LIT_FALSE)
      continue;
    imply(c, pair, LIT_TRUE, row[in_port(c, m)]);
    for (int p2 = 0; p2 < c->outs; p2++) {
      bool goes_on = is_next_out(c, m, p2);
      for (int q = 0; goes_on && q < c->ins; q++)
        if (!at_or_after(c, m, c->in[q]))
          imply(c, pair, c->way[p2 * c->ins + q], row[q]);
    }
  }
}

/* One port comes after another, and none in between. */
static bool is_next(const struct closure *c, const int *ports, int count, int a, int b) {
  bool next = is_after(c, ports[a], ports[b]);
  for (int k = 0; k < count && next; k++)
    next = !(is_after(c, ports[a], ports[k]) && is_after(c, ports[k], ports[b]));
  return next;
}

/* A way from a later port is one from an earlier, and one to an earlier is one to a later. */
static void link_ports(struct closure *c) {
  for (int a = 0; a < c->outs; a++)
    for (int b = 0; b < c->outs; b++) {
      bool next = is_next(c, c->out, c->outs, a, b);
      for (int q = 0; next && q < c->ins; q++)
        imply(c, c->way[b * c->ins + q], LIT_TRUE, c->way[a * c->ins + q]);
    }
  for (int a = 0; a < c->ins; a++)
    for (int b = 0; b < c->ins; b++) {
      bool next = is_next(c, c->in, c->ins, a, b);
      for (int p = 0; next && p < c->outs; p++)
        imply(c, c->way[p * c->ins + a], LIT_TRUE, c->way[p * c->ins + b]);
    }
}

static const int *pairs_of(const struct closure *c) {
  int n = c->n, *r = cells_create(c->space, n * n), *some;
  some = arena_alloc(c->space->arena, (size_t)(c->outs * c->ins) * sizeof *some + 1);
  for (int a = 0; a < n; a++) {
    unsigned char *next = arena_alloc(c->space->arena, (size_t)c->outs + 1);
    for (int p = 0; p < c->outs; p++)
      next[p] = is_next_out(c, a, p);
    for (int b = 0; b < n; b++) {
      int lits[] = {c->x->executed[a], c->x->executed[b], LIT_TRUE}, count = 0;
      for (int q = 0; q < c->ins && !is_after(c, a, b); q++) {
        bool last = is_last_in(c, q, b);
        for (int p = 0; last && p < c->outs; p++)
          if (next[p])
            some[count++] = c->way[p * c->ins + q];
      }
      if (!is_after(c, a, b))
        lits[2] = circuit_or(c->space->circuit, some, count);
      r[a * n + b] = circuit_and(c->space->circuit, lits, 3);
    }
  }
  return r;
}

const int *closure_of_union(struct execution *x, const struct space *s, const int *const *parts,
                            int count) {
  struct closure *c = create(x, s, parts, count);
  find_ports(c);
  create_ways(c);
  for (int p = 0; p < c->outs; p++)
    link_ways(c, p);
  link_ports(c);
  return pairs_of(c);
}
