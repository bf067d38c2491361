/* Dependencies of a C program's statements.
 *
 * Data and addresses: what the value was computed from on the path that was taken.  Where branches
 * meet again, the condition decided which value it is, but the value does not depend on it: that is
 * control.  Control: whatever decided that the statement is executed; branches that met before it
 * did not.  Compilers keep more than this at most.
 *
 * The isync of a load or read-modify-write (target power) stands behind a branch on what that has read,
 * on which everything depends that the thread does from there on. */
#include "cprog/c_depend.h"
#include "axiom/depend.h"
#include <string.h>

struct dependencies {
  struct program *p;
  int *data, *all; /* by expression: 1 + the set, 0 = not yet */
  int count;
};

static int set_of(struct dependencies *d, int e, bool control) {
  int *memo = control ? d->all : d->data;
  if (e >= d->count) /* made here, from conditions: nobody asks for them */
    return DEPEND_NONE;
  if (memo[e])
    return memo[e] - 1;
  struct expr x = d->p->exprs.data[e];
  int set = DEPEND_NONE;
  if (x.kind == EXPR_READ) {
    set = depend_on(d->p, (int)x.value);
  } else if (x.kind == EXPR_ITE && !control) {
    int yes = set_of(d, x.arg[1], false), no = set_of(d, x.arg[2], false);
    set = depend_choose(d->p, x.arg[0], yes, no);
  } else {
    for (int i = 0; i < expr_arity(x.kind); i++)
      set = depend_union(d->p, set, set_of(d, x.arg[i], control));
  }
  memo[e] = set + 1;
  return set;
}

/* Only what the thread itself has read: arguments of a thread come without a dependency. */
static int own(struct program *p, int set, int thread) {
  int mine = DEPEND_NONE;
  for (int i = 0; set && i < p->depends.data[set - 1].count; i++) {
    struct dependency d = p->depends.data[set - 1].list[i];
    if (p->stmts.data[d.stmt].thread == thread)
      mine = depend_union(p, mine, depend_choose(p, d.when, depend_on(p, d.stmt), DEPEND_NONE));
  }
  return mine;
}

/* What statement s, an isync, makes the rest of its thread depend on. */
static int branched_on(struct program *p, int s) {
  const struct stmt isync = p->stmts.data[s];
  int set = DEPEND_NONE;
  for (int r = s; r >= 0 && p->stmts.data[r].instruction == isync.instruction; r--)
    if (p->stmts.data[r].kind == STMT_READ)
      set = depend_union(p, set, depend_on(p, r));
  return depend_choose(p, isync.guard, set, DEPEND_NONE);
}

void c_find_dependencies(struct program *p) {
  struct dependencies d = {.p = p, .count = p->exprs.length};
  int branches = DEPEND_NONE, thread = 0;
  size_t bytes = (size_t)d.count * sizeof(int) + 1;
  d.data = arena_alloc(p->arena, bytes);
  d.all = arena_alloc(p->arena, bytes);
  for (int s = 0; s < p->stmts.length; s++) {
    struct stmt x = p->stmts.data[s];
    x.address_from = x.address < 0 ? DEPEND_NONE : own(p, set_of(&d, x.address, false), x.thread);
    x.value_from = x.value < 0 ? DEPEND_NONE : own(p, set_of(&d, x.value, false), x.thread);
    x.guard_from = own(p, set_of(&d, x.guard, true), x.thread);
    branches = x.thread == thread ? branches : DEPEND_NONE;
    thread = x.thread;
    if (tags_has(&x.tags, TAG_ISYNC))
      branches = depend_union(p, branches, branched_on(p, s));
    x.guard_from = depend_union(p, x.guard_from, branches);
    p->stmts.data[s] = x;
  }
  p->dependencies_given = true;
}
