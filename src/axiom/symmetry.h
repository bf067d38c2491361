/* Threads that can change places: same statements, same values, different names.
 *
 * Nothing in a model tells threads apart, so swapping two such threads turns an execution into an
 * execution.  Of all the executions that arise from each other in this way it is enough to look at
 * one, in which the threads of a class are sorted: by coherence order of a write that all of them
 * certainly perform.  Eight threads that each increment a counter have 40320 executions, and one up
 * to symmetry.
 *
 * Statements count as equal only if their text is, too: whatever a front end says about them besides
 * (orders, dependencies) then agrees as well. */
#ifndef AXIOM_SYMMETRY_H
#define AXIOM_SYMMETRY_H

#include "axiom/program.h"

struct thread_class {
  int *threads; /* ascending */
  int count;
  int sorted_by; /* statement of the first thread: the write */
};

struct symmetry {
  LIST(struct thread_class) classes;
};

/* NULL if there is no class of three or more.  Threads in `apart` (by number, may be NULL) and those
 * that an assumption of the program looks at are in no class. */
const struct symmetry *symmetry_find(const struct program *p, const bool *apart, struct arena *a);

/* What statement or expression `x` of thread `from` is in thread `to` of the same class; an
 * expression that does not occur in the program is -1. */
int symmetry_stmt(const struct program *p, int x, int from, int to);
int symmetry_expr(const struct program *p, int x, int from, int to);

/* Marks the threads whose reads the expression looks at. */
void symmetry_threads_in(const struct program *p, int expr, bool *threads);

#endif
