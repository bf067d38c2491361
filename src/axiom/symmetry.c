#include "axiom/symmetry.h"
#include <string.h>

enum { CLASS_MIN = 3 };

static int first_stmt(const struct program *p, int thread) {
  int s = 0;
  while (s < p->stmts.length && p->stmts.data[s].thread != thread)
    s++;
  return s;
}

int symmetry_stmt(const struct program *p, int x, int from, int to) {
  return x - first_stmt(p, from) + first_stmt(p, to);
}

static int counterpart(const struct program *p, int stmt, int from, int to) {
  int thread = p->stmts.data[stmt].thread;
  return thread == from ? symmetry_stmt(p, stmt, from, to)
         : thread == to ? symmetry_stmt(p, stmt, to, from)
                        : stmt;
}

/* Whether f is what becomes of e when the two threads change places. */
static bool swapped_expr(const struct program *p, int e, int f, int from, int to) {
  if (e < 0 || f < 0)
    return e == f;
  const struct expr *x = &p->exprs.data[e], *y = &p->exprs.data[f];
  if (x->kind != y->kind || x->weight != y->weight)
    return false;
  if (x->kind == EXPR_READ)
    return counterpart(p, (int)x->value, from, to) == y->value;
  if (x->value != y->value)
    return false;
  for (int i = 0; i < expr_arity(x->kind); i++)
    if (!swapped_expr(p, x->arg[i], y->arg[i], from, to))
      return false;
  return true;
}

int symmetry_expr(const struct program *p, int x, int from, int to) {
  for (int e = 0; e < p->exprs.length; e++)
    if (swapped_expr(p, x, e, from, to))
      return e;
  return -1;
}

void symmetry_threads_in(const struct program *p, int expr, bool *threads) {
  if (expr < 0)
    return;
  const struct expr *x = &p->exprs.data[expr];
  if (x->kind == EXPR_READ)
    threads[p->stmts.data[x->value].thread] = true;
  for (int i = 0; i < expr_arity(x->kind); i++)
    symmetry_threads_in(p, x->arg[i], threads);
}

/* ---- which threads are alike -------------------------------------------------------------- */

static bool same_partner(const struct program *p, int a, int b, int from, int to) {
  return a < 0 || b < 0 ? a == b : counterpart(p, a, from, to) == b;
}

static bool same_stmt(const struct program *p, int s, int t, int from, int to) {
  const struct stmt *x = &p->stmts.data[s], *y = &p->stmts.data[t];
  return y->thread == to && x->kind == y->kind && x->flavour == y->flavour &&
         x->monitor == y->monitor && x->atomic == y->atomic && x->is_volatile == y->is_volatile &&
         !strcmp(x->text ? x->text : "", y->text ? y->text : "") &&
         same_partner(p, x->partner, y->partner, from, to) &&
         swapped_expr(p, x->guard, y->guard, from, to) &&
         swapped_expr(p, x->address, y->address, from, to) &&
         swapped_expr(p, x->value, y->value, from, to);
}

/* No thread waits for another. */
static bool is_free(const struct program *p) {
  for (int t = 0; t < p->threads.length; t++)
    for (int i = 0; i < p->threads.data[t].after.length; i++)
      if (p->threads.data[t].after.data[i] != 0)
        return false;
  return true;
}

static bool alike(const struct program *p, int from, int to) {
  int s = first_stmt(p, from), t = first_stmt(p, to), n = p->stmts.length;
  for (; s < n && p->stmts.data[s].thread == from; s++, t++)
    if (t >= n || !same_stmt(p, s, t, from, to))
      return false;
  return t == n || p->stmts.data[t].thread != to;
}

/* A write that is always performed, to a location that is known. */
static int certain_write(const struct program *p, int thread) {
  for (int s = first_stmt(p, thread); s < p->stmts.length && p->stmts.data[s].thread == thread;
       s++) {
    const struct stmt *x = &p->stmts.data[s];
    int64_t guard;
    if (x->kind == STMT_WRITE && expr_is_const(p, x->guard, &guard) && guard &&
        expr_is_const(p, x->address, NULL))
      return s;
  }
  return -1;
}

const struct symmetry *symmetry_find(const struct program *p, const bool *apart, struct arena *a) {
  int n = p->threads.length;
  if (n <= CLASS_MIN || !is_free(p))
    return NULL;
  struct symmetry *y = arena_alloc(a, sizeof *y);
  bool *taken = arena_alloc(a, (size_t)n * sizeof *taken + 1);
  for (int t = 0; apart && t < n; t++)
    taken[t] = apart[t];
  for (int i = 0; i < p->assumes.length; i++)
    symmetry_threads_in(p, p->assumes.data[i], taken);
  for (int t = 1; t < n; t++) {
    struct thread_class c = {.sorted_by = taken[t] ? -1 : certain_write(p, t)};
    if (c.sorted_by < 0)
      continue;
    c.threads = arena_alloc(a, (size_t)n * sizeof *c.threads);
    for (int u = t; u < n; u++)
      if (!taken[u] && (u == t || alike(p, t, u))) {
        taken[u] = true;
        c.threads[c.count++] = u;
      }
    if (c.count >= CLASS_MIN)
      list_push(a, &y->classes, c);
  }
  return y->classes.length ? y : NULL;
}
