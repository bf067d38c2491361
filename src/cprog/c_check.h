/* A C program against a model: can something go wrong, was the bound enough, and why not. */
#ifndef CPROG_C_CHECK_H
#define CPROG_C_CHECK_H

#include "axiom/check.h"
#include "cprog/c_program.h"

/* name, word in reports */
#define C_VERDICTS(X) X(VIOLATED, "violated") X(VERIFIED, "verified") X(BOUNDED, "bounded")

enum c_verdict {
#define X(name, word) C_##name,
  C_VERDICTS(X)
#undef X
};

struct c_race { /* two statements of the program between which a flag sees something */
  const char *flag;
  int stmt[2];
};

struct c_result {
  const struct c_program *program; /* that was checked */
  enum c_verdict verdict;
  const struct c_violation *violation; /* the first one of the witness; NULL if it is only a flag */
  const struct c_violation *missed;    /* see c_describe_missed */
  const char *flags;                   /* that the witness raises, "" if none */
  LIST(struct c_race) races;           /* what they are about */
  struct witness *witness;
  const struct c_bound *bound; /* bounded: a loop that goes on */
  bool completes;              /* some execution runs to the end of all threads */
  const struct c_wait *hang;   /* verified or bounded: somebody may wait here for ever, or NULL */
  int uninitialised; /* a read that may see memory which nobody has written: a statement, or -1 */
  struct core core;
  long candidates_judged; /* without a witness: how many candidates the second opinion is about; -1
                             if there is none */
  int variables;
  int64_t clauses;
};

const char *c_verdict_word(enum c_verdict v);

/* False and *d if the model cannot be applied.  If nothing goes wrong, that is confirmed without the
 * solver as long as no more than so many candidates come into question. */
bool c_check_run(const struct c_program *c, const struct model *m, enum core_mode core,
                 long candidates_max, struct arena *a, struct c_result *r, struct diag *d);

/* The same from the beginning; NULL and *d on error.  Sets what *o must say for that program. */
struct c_program *c_check_module(const struct c_module *module, struct c_options *o,
                                 const struct model *m, enum core_mode core, long candidates_max,
                                 struct arena *a, struct c_result *r, struct diag *d);

/* c_probe.c.  Does the model allow a value that nothing but itself explains? */
bool c_model_has_thin_air(const struct model *m, const struct c_target *t, struct arena *a);

/* May a write reach others after a later read of its thread was done? */
bool c_model_delays_writes(const struct model *m, const struct c_target *t, struct arena *a);

/* Does it keep program order at one place, threads beginning where they are created? */
bool c_model_is_coherent(const struct model *m, const struct c_target *t, struct arena *a);

#endif
