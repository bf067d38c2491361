/* Sets and relations over actions whose members are circuit literals.
 *
 * A set is n literals, a relation n * n (row = source).  Operations allocate their result and never
 * change their arguments.  Bounds come for free: what cannot be a member is LIT_FALSE. */
#ifndef AXIOM_RELATION_H
#define AXIOM_RELATION_H

#include "axiom/circuit.h"

struct space {
  struct circuit *circuit;
  struct arena *arena;
  int n;
};

int *cells_create(const struct space *s, int count); /* all false */
int *cells_or(const struct space *s, const int *a, const int *b, int count);
int *cells_and(const struct space *s, const int *a, const int *b, int count);
int *cells_minus(const struct space *s, const int *a, const int *b, int count);

int *relation_product(const struct space *s, const int *set, const int *other);
int *relation_identity(const struct space *s, const int *set);
int *relation_inverse(const struct space *s, const int *r);
int *relation_compose(const struct space *s, const int *a, const int *b);
int *relation_closure(const struct space *s, const int *r); /* r+, exact */
int *relation_domain(const struct space *s, const int *r);
int *relation_range(const struct space *s, const int *r);

/* Constraints that make r acyclic, by eliminating one action after the other: what goes into and
 * out of it is joined by a new edge.  emit(context, clause, count, required) gets the clauses; only
 * required ones say that there is no cycle, the others define edges. */
void relation_acyclic(const struct space *s, const int *r, void *context,
                      void (*emit)(void *context, const int *clause, int count, bool required));

#endif
