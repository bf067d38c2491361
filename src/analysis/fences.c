#include "analysis/fences.h"
#include "analysis/store_buffer.h"
#include <string.h>

#define NO_PLACE UINT32_MAX
/* Of a place; a little more behind a load, where there may be no statement to put a fence behind. */
#define COST 1024

/* ---- places ---- */

static bool same_line(const struct abi_site *a, const struct abi_site *b) {
  return a == b || (a->line == b->line && strcmp(a->file, b->file) == 0);
}

static uint32_t place_of(struct fences *f, const struct operation *o) {
  if (!o->site || !*o->site->file)
    return NO_PLACE;
  bool stores = o->kind == OPERATION_WRITE;
  for (uint32_t i = 0; i < f->places.length; i++)
    if (same_line(f->places.data[i].site, o->site)) {
      if (stores && !f->places.data[i].stores)
        f->places.data[i].site = o->site;
      f->places.data[i].stores |= stores;
      return i;
    }
  vec_push(&f->places, ((struct fences_place){.site = o->site, .stores = stores}));
  return (uint32_t)f->places.length - 1;
}

/* ---- one execution ---- */

static struct {
  VEC(uint32_t) left;         /* the place that its thread leaves right before it, or NO_PLACE */
  VEC(uint32_t) moved;        /* where each operation is in `with` */
  VEC(struct operation) with; /* the execution with fences */
  VEC(uint32_t) newest;       /* by thread: where it is */
  struct store_buffer monitor;
} one; /* scratch */

static void look_at(struct fences *f, const struct operation *operations, size_t count) {
  one.left.length = one.newest.length = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t place = place_of(f, &operations[i]), thread = operations[i].thread;
    while (one.newest.length <= thread)
      vec_push(&one.newest, NO_PLACE);
    uint32_t before = one.newest.data[thread];
    vec_push(&one.left, before == place ? NO_PLACE : before);
    one.newest.data[thread] = place;
  }
}

/* Does the monitor object, with fences at these places?  set: by place. */
static bool objects(const struct operation *operations, size_t count, const bool *set) {
  one.with.length = one.moved.length = 0;
  for (size_t i = 0; i < count; i++) {
    struct operation o = operations[i];
    if (one.left.data[i] != NO_PLACE && set[one.left.data[i]])
      vec_push(&one.with, ((struct operation){.kind = OPERATION_FENCE,
                                              .order = 1 + ABI_SEQ_CST,
                                              .drained = true,
                                              .thread = o.thread}));
    if (o.after)
      o.after = 1 + one.moved.data[o.after - 1];
    vec_push(&one.moved, (uint32_t)one.with.length);
    vec_push(&one.with, o);
  }
  store_buffer_follow(&one.monitor, one.with.data, one.with.length, 0);
  return one.monitor.reports.length > 0;
}

/* Add places as long as the monitor still objects; of the places that are left then, one is needed. */
static void learn(struct fences *f, const struct operation *operations, size_t count, bool *set) {
  fences_set clause = {0};
  for (uint32_t p = 0; p < f->places.length; p++) {
    bool passed = false;
    for (size_t i = 0; i < count && !passed; i++)
      passed = one.left.data[i] == p;
    if (!passed || set[p])
      continue;
    set[p] = true;
    if (objects(operations, count, set))
      continue;
    set[p] = false;
    vec_push(&clause, p);
  }
  f->hopeless |= clause.length == 0;
  if (clause.length)
    vec_push(&f->needed, clause);
}

/* ---- the fewest ---- */

static struct {
  uint32_t cost, best;
  VEC(bool) now, chosen;
} solve; /* scratch */

static bool is_hit(const fences_set *s) {
  for (size_t i = 0; i < s->length; i++)
    if (solve.now.data[s->data[i]])
      return true;
  return false;
}

static bool disjoint(const fences_set *a, const fences_set *b) {
  for (size_t i = 0, k = 0; i < a->length && k < b->length;) {
    if (a->data[i] == b->data[k])
      return false;
    if (a->data[i] < b->data[k])
      i++;
    else
      k++;
  }
  return true;
}

/* A lower bound: disjoint sets that are not hit yet need a place each. */
static uint32_t at_least(const struct fences *f) {
  uint32_t count = 0;
  VEC(size_t) taken = {0};
  for (size_t i = 0; i < f->needed.length; i++) {
    bool apart = !is_hit(&f->needed.data[i]);
    for (size_t k = 0; k < taken.length && apart; k++)
      apart = disjoint(&f->needed.data[i], &f->needed.data[taken.data[k]]);
    if (!apart)
      continue;
    vec_push(&taken, i);
    count++;
  }
  vec_free(&taken);
  return count * COST;
}

static void branch(struct fences *f) {
  if (solve.cost + at_least(f) >= solve.best)
    return;
  size_t open = 0;
  while (open < f->needed.length && is_hit(&f->needed.data[open]))
    open++;
  if (open == f->needed.length) {
    solve.best = solve.cost;
    memcpy(solve.chosen.data, solve.now.data, f->places.length * sizeof(bool));
    return;
  }
  for (size_t i = 0; i < f->needed.data[open].length; i++) {
    uint32_t place = f->needed.data[open].data[i], cost = COST + !f->places.data[place].stores;
    solve.now.data[place] = true;
    solve.cost += cost;
    branch(f);
    solve.cost -= cost;
    solve.now.data[place] = false;
  }
}

static void choose(struct fences *f) {
  solve.now.length = solve.chosen.length = 0;
  for (size_t i = 0; i < f->places.length; i++) {
    vec_push(&solve.now, false);
    vec_push(&solve.chosen, false);
  }
  solve.cost = 0;
  solve.best = UINT32_MAX;
  branch(f);
  for (size_t i = 0; i < f->places.length; i++)
    f->places.data[i].chosen = solve.chosen.data[i];
}

bool fences_consider(struct fences *f, const struct operation *operations, size_t count) {
  static VEC(bool) set; /* scratch */
  if (f->hopeless)
    return false;
  look_at(f, operations, count);
  bool changed = false;
  for (;;) {
    set.length = 0;
    for (size_t i = 0; i < f->places.length; i++)
      vec_push(&set, f->places.data[i].chosen);
    if (!objects(operations, count, set.data))
      return changed;
    learn(f, operations, count, set.data);
    if (f->hopeless)
      return true;
    choose(f);
    changed = true;
  }
}
