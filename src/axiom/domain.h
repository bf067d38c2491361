/* The finite set of values every expression of a program can have, in any execution.
 *
 * Found by a fixed point: a read may have any value of any write to a location it may access.  A
 * chain of writes feeding reads visits each write once, so as many rounds as there are writes are
 * enough.  Only where values can go round in a circle (thin air) could there be more; there, all
 * constants of the program and its condition are candidates as well.  Integers are 64 bits and
 * exact; no width has to be guessed. */
#ifndef AXIOM_DOMAIN_H
#define AXIOM_DOMAIN_H

#include "axiom/program.h"

struct values { /* sorted, no duplicates */
  const int64_t *data;
  int count; /* bitwise programs: -1 = any */
};

struct domains {
  struct values *expr; /* by expression */
  struct values *read; /* by statement; empty unless it reads */
  struct values all;   /* everything a write may write, and all constants of the condition */
  uint64_t bits;       /* bitwise programs: set in something that is written */
};

/* NULL and *d if some expression has too many values. */
struct domains *domains_compute(const struct program *p, struct arena *a, struct diag *d);

bool values_contain(struct values v, int64_t x);

/* Whether a statement may access location l. */
bool stmt_may_access(const struct program *p, const struct domains *d, int stmt, int location);
bool stmts_may_alias(const struct program *p, const struct domains *d, int s, int t);

/* The statement whose read is the only thing e depends on: -1 if there is none, -2 if there are
 * several or e looks at memory. */
int expr_single_read(const struct program *p, int e);

/* The value of e when its only read returns v. */
int64_t expr_evaluate(const struct program *p, int e, int64_t v);

/* Whether expression e is computed from what statement s reads. */
bool expr_depends(const struct program *p, int e, int s);

#endif
