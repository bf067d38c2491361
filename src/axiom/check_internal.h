/* Private to check.c and orbit.c: one check under way. */
#ifndef AXIOM_CHECK_INTERNAL_H
#define AXIOM_CHECK_INTERNAL_H

#include "axiom/check.h"
#include "axiom/model_encode.h"
#include "axiom/symmetry.h"
#include "sat/sat.h"

struct run {
  const struct program *p;
  const struct model *model;
  const struct check_options *options;
  struct arena *arena;
  struct check_result *result;
  struct universe *universe;
  struct encoder *encoder;
  struct model_encoding *encoding;
  struct orbits *orbits; /* states are found up to symmetry; NULL if there is none */
  int sorted;            /* solver literal: threads that the condition does not tell apart; or 0 */
  int target;            /* circuit literal: the proposition, or its opposite for forall */
};

struct execution *run_execution(const struct run *r); /* the main one */

/* With an assumption about an execution (not 0), only sorted ones are looked at if that is enough. */
enum sat_answer run_solve(struct run *r, int assumption);

/* The value of an expression in the solution at hand; between cnf_read_begin and the next clause. */
int64_t run_value(const struct run *r, int expr);

/* ---- orbit.c: states up to symmetry, and all that arise from them --------------------------- */

/* NULL if threads cannot change places, or the final states could not be computed from one another.
 * Before the executions are encoded. */
struct orbits *orbits_find(struct run *r);

/* After encoding: everything that will be read is part of the circuit. */
void orbits_prepare(struct run *r);

/* Fills the states, positive and negative. */
void orbits_enumerate(struct run *r);

/* Assumes, for the next solve, the values of a state that satisfies the target; false if there is
 * none. */
bool orbits_assume_target(struct run *r);

/* Threads that can change places without the condition noticing; NULL if there are none. */
const struct symmetry *symmetry_beside_condition(const struct program *p, const struct model *m,
                                                 struct arena *a);

/* A solver literal under which the threads of each class are sorted. */
int symmetry_sorted(struct encoder *e, struct execution *x, const struct symmetry *y);

#endif
