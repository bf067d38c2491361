/* What a value was computed from, as an instruction set sees it: syntactically, through registers.
 *
 * Expressions do not tell: `r1 ^ r1` is the constant 0, but an access whose address adds it still
 * waits for r1.  A dependency set lists the statements that a register's value comes from, each with
 * the condition (an expression) under which it does, since a register may be assigned in one branch
 * only.  Sets are numbers; equal sets have equal numbers, and 0 is the empty set. */
#ifndef AXIOM_DEPEND_H
#define AXIOM_DEPEND_H

#include "axiom/program.h"

enum { DEPEND_NONE = 0 };

/* Which part of a statement depends on something. */
enum dependence { DEPEND_ADDRESS, DEPEND_VALUE, DEPEND_GUARD, DEPEND_PICK };

int depend_on(struct program *p, int stmt);
int depend_union(struct program *p, int a, int b);

/* a where `when` holds, b elsewhere. */
int depend_choose(struct program *p, int when, int a, int b);

/* The condition (an expression) under which statement t depends on statement s, -1 for never.  In
 * programs whose front end gives no sets, the expressions decide. */
int depend_when(const struct program *p, enum dependence which, int s, int t);

#endif
