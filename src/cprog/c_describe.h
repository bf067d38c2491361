/* What went wrong in a witness, in words: which pointer led where. */
#ifndef CPROG_C_DESCRIBE_H
#define CPROG_C_DESCRIBE_H

#include "axiom/witness.h"
#include "cprog/c_program.h"

/* A violation of the program that the witness has. */
const struct c_violation *c_describe_violation(const struct c_program *c, const struct witness *w,
                                               int violation, struct arena *a);

/* An access of the witness that is inside an object after all, but where nobody looked for it: its
 * violation, or NULL. */
const struct c_violation *c_describe_missed(const struct c_program *c, const struct witness *w);

/* NULL if the witness uses no memory after it was freed. */
const struct c_violation *c_describe_use_after_free(const struct c_program *c,
                                                    const struct witness *w, struct arena *a);

/* A name of C++ as its source has it, with what follows it ("total+8"); any other as it is. */
const char *c_describe_name(const char *name, struct arena *a);

/* What an access read or wrote, as somebody who knows the source calls it. */
const char *c_describe_value(const struct c_program *c, const struct stmt *s, int64_t value,
                             struct arena *a);

/* Whether the source asks for this input of the program in the witness, and what it is then. */
bool c_describe_is_asked(const struct witness *w, int input);
int64_t c_describe_input(const struct witness *w, int input);

#endif
