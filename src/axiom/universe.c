#include "axiom/universe.h"
#include <string.h>

enum { CLASS_MAX = 64 };

struct builder {
  const struct program *p;
  const struct domains *d;
  struct arena *arena;
  struct universe *u;
};

/* Conjuncts of a guard, so that opposite branches can be recognised. */
static int conjuncts(const struct program *p, int e, int *out, int n) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_LAND && n < CLASS_MAX - 1) {
    n = conjuncts(p, x->arg[0], out, n);
    return conjuncts(p, x->arg[1], out, n);
  }
  if (n < CLASS_MAX)
    out[n++] = e;
  return n;
}

static bool opposite(const struct program *p, int e, int f) {
  const struct expr *x = &p->exprs.data[e], *y = &p->exprs.data[f];
  return (x->kind == EXPR_LNOT && x->arg[0] == f) || (y->kind == EXPR_LNOT && y->arg[0] == e);
}

static bool exclusive(const struct program *p, int s, int t) {
  int a[CLASS_MAX], b[CLASS_MAX];
  int n = conjuncts(p, p->stmts.data[s].guard, a, 0),
      m = conjuncts(p, p->stmts.data[t].guard, b, 0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (opposite(p, a[i], b[j]))
        return true;
  return false;
}

static bool same_class(const struct builder *b, int s, int t) {
  const struct stmt *x = &b->p->stmts.data[s], *y = &b->p->stmts.data[t];
  if (x->thread != y->thread || x->kind != y->kind || x->flavour != y->flavour ||
      x->atomic != y->atomic || x->is_volatile != y->is_volatile || x->monitor != y->monitor ||
      !tags_equal(&x->tags, &y->tags))
    return false;
  if (x->kind == STMT_START || x->kind == STMT_END)
    return s == t;
  return x->address < 0 || stmts_may_alias(b->p, b->d, s, t);
}

/* The largest set of statements of one class no two of which exclude each other. */
struct clique {
  const unsigned char *excluded; /* n * n */
  int n, best;
  unsigned char in[CLASS_MAX], best_in[CLASS_MAX];
  long steps;
};

static void clique_search(struct clique *q, int i, int size) {
  if (size + (q->n - i) <= q->best || ++q->steps > 100000)
    return;
  if (i == q->n) {
    q->best = size;
    memcpy(q->best_in, q->in, sizeof q->in);
    return;
  }
  bool fits = true;
  for (int j = 0; j < i; j++)
    fits = fits && !(q->in[j] && q->excluded[i * q->n + j]);
  if (fits) {
    q->in[i] = 1;
    clique_search(q, i + 1, size + 1);
    q->in[i] = 0;
  }
  clique_search(q, i + 1, size);
}

static void mark_representatives(struct builder *b, const int *class, int n, unsigned char *rep) {
  struct clique q = {.n = n, .best = -1};
  unsigned char *excluded = arena_alloc(b->arena, (size_t)n * (size_t)n + 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      excluded[i * n + j] = i != j && exclusive(b->p, class[i], class[j]);
  q.excluded = excluded;
  clique_search(&q, 0, 0);
  for (int i = 0; i < n; i++)
    rep[class[i]] = q.best_in[i];
}

static bool wanted(const struct stmt *s, bool start_end) {
  return start_end || (s->kind != STMT_START && s->kind != STMT_END);
}

static unsigned char *representatives(struct builder *b, bool shared, bool start_end) {
  int n = b->p->stmts.length;
  unsigned char *rep = arena_alloc(b->arena, (size_t)n), *seen = arena_alloc(b->arena, (size_t)n);
  for (int s = 0; s < n; s++) {
    if (!wanted(&b->p->stmts.data[s], start_end) || seen[s])
      continue;
    if (!shared) {
      rep[s] = 1;
      continue;
    }
    int class[CLASS_MAX], size = 0;
    for (int t = s; t < n && size < CLASS_MAX; t++)
      if (!seen[t] && same_class(b, s, t)) {
        class[size++] = t;
        seen[t] = 1;
      }
    mark_representatives(b, class, size, rep);
  }
  return rep;
}

static void add_action(struct builder *b, int s, int position) {
  const struct stmt *x = &b->p->stmts.data[s];
  char letter = x->kind == STMT_START ? 's' : x->kind == STMT_END ? 'e' : 'a';
  struct action a = {.stmt = s,
                     .kind = x->kind,
                     .flavour = x->flavour,
                     .thread = x->thread,
                     .atomic = x->atomic,
                     .is_volatile = x->is_volatile,
                     .tags = x->tags,
                     .location = -1,
                     .monitor = x->monitor};
  if (x->atomic && b->p->arch && !strncmp(b->p->arch, "X86", 3))
    tags_add(&a.tags, TAG_A); /* what some models of x86 call locked accesses */
  a.name = letter == 'a'
               ? arena_format(b->arena, position < 10 ? "a%d%d" : "a%d_%d", x->thread, position)
               : arena_format(b->arena, "%c%d", letter, x->thread);
  list_push(b->arena, &b->u->actions, a);
}

static void fix_locations(struct universe *u) {
  for (int a = 0; a < u->actions.length; a++) {
    int location = -2;
    for (int i = 0; i < u->performers.length; i++) {
      if (u->performers.data[i].action != a)
        continue;
      int e = u->program->stmts.data[u->performers.data[i].stmt].address;
      int64_t address;
      int l = e >= 0 && expr_is_const(u->program, e, &address)
                  ? program_location_at(u->program, address)
                  : -1;
      location = location == -2 || location == l ? l : -1;
    }
    u->actions.data[a].location = location < 0 ? -1 : location;
  }
}

struct universe *universe_create(const struct program *p, const struct domains *d, struct arena *a,
                                 bool shared, bool start_end) {
  struct builder b = {p, d, a, arena_alloc(a, sizeof *b.u)};
  b.u->program = p;
  b.u->domains = d;
  unsigned char *rep = representatives(&b, shared, start_end);
  for (int s = 0, thread = -1, position = 0; s < p->stmts.length; s++) {
    if (p->stmts.data[s].thread != thread) {
      thread = p->stmts.data[s].thread;
      position = 0;
    }
    if (rep[s])
      add_action(&b, s, position);
    position++;
  }
  b.u->first = arena_alloc(a, (size_t)(p->stmts.length + 1) * sizeof *b.u->first);
  for (int s = 0; s < p->stmts.length; s++) {
    b.u->first[s] = b.u->performers.length;
    if (!wanted(&p->stmts.data[s], start_end))
      continue;
    for (int i = 0; i < b.u->actions.length; i++) {
      int owner = b.u->actions.data[i].stmt;
      if (shared ? same_class(&b, s, owner) : s == owner) {
        struct performer performer = {s, i};
        list_push(a, &b.u->performers, performer);
      }
    }
  }
  b.u->first[p->stmts.length] = b.u->performers.length;
  fix_locations(b.u);
  return b.u;
}
