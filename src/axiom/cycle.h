/* Why an execution is forbidden: for each rule that it breaks, the way through its actions that the
 * rule does not allow, edge by edge.
 *
 * acyclic r is broken by a cycle, irreflexive r by a way from an action back to itself, empty r and
 * r in s by a pair (for an intersection: by all the ways between the two), or by an action if they
 * are about sets.  "forall" is broken by one of its cases.  Rules of other forms are named, but have
 * nothing to show.  Edges carry the name that the model gives them: a definition is followed
 * down to the names that are built in, except that a piece of program order is called what the
 * model calls it (ppo, mfence). */
#ifndef AXIOM_CYCLE_H
#define AXIOM_CYCLE_H

#include "axiom/arena.h"
#include "axiom/diag.h"
#include <stdbool.h>

struct model;
struct witness;

struct cycle_step {
  int from, to; /* actions */
  const char *label;
};

struct cycle_path {
  LIST(struct cycle_step) steps;
};

struct violation { /* a rule that an execution breaks */
  const char *name, *text;
  struct place place;
  int execution;
  bool is_cycle;
  LIST(struct cycle_path) paths; /* each from the same action to the same action */
  LIST(int) members;             /* actions, if the rule is about sets */
};

struct violations {
  LIST(struct violation) list;
};

/* The rules that the execution breaks.  judge_cycle.c. */
void judge_explain(const struct model *m, const struct witness *w, struct arena *a,
                   struct violations *v);

#endif
