/* Which values the expressions of a C program can have: a small set, or any.
 *
 * Found as in domain.h, but a set that grows too large becomes "any" instead of an error.  "Any"
 * address still comes from somewhere: the objects it may point into are known.  Without thin air, a
 * value passes through each write at most once, which bounds the rounds. */
#ifndef CPROG_C_DOMAIN_H
#define CPROG_C_DOMAIN_H

#include "axiom/domain.h"
#include "cprog/c_exec.h"

/* By expression of x->p, before program_finish. */
struct values *c_domain_compute(struct c_exec *x, bool thin_air);

/* The addresses at which an access of so many bytes may be, inside objects that threads share. */
struct values c_domain_addresses(struct c_exec *x, const struct values *domain, int address,
                                 int bytes);

#endif
