/* Who has which lock.  That depends only on what the thread itself has done, so it needs no events. */
#include "cprog/c_exec.h"

/* A truth value; the last that has happened to the lock counts. */
static int has(struct c_exec *x, int address) {
  int first = x->holds.length, last = first;
  bool certain = false;
  while (first > 0 && !certain) {
    const struct c_hold *h = &x->holds.data[--first];
    certain =
        h->thread == x->thread && h->address == address && c_guard_implies(x, x->guard, h->guard);
  }
  int held = expr_const(x->p, 0);
  for (int i = first; i < last; i++) {
    struct c_hold h = x->holds.data[i];
    if (h.thread != x->thread)
      continue;
    int this_one = c_equal(x->p, h.address, address);
    bool always = i == first && certain;
    int happens = always ? this_one : c_and(x->p, h.guard, this_one);
    held = c_choose(x->p, happens, expr_const(x->p, h.taken), held);
  }
  return held;
}

static void note(struct c_exec *x, int address, int guard, bool taken) {
  struct c_hold h = {x->thread, address, guard, taken};
  if (!c_is(x->p, guard, 0))
    list_push(x->arena, &x->holds, h);
}

void c_hold_take(struct c_exec *x, int address, int condition) {
  note(x, address, c_and(x->p, x->guard, condition), true);
}

void c_hold_give(struct c_exec *x, int address, struct place where) {
  c_violate(x, VIOLATION_CALL, c_not(x->p, has(x, address)), where,
            "unlock of what this thread has not locked");
  note(x, address, x->guard, false);
}
