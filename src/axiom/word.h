/* Arithmetic on words of 64 circuit literals, least significant bit first.
 *
 * Constant bits are folded as they go, so a word whose upper bits are constant costs no more than
 * its lower bits do. */
#ifndef AXIOM_WORD_H
#define AXIOM_WORD_H

#include "axiom/circuit.h"
#include "axiom/program.h"

enum { WORD_BITS = 64 };

const int *word_constant(struct arena *a, int64_t value);

/* The word that expr_apply's operator gives; arguments as many as it takes. */
const int *word_apply(struct circuit *c, struct arena *a, enum expr_kind op,
                      const int *const *args);

int word_equals(struct circuit *c, const int *a, const int *b);
int word_is_constant(struct circuit *c, const int *a, int64_t value); /* a literal: it has it */
int word_is_true(struct circuit *c, const int *a);                    /* not zero */

/* The operators whose result is 0 or 1, as a literal. */
bool word_compares(enum expr_kind op);
int word_compare(struct circuit *c, enum expr_kind op, const int *a, const int *b);

#endif
