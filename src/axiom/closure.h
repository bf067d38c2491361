/* Closures and cycles of relations that are large and mostly known, such as (po | sw)+ of a program.
 *
 * A pair of a relation is fixed if it is there whenever both actions are executed.  Fixed pairs are
 * taken to be there in any case: a way through an action that is not executed goes on to where its
 * beginning leads anyway, and everything else joins executed actions only.  So only the ends of the
 * other pairs, the ports, need variables: is there a way from where one begins to where one ends.
 *
 * These variables are pushed up by clauses, and are exact (in the direction that needs it) only where
 * somebody needs them to have a reason: see circuit_input_bounded. */
#ifndef AXIOM_CLOSURE_H
#define AXIOM_CLOSURE_H

#include "axiom/encode.h"
#include "axiom/relation.h"

/* The closure of the union of these relations. */
const int *closure_of_union(struct execution *x, const struct space *s, const int *const *parts,
                            int count);

/* A relation that has a cycle if and only if the union has one: fixed pairs are certain. */
const int *closure_certain(struct execution *x, const struct space *s, const int *const *parts,
                           int count);

#endif
