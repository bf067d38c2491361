#include "axiom/domain.h"
#include <stdlib.h>
#include <string.h>

enum {
  VALUES_MAX = 256,
  COMBINATIONS_MAX = 1 << 20, /* of the operands of an operator inside an expression */
  WORK_MAX = 20 * 1000 * 1000,
  WEIGHT_MAX = 100000,
  SINGLE_WEIGHT_MAX = 200
};

/* A value that may be written somewhere, and who writes it: a statement, or -1 for several. */
struct written {
  int64_t value;
  int stmt;
};

struct builder {
  const struct program *p;
  struct arena *arena;
  struct domains *d;
  int *single; /* by expression: see expr_single_read */
  int64_t *scratch;
  int used, capacity;
  LIST(struct written) written; /* where the last read reads */
  int64_t work;                 /* so far */
  int large;                    /* an expression whose operands have too many combinations, or -1 */
};

static int compare_values(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void scratch_add(struct builder *b, int64_t v) {
  if (b->used == b->capacity) {
    int capacity = b->capacity ? b->capacity * 2 : 256;
    b->scratch =
        arena_grow(b->arena, b->scratch, (size_t)b->used * sizeof v, (size_t)capacity * sizeof v);
    b->capacity = capacity;
  }
  b->scratch[b->used++] = v;
}

static void scratch_add_all(struct builder *b, struct values v) {
  for (int i = 0; i < v.count; i++)
    scratch_add(b, v.data[i]);
}

/* Sorts the scratch into a set; gives `old` back if nothing is new. */
static struct values scratch_take(struct builder *b, struct values old) {
  int n = 0, ascending = 1;
  b->work += b->used;
  while (ascending < b->used && b->scratch[ascending - 1] <= b->scratch[ascending])
    ascending++;
  if (ascending < b->used)
    qsort(b->scratch, (size_t)b->used, sizeof *b->scratch, compare_values);
  for (int i = 0; i < b->used; i++)
    if (!n || b->scratch[n - 1] != b->scratch[i])
      b->scratch[n++] = b->scratch[i];
  b->used = 0;
  if (n == old.count && (n == 0 || !memcmp(old.data, b->scratch, (size_t)n * sizeof *b->scratch)))
    return old;
  int64_t *data = arena_alloc(b->arena, (size_t)n * sizeof *data + 1);
  if (n)
    memcpy(data, b->scratch, (size_t)n * sizeof *data);
  return (struct values){data, n};
}

bool values_contain(struct values v, int64_t x) {
  for (int i = 0; i < v.count; i++)
    if (v.data[i] == x)
      return true;
  return false;
}

bool stmt_may_access(const struct program *p, const struct domains *d, int stmt, int location) {
  int e = p->stmts.data[stmt].address;
  return e >= 0 && values_contain(d->expr[e], program_address(p, location));
}

bool stmts_may_alias(const struct program *p, const struct domains *d, int s, int t) {
  int a = p->stmts.data[s].address, b = p->stmts.data[t].address;
  if (a < 0 || b < 0)
    return false;
  if (a == b)
    return d->expr[a].count > 0;
  for (int i = 0; i < d->expr[a].count; i++)
    if (values_contain(d->expr[b], d->expr[a].data[i]))
      return true;
  return false;
}

bool expr_depends(const struct program *p, int e, int s) {
  if (e < 0)
    return false;
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_READ)
    return x->value == s;
  for (int i = 0; i < expr_arity(x->kind); i++)
    if (expr_depends(p, x->arg[i], s))
      return true;
  return false;
}

int expr_single_read(const struct program *p, int e) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_CONST)
    return -1;
  if (x->kind == EXPR_READ)
    return (int)x->value;
  if (x->kind == EXPR_FINAL || x->kind == EXPR_NVM || x->kind == EXPR_CHOICE ||
      x->kind == EXPR_INPUT)
    return -2;
  if (x->weight > SINGLE_WEIGHT_MAX)
    return -2;
  int found = -1;
  for (int i = 0; i < expr_arity(x->kind); i++) {
    int r = expr_single_read(p, x->arg[i]);
    if (r == -2 || (r >= 0 && found >= 0 && r != found))
      return -2;
    found = r >= 0 ? r : found;
  }
  return found;
}

int64_t expr_evaluate(const struct program *p, int e, int64_t v) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_CONST || x->kind == EXPR_READ)
    return x->kind == EXPR_CONST ? x->value : v;
  int64_t a[3] = {0, 0, 0};
  for (int i = 0; i < expr_arity(x->kind); i++)
    a[i] = expr_evaluate(p, x->arg[i], v);
  return expr_apply(x->kind, a[0], a[1], a[2]);
}

static void operator_values(struct builder *b, int e) {
  const struct expr *x = &b->p->exprs.data[e];
  int read = b->single[e];
  if (read >= 0) { /* one unknown: exact, however often it occurs */
    for (int i = 0; i < b->d->read[read].count; i++)
      scratch_add(b, expr_evaluate(b->p, e, b->d->read[read].data[i]));
    return;
  }
  int arity = expr_arity(x->kind);
  struct values one = {(const int64_t[]){0}, 1};
  struct values v[3] = {one, one, one};
  for (int i = 0; i < arity; i++)
    v[i] = b->d->expr[x->arg[i]];
  if (x->kind == EXPR_ITE) {
    scratch_add_all(b, v[1]);
    scratch_add_all(b, v[2]);
    return;
  }
  if ((int64_t)v[0].count * v[1].count > COMBINATIONS_MAX) {
    b->large = e;
    return;
  }
  for (int i = 0; i < v[0].count; i++)
    for (int j = 0; j < v[1].count; j++)
      scratch_add(b, expr_apply(x->kind, v[0].data[i], v[1].data[j], 0));
}

static bool is_truth(enum expr_kind k) {
  return (k >= EXPR_EQ && k <= EXPR_ULE) || k == EXPR_LAND || k == EXPR_LOR || k == EXPR_LNOT;
}

static bool update_exprs(struct builder *b) {
  bool changed = false;
  for (int e = 0; e < b->p->exprs.length && b->large < 0 && b->work <= WORK_MAX; e++) {
    const struct expr *x = &b->p->exprs.data[e];
    struct values old = b->d->expr[e];
    if (x->kind == EXPR_CONST) {
      scratch_add(b, x->value);
    } else if (x->kind == EXPR_READ) {
      scratch_add_all(b, b->d->read[x->value]);
    } else if (x->kind == EXPR_FINAL || x->kind == EXPR_NVM) {
      for (int s = 0; s < b->p->stmts.length; s++)
        if (b->p->stmts.data[s].kind == STMT_WRITE && stmt_may_access(b->p, b->d, s, (int)x->value))
          scratch_add_all(b, b->d->expr[b->p->stmts.data[s].value]);
    } else if (is_truth(x->kind) || x->kind == EXPR_CHOICE) {
      scratch_add(b, 0);
      scratch_add(b, 1);
    } else {
      operator_values(b, e);
    }
    b->d->expr[e] = scratch_take(b, old);
    changed = changed || b->d->expr[e].data != old.data;
  }
  return changed;
}

/* The write of a read-modify-write whose value comes from its own read: that read cannot see it. */
static bool feeds_itself(const struct program *p, int r, int w) {
  return p->stmts.data[w].partner == r && expr_depends(p, p->stmts.data[w].value, r);
}

static int compare_written(const void *a, const void *b) {
  return compare_values(&((const struct written *)a)->value, &((const struct written *)b)->value);
}

/* What may be written where read r reads, each value once. */
static void find_written(struct builder *b, int r) {
  b->written.length = 0;
  for (int w = 0; w < b->p->stmts.length; w++)
    if (b->p->stmts.data[w].kind == STMT_WRITE && stmts_may_alias(b->p, b->d, r, w)) {
      struct values v = b->d->expr[b->p->stmts.data[w].value];
      for (int i = 0; i < v.count; i++)
        list_push(b->arena, &b->written, ((struct written){v.data[i], w}));
    }
  struct written *all = b->written.data;
  b->work += b->written.length;
  if (b->written.length > 1)
    qsort(all, (size_t)b->written.length, sizeof *all, compare_written);
  int n = 0;
  for (int i = 0; i < b->written.length; i++)
    if (n && all[n - 1].value == all[i].value)
      all[n - 1].stmt = -1;
    else
      all[n++] = all[i];
  b->written.length = n;
}

static bool update_reads(struct builder *b) {
  bool changed = false;
  int known = -1; /* the address that b->written is about, an expression */
  for (int r = 0; r < b->p->stmts.length; r++) {
    const struct stmt *s = &b->p->stmts.data[r];
    if (s->kind != STMT_READ)
      continue;
    if (s->address != known)
      find_written(b, r);
    known = s->address;
    struct values old = b->d->read[r];
    int k = 0; /* both are sorted, and so is what comes of them */
    for (int i = 0; i < b->written.length; i++) {
      int w = b->written.data[i].stmt;
      while (k < old.count && old.data[k] <= b->written.data[i].value)
        scratch_add(b, old.data[k++]);
      if (w < 0 || !feeds_itself(b->p, r, w))
        scratch_add(b, b->written.data[i].value);
    }
    while (k < old.count)
      scratch_add(b, old.data[k++]);
    b->d->read[r] = scratch_take(b, old);
    changed = changed || b->d->read[r].data != old.data;
    if (b->d->read[r].count > VALUES_MAX)
      break; /* see too_many */
  }
  return changed;
}

/* feeds[r][q]: a value read by r may be written where q reads; closed transitively. */
static unsigned char *value_flow(struct builder *b) {
  int n = b->p->stmts.length;
  unsigned char *feeds = arena_alloc(b->arena, (size_t)n * (size_t)n);
  for (int w = 0; w < n; w++) {
    if (b->p->stmts.data[w].kind != STMT_WRITE ||
        expr_is_const(b->p, b->p->stmts.data[w].value, NULL))
      continue;
    for (int r = 0; r < n; r++)
      if (b->p->stmts.data[r].kind == STMT_READ && expr_depends(b->p, b->p->stmts.data[w].value, r))
        for (int q = 0; q < n; q++)
          if (b->p->stmts.data[q].kind == STMT_READ && !feeds_itself(b->p, q, w) &&
              stmts_may_alias(b->p, b->d, w, q))
            feeds[r * n + q] = 1;
  }
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      if (feeds[i * n + k])
        for (int j = 0; j < n; j++)
          feeds[i * n + j] |= feeds[k * n + j];
  return feeds;
}

static bool seed_thin_air(struct builder *b) {
  int n = b->p->stmts.length;
  unsigned char *feeds = value_flow(b);
  bool any = false;
  for (int r = 0; r < n; r++) {
    if (!feeds[r * n + r])
      continue;
    scratch_add_all(b, b->d->read[r]);
    for (int e = 0; e < b->p->exprs.length; e++) {
      const struct expr *x = &b->p->exprs.data[e];
      if (x->kind == EXPR_CONST && program_location_at(b->p, x->value) < 0)
        scratch_add(b, x->value);
    }
    b->d->read[r] = scratch_take(b, b->d->read[r]);
    any = true;
  }
  return any;
}

/* The statement with the most values so far. */
static int busiest(const struct builder *b) {
  int most = 0, at = 0;
  for (int s = 0; s < b->p->stmts.length; s++) {
    int value = b->p->stmts.data[s].value;
    int count = value >= 0 ? b->d->expr[value].count : b->d->read[s].count;
    if (b->p->stmts.data[s].place.line && count > most) {
      most = count;
      at = s;
    }
  }
  return at;
}

static bool too_many(struct builder *b, struct diag *d) {
  if (b->large >= 0) {
    diag_set(d, program_place_of(b->p, b->large),
             "an expression may have more than %d different values", COMBINATIONS_MAX);
    return true;
  }
  if (b->work > WORK_MAX) {
    diag_set(d, b->p->stmts.data[busiest(b)].place,
             "too many reads, writes and values: where do the addresses and loops come from?");
    return true;
  }
  for (int s = 0; s < b->p->stmts.length; s++)
    if (b->d->read[s].count > VALUES_MAX ||
        (b->p->stmts.data[s].value >= 0 &&
         b->d->expr[b->p->stmts.data[s].value].count > VALUES_MAX)) {
      diag_set(d, b->p->stmts.data[s].place, "'%s' may have more than %d different values",
               b->p->stmts.data[s].text, VALUES_MAX);
      return true;
    }
  return false;
}

static bool iterate(struct builder *b, int rounds, struct diag *d) {
  for (int i = 0; i <= rounds; i++) {
    bool changed = update_exprs(b);
    changed = update_reads(b) || changed;
    if (too_many(b, d))
      return false;
    if (!changed)
      break;
  }
  update_exprs(b);
  return !too_many(b, d);
}

static void collect_all(struct builder *b) {
  for (int s = 0; s < b->p->stmts.length; s++)
    if (b->p->stmts.data[s].kind == STMT_WRITE)
      scratch_add_all(b, b->d->expr[b->p->stmts.data[s].value]);
  for (int e = 0; e < b->p->exprs.length; e++)
    if (b->p->exprs.data[e].kind == EXPR_CONST &&
        program_location_at(b->p, b->p->exprs.data[e].value) < 0)
      scratch_add(b, b->p->exprs.data[e].value);
  b->d->all = scratch_take(b, (struct values){NULL, 0});
}

struct domains *domains_compute(const struct program *p, struct arena *a, struct diag *d) {
  for (int e = 0; e < p->exprs.length; e++)
    if (p->exprs.data[e].weight > WEIGHT_MAX) {
      diag_set(d, program_place_of(p, e), "an expression takes more than %d operations",
               WEIGHT_MAX);
      return NULL;
    }
  struct builder b = {.p = p, .arena = a, .large = -1};
  b.d = arena_alloc(a, sizeof *b.d);
  b.d->expr = arena_alloc(a, (size_t)p->exprs.length * sizeof *b.d->expr);
  b.d->read = arena_alloc(a, (size_t)p->stmts.length * sizeof *b.d->read);
  b.single = arena_alloc(a, (size_t)p->exprs.length * sizeof *b.single);
  for (int e = 0; e < p->exprs.length; e++)
    b.single[e] = expr_single_read(p, e);
  int writes = 0;
  for (int s = 0; s < p->stmts.length; s++)
    writes += p->stmts.data[s].kind == STMT_WRITE;
  if (!iterate(&b, writes, d))
    return NULL;
  if (seed_thin_air(&b) && !iterate(&b, writes, d))
    return NULL;
  collect_all(&b);
  return b.d;
}
