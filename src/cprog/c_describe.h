/* What went wrong in a witness, in words: which pointer led where. */
#ifndef CPROG_C_DESCRIBE_H
#define CPROG_C_DESCRIBE_H

#include "axiom/witness.h"
#include "cprog/c_program.h"

/* A violation of the program that the witness has. */
const struct c_violation *c_describe_violation(const struct c_program *c, const struct witness *w,
                                               int violation, struct arena *a);

/* NULL if the witness uses no memory after it was freed. */
const struct c_violation *c_describe_use_after_free(const struct c_program *c,
                                                    const struct witness *w, struct arena *a);

#endif
