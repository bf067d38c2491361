/* A second opinion on executions that knows nothing of SAT: plain bits, plain evaluation.
 *
 * judge_program runs the program again with the values that the reads are said to return, and
 * compares.  judge_model evaluates the model's rules over the execution's relations.  It shares the
 * syntax tree with model_encode.c and nothing else. */
#ifndef AXIOM_JUDGE_H
#define AXIOM_JUDGE_H

#include "axiom/cat.h"
#include "axiom/witness.h"

/* NULL if all is well, else what is wrong (in the arena). */
const char *judge_program(const struct witness *w, struct arena *a);
const char *judge_model(const struct model *m, const struct witness *w, struct arena *a);

/* The same; *broken says whether a rule is broken, or it could not be judged for another reason. */
const char *judge_rules(const struct model *m, const struct witness *w, bool *broken,
                        struct arena *a);

/* The same; *raised says whether an execution that obeys the model raises a flag of it. */
const char *judge_rules_and_flags(const struct model *m, const struct witness *w, bool *broken,
                                  bool *raised, struct arena *a);

/* Whether the execution obeys the model and raises this flag of it. */
bool judge_raises(const struct model *m, const struct witness *w, const char *flag,
                  struct arena *a);

/* The value of an expression in the main execution, with memory as it is in the end. */
int64_t judge_evaluate(const struct witness *w, int expr);

#endif
