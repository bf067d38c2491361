/* All candidate executions of a program, one by one, without a solver: the second opinion on the
 * set of final states, and on verdicts that say "forbidden".
 *
 * Every read is given every write, every location every coherence order; what the program then does
 * is computed, and the model is asked through judge.c.  Values that depend on themselves are left
 * out, so this is right for models that forbid cycles of dependencies and reads-from (sc, x86tso).
 * Only for tests without locks and for models that declare no relations to be found. */
#ifndef AXIOM_ENUMERATE_H
#define AXIOM_ENUMERATE_H

#include "axiom/check.h"

struct enumeration {
  LIST(struct final_state) states; /* no state twice; executions counted */
  long candidates, executions;
  bool complete; /* false: more than candidates_max */
  bool circular; /* in some candidate, left out here, values depend on themselves */
};

/* False and *d if the program is out of reach. */
bool enumerate_run(const struct program *p, const struct model *m, long candidates_max,
                   struct arena *a, struct enumeration *e, struct diag *d);

enum refutation_opinion {
  REFUTED,     /* every candidate that answers the condition breaks a rule */
  NOT_REFUTED, /* there is one that obeys the model */
  NO_OPINION   /* too many candidates, locks, or relations that the model wants to be found */
};

/* Verdicts that say "no" have a second opinion if no more candidates than this come into question
 * (docs/litmus.md, docs/cprograms.md): a millisecond or so. */
enum { SECOND_OPINION_MAX = 1000 };

/* Whether a forbidden outcome is really forbidden: only candidates that answer the condition are
 * looked at, so this is cheap.  *candidates is how many were judged. */
enum refutation_opinion enumerate_refutes(const struct universe *u, const struct model *m,
                                          long candidates_max, long *candidates);

/* The same for bitwise programs: does nothing go wrong?  `wrong` is an expression; an execution that
 * raises a flag of the model or uses memory after it was freed goes wrong, too.  Reads are given writes one after the
 * other, as the program comes to them; no opinion where a value that nothing determines decides something, and
 * none after too much work, which large programs are even with few candidates. */
enum refutation_opinion enumerate_words(const struct universe *u, const struct model *m, int wrong,
                                        long candidates_max, long *candidates);

/* Whether two lists hold the same states; *missing is one that only the first or second has. */
bool states_equal(const struct program *p, const struct final_state *a, int na,
                  const struct final_state *b, int nb, const struct final_state **missing);

#endif
