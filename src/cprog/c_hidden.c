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

/* Two writes of one thread at one place. */
static bool are_in_order(const struct c_exec *x, int first, int second) {
  const struct stmt *a = stmt_of(x, first), *b = stmt_of(x, second);
  return b->kind == STMT_WRITE && a->address == b->address &&
         x->parts.data[first].bytes == x->parts.data[second].bytes &&
         comes_before(x, first, second);
}

struct c_hidden_pairs c_hidden_pairs(struct c_exec *x) {
  const int *hiders = c_hidden_find(x);
  struct c_hidden_pairs all = {.parts = x->parts.length};
  size_t n = (size_t)all.parts;
  all.hides_first = arena_alloc(x->arena, n + 1);
  all.unseen = arena_alloc(x->arena, n * n + 1);
  all.in_order = arena_alloc(x->arena, n * n + 1);
  for (int w = 0; w < all.parts; w++)
    for (int b = 0; stmt_of(x, w)->kind == STMT_WRITE && b < all.parts; b++) {
      bool reads = stmt_of(x, b)->kind == STMT_READ;
      all.unseen[(size_t)w * n + (size_t)b] = reads && !c_hidden_sees(x, hiders, b, w);
      all.in_order[(size_t)w * n + (size_t)b] = are_in_order(x, w, b);
    }
  for (int r = 0; r < all.parts; r++)
    all.hides_first[r] = stmt_of(x, r)->kind == STMT_READ && hiders[r] >= 0;
  return all;
}

void c_hidden_note(struct c_exec *x, const struct c_hidden_pairs *all) {
  struct program *p = x->p;
  size_t n = (size_t)p->stmts.length, parts = (size_t)all->parts;
  unsigned char *unseen = arena_alloc(x->arena, n * n + 1);
  unsigned char *in_order = arena_alloc(x->arena, n * n + 1);
  for (size_t b = 0; b < parts; b++) {
    size_t to = (size_t)p->moved[x->parts.data[b].stmt];
    for (size_t a = 0; a < parts; a++) {
      size_t from = (size_t)p->moved[x->parts.data[a].stmt];
      unseen[from * n + to] = all->unseen[a * parts + b];
      in_order[from * n + to] = all->in_order[a * parts + b];
    }
    for (size_t s = 0; s < n && p->stmts.data[s].thread == 0; s++)
      unseen[s * n + to] = all->hides_first[b];
  }
  p->unseen = unseen;
  p->in_order = in_order;
}
