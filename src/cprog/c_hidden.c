#include "cprog/c_hidden.h"

static const struct stmt *stmt_of(const struct c_exec *x, int part) {
  return &x->p->stmts.data[x->parts.data[part].stmt];
}

/* In program order, if both are executed. */
static bool comes_before(const struct c_exec *x, int first, int second) {
  int a = x->parts.data[first].stmt, b = x->parts.data[second].stmt;
  int from = x->p->stmts.data[a].thread, to = x->p->stmts.data[b].thread;
  while (to != from && x->threads.data[to].creator >= 0) {
    b = x->threads.data[to].created_at;
    to = x->threads.data[to].creator;
  }
  return to == from && a < b;
}

/* Whoever executes the read has executed the write before. */
static bool always_before(const struct c_exec *x, int write, int read) {
  int from = stmt_of(x, write)->thread, to = stmt_of(x, read)->thread;
  int path = stmt_of(x, read)->guard;
  for (; to != from; to = x->threads.data[to].creator)
    path = x->threads.data[to].created;
  return c_guard_implies(x, path, stmt_of(x, write)->guard);
}

/* Equal expressions are equal addresses, whatever they are. */
static bool hides(const struct c_exec *x, int write, int read) {
  const struct stmt *w = stmt_of(x, write), *r = stmt_of(x, read);
  return w->kind == STMT_WRITE && !w->frees && !w->births && w->address == r->address &&
         x->parts.data[write].bytes == x->parts.data[read].bytes && comes_before(x, write, read) &&
         always_before(x, write, read);
}

int *c_hidden_find(struct c_exec *x) {
  int *hiders = arena_alloc(x->arena, (size_t)x->parts.length * sizeof *hiders + 1);
  for (int r = 0; r < x->parts.length; r++) {
    const struct stmt *s = stmt_of(x, r);
    hiders[r] = -1;
    if (s->kind == STMT_READ)
      for (int w = r - 1; w >= 0 && hiders[r] < 0; w--)
        if (hides(x, w, r))
          hiders[r] = w;
  }
  return hiders;
}

bool c_hidden_sees(const struct c_exec *x, const int *hiders, int read, int write) {
  int hider = hiders[read];
  return !comes_before(x, read, write) && (hider < 0 || !comes_before(x, write, hider));
}
