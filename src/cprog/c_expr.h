/* Expressions of C: words of 1 to 64 bits, kept zero-extended in 64-bit expressions. */
#ifndef CPROG_C_EXPR_H
#define CPROG_C_EXPR_H

#include "axiom/program.h"
#include "cir/cir.h"

int c_binary(struct program *p, enum cir_op op, int bits, int a, int b);
int c_convert(struct program *p, enum cir_op op, int to, int from, int a);
int c_rmw(struct program *p, enum cir_rmw op, int bits, int old, int operand);

int c_not(struct program *p, int a); /* of a truth value, as are the next two */
int c_and(struct program *p, int a, int b);
int c_or(struct program *p, int a, int b);
int c_equal(struct program *p, int a, int b);
int c_choose(struct program *p, int condition, int yes, int no);
/* The same where branches meet: the result never is the condition itself, so that it does not look
 * as if it had been computed from it. */
int c_merge(struct program *p, int condition, int yes, int no);

/* One of several ways: where branches meet again, what they differ in goes. */
int c_any(struct program *p, const int *guards, int count);

bool c_is(const struct program *p, int e, int64_t value); /* is it this constant? */
uint64_t c_mask(int bits);

#endif
