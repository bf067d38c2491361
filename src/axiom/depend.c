#include "axiom/depend.h"
#include "axiom/domain.h"
#include <string.h>

static const struct depend_set empty_set;

static const struct depend_set *set_at(const struct program *p, int number) {
  return number ? &p->depends.data[number - 1] : &empty_set;
}

static int intern(struct program *p, const struct dependency *list, int count) {
  if (!count)
    return DEPEND_NONE;
  size_t bytes = (size_t)count * sizeof *list;
  for (int i = 0; i < p->depends.length; i++)
    if (p->depends.data[i].count == count && !memcmp(p->depends.data[i].list, list, bytes))
      return i + 1;
  struct depend_set s = {arena_alloc(p->arena, bytes), count};
  memcpy(s.list, list, bytes);
  list_push(p->arena, &p->depends, s);
  return p->depends.length;
}

int depend_on(struct program *p, int stmt) {
  return intern(p, &(struct dependency){stmt, EXPR_ONE}, 1);
}

/* Both lists are sorted by statement; `a_when` and `b_when` (expressions) weaken the two sides. */
static int merge(struct program *p, int a, int a_when, int b, int b_when) {
  struct depend_set x = *set_at(p, a), y = *set_at(p, b);
  struct dependency *out = arena_alloc(p->arena, (size_t)(x.count + y.count) * sizeof *out + 1);
  int n = 0;
  for (int i = 0, j = 0; i < x.count || j < y.count;) {
    bool left = j >= y.count || (i < x.count && x.list[i].stmt <= y.list[j].stmt);
    bool right = i >= x.count || (j < y.count && y.list[j].stmt <= x.list[i].stmt);
    if (left && right && x.list[i].when == y.list[j].when) {
      out[n++] = x.list[i];
    } else {
      int when = left ? expr_make(p, EXPR_LAND, x.list[i].when, a_when, -1) : -1;
      int other = right ? expr_make(p, EXPR_LAND, y.list[j].when, b_when, -1) : -1;
      out[n++] = (struct dependency){left ? x.list[i].stmt : y.list[j].stmt,
                                     left && right ? expr_make(p, EXPR_LOR, when, other, -1)
                                     : left        ? when
                                                   : other};
    }
    i += left;
    j += right;
  }
  return intern(p, out, n);
}

int depend_union(struct program *p, int a, int b) {
  if (a == b || !b)
    return a;
  return a ? merge(p, a, EXPR_ONE, b, EXPR_ONE) : b;
}

int depend_choose(struct program *p, int when, int a, int b) {
  if (a == b)
    return a;
  return merge(p, a, when, b, expr_make(p, EXPR_LNOT, when, -1, -1));
}

int depend_when(const struct program *p, enum dependence which, int s, int t) {
  const struct stmt *to = &p->stmts.data[t];
  if (!p->dependencies_given) {
    if (which == DEPEND_PICK)
      return -1;
    int e = which == DEPEND_ADDRESS ? to->address : which == DEPEND_VALUE ? to->value : to->guard;
    return p->stmts.data[s].kind == STMT_READ && expr_depends(p, e, s) ? EXPR_ONE : -1;
  }
  struct depend_set d = *set_at(p, which == DEPEND_ADDRESS ? to->address_from
                                   : which == DEPEND_VALUE ? to->value_from
                                   : which == DEPEND_PICK  ? to->picked_from
                                                           : to->guard_from);
  for (int i = 0; i < d.count; i++)
    if (d.list[i].stmt == s)
      return d.list[i].when;
  return -1;
}
