#include "axiom/relation.h"
#include <string.h>

int *cells_create(const struct space *s, int count) {
  int *c = arena_alloc(s->arena, (size_t)count * sizeof *c + 1);
  for (int i = 0; i < count; i++)
    c[i] = LIT_FALSE;
  return c;
}

int *cells_or(const struct space *s, const int *a, const int *b, int count) {
  int *c = cells_create(s, count);
  for (int i = 0; i < count; i++)
    if (a[i] == LIT_FALSE || b[i] == LIT_FALSE)
      c[i] = a[i] == LIT_FALSE ? b[i] : a[i];
    else
      c[i] = circuit_or2(s->circuit, a[i], b[i]);
  return c;
}

int *cells_and(const struct space *s, const int *a, const int *b, int count) {
  int *c = cells_create(s, count);
  for (int i = 0; i < count; i++)
    if (a[i] != LIT_FALSE && b[i] != LIT_FALSE)
      c[i] = circuit_and2(s->circuit, a[i], b[i]);
  return c;
}

int *cells_minus(const struct space *s, const int *a, const int *b, int count) {
  int *c = cells_create(s, count);
  for (int i = 0; i < count; i++)
    if (a[i] != LIT_FALSE)
      c[i] = circuit_and2(s->circuit, a[i], -b[i]);
  return c;
}

int *relation_product(const struct space *s, const int *set, const int *other) {
  int n = s->n, *r = cells_create(s, n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; set[i] != LIT_FALSE && j < n; j++)
      if (other[j] != LIT_FALSE)
        r[i * n + j] = circuit_and2(s->circuit, set[i], other[j]);
  return r;
}

int *relation_identity(const struct space *s, const int *set) {
  int n = s->n, *r = cells_create(s, n * n);
  for (int i = 0; i < n; i++)
    r[i * n + i] = set[i];
  return r;
}

int *relation_inverse(const struct space *s, const int *r) {
  int n = s->n, *q = cells_create(s, n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      q[j * n + i] = r[i * n + j];
  return q;
}

int *relation_compose(const struct space *s, const int *a, const int *b) {
  int n = s->n, *r = cells_create(s, n * n);
  int *terms = arena_alloc(s->arena, (size_t)n * sizeof *terms + 1);
  for (int i = 0; i < n; i++) {
    bool any = false;
    for (int k = 0; k < n; k++)
      any = any || a[i * n + k] != LIT_FALSE;
    for (int j = 0; any && j < n; j++) {
      int m = 0;
      for (int k = 0; k < n; k++)
        if (a[i * n + k] != LIT_FALSE && b[k * n + j] != LIT_FALSE)
          terms[m++] = circuit_and2(s->circuit, a[i * n + k], b[k * n + j]);
      if (m)
        r[i * n + j] = circuit_or(s->circuit, terms, m);
    }
  }
  return r;
}

int *relation_closure(const struct space *s, const int *r) {
  int n = s->n, *c = cells_create(s, n * n);
  memcpy(c, r, (size_t)(n * n) * sizeof *c);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      int ik = c[i * n + k];
      for (int j = 0; ik != LIT_FALSE && i != k && j < n; j++)
        if (j != k && c[k * n + j] != LIT_FALSE)
          c[i * n + j] =
              circuit_or2(s->circuit, c[i * n + j], circuit_and2(s->circuit, ik, c[k * n + j]));
    }
  return c;
}

int *relation_domain(const struct space *s, const int *r) {
  int n = s->n, *set = cells_create(s, n);
  for (int i = 0; i < n; i++)
    set[i] = circuit_or(s->circuit, r + i * n, n);
  return set;
}

int *relation_range(const struct space *s, const int *r) {
  return relation_domain(s, relation_inverse(s, r));
}

/* ---- acyclicity --------------------------------------------------------------------------- */

struct elimination {
  const struct space *space;
  int *edge;           /* n * n; shrinks as actions go */
  unsigned char *made; /* n * n: this edge is an input of ours and may get further reasons */
  unsigned char *gone;
  void *context;
  void (*emit)(void *context, const int *clause, int count, bool required);
};

static int degree_product(const struct elimination *x, int v) {
  int n = x->space->n, in = 0, out = 0;
  for (int u = 0; u < n; u++)
    if (!x->gone[u] && u != v) {
      in += x->edge[u * n + v] != LIT_FALSE;
      out += x->edge[v * n + u] != LIT_FALSE;
    }
  return in * out;
}

/* u -> v -> w: there is a way from u to w without v. */
static void join(struct elimination *x, int u, int v, int w) {
  int n = x->space->n;
  int in = x->edge[u * n + v], out = x->edge[v * n + w];
  int *edge = &x->edge[u * n + w];
  if (*edge == LIT_TRUE)
    return;
  if (x->edge[w * n + u] == LIT_TRUE) { /* that way would close a cycle */
    x->emit(x->context, (int[]){-in, -out}, 2, true);
    return;
  }
  if (in == LIT_TRUE && out == LIT_TRUE) {
    *edge = LIT_TRUE;
    return;
  }
  if (!x->made[u * n + w]) {
    int old = *edge;
    *edge = circuit_input(x->space->circuit);
    x->made[u * n + w] = 1;
    if (old != LIT_FALSE)
      x->emit(x->context, (int[]){-old, *edge}, 2, false);
  }
  x->emit(x->context, (int[]){-in, -out, *edge}, 3, false);
}

static void eliminate(struct elimination *x, int v) {
  int n = x->space->n;
  for (int u = 0; u < n; u++) {
    if (x->gone[u] || u == v || x->edge[u * n + v] == LIT_FALSE)
      continue;
    for (int w = 0; w < n; w++) {
      if (x->gone[w] || w == v || x->edge[v * n + w] == LIT_FALSE)
        continue;
      if (u == w)
        x->emit(x->context, (int[]){-x->edge[u * n + v], -x->edge[v * n + u]}, 2, true);
      else
        join(x, u, v, w);
    }
  }
  x->gone[v] = 1;
}

void relation_acyclic(const struct space *s, const int *r, void *context,
                      void (*emit)(void *context, const int *clause, int count, bool required)) {
  int n = s->n;
  struct elimination x = {.space = s, .context = context, .emit = emit};
  x.edge = cells_create(s, n * n);
  memcpy(x.edge, r, (size_t)(n * n) * sizeof *r);
  x.made = arena_alloc(s->arena, (size_t)(n * n) + 1);
  x.gone = arena_alloc(s->arena, (size_t)n + 1);
  for (int i = 0; i < n; i++)
    if (r[i * n + i] != LIT_FALSE)
      emit(context, (int[]){-r[i * n + i]}, 1, true);
  for (int round = 0; round < n; round++) {
    int best = -1, best_cost = 0;
    for (int v = 0; v < n; v++) {
      int cost = x.gone[v] ? 0 : degree_product(&x, v);
      if (!x.gone[v] && (best < 0 || cost < best_cost)) {
        best = v;
        best_cost = cost;
      }
    }
    eliminate(&x, best);
  }
}
