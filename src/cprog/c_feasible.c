/* Ways that nobody can take, by the values that the last round has found for each read. */
#include "axiom/domain.h"
#include "cprog/c_exec.h"

/* Conjuncts of a guard, each of which looks at one read only; others are left out. */
struct conjunct {
  int expr, read;
};

enum { CONJUNCTS = 128, CONJUNCTS_SEEN = 1000, WEIGHT_MAX = 40 };

static int single_read(const struct c_exec *x, int e) {
  return x->p->exprs.data[e].weight < WEIGHT_MAX ? expr_single_read(x->p, e) : -2;
}

static int conjuncts(struct c_exec *x, int e, struct conjunct *list, int count, int *seen) {
  const struct expr *f = &x->p->exprs.data[e];
  if (count == CONJUNCTS || ++*seen > CONJUNCTS_SEEN) /* those before the loop began say little */
    return count;
  if (f->kind == EXPR_LAND) {
    count = conjuncts(x, f->arg[1], list, count, seen);
    return conjuncts(x, x->p->exprs.data[e].arg[0], list, count, seen);
  }
  int read = single_read(x, e);
  if (read >= 0)
    list[count++] = (struct conjunct){e, read};
  return count;
}

/* Has this read a value with which all conjuncts that look at it hold? */
static bool holds_for_some(struct c_exec *x, const struct conjunct *list, int count, int read) {
  const struct c_values *v = c_read_values(x, read);
  bool some = !v || v->count < 0;
  for (int k = 0; !some && k < v->count; k++) {
    some = true;
    for (int j = 0; some && j < count; j++)
      if (list[j].read == read)
        some = expr_evaluate(x->p, list[j].expr, v->data[k]) != 0;
  }
  return some;
}

bool c_feasible(struct c_exec *x, int guard) {
  struct conjunct list[CONJUNCTS];
  int seen = 0;
  if (c_is(x->p, guard, 0))
    return false;
  if (x->shape->all_turns)
    return true;
  int count = conjuncts(x, guard, list, 0, &seen);
  for (int i = 0; i < count; i++)
    if (!holds_for_some(x, list, count, list[i].read))
      return false;
  return true;
}

/* Where two ways meet again, nothing depends on what has parted them; one way alone meets nobody. */
bool c_branch_feasible(struct c_exec *x, int guard, int condition) {
  struct conjunct list[CONJUNCTS];
  int seen = 0, read = single_read(x, condition);
  if (read < 0 || x->shape->all_turns || x->control)
    return true;
  const struct c_values *v = c_read_values(x, read);
  if (!v || v->count < 0)
    return true;
  return holds_for_some(x, list, conjuncts(x, guard, list, 0, &seen), read);
}
