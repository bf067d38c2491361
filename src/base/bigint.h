/* Natural numbers of any size: enough to count states and executions exactly. */
#ifndef BASE_BIGINT_H
#define BASE_BIGINT_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define BIGINT_PRIMES 4

/* Digits in base 10^9, least significant first, times 2^a 3^b 5^c 7^d.  Zero initialisation is 0.  Numbers of executions are
 * mostly products of many small factors, by which they are multiplied and divided over and over: that changes an
 * exponent. */
struct bigint {
  VEC(uint32_t) digits;
  uint32_t power[BIGINT_PRIMES];
};

void bigint_set(struct bigint *n, uint32_t value);
void bigint_multiply(struct bigint *n, uint32_t factor);
void bigint_divide(struct bigint *n, uint32_t divisor); /* pre: nothing is left over */
void bigint_add(struct bigint *n, const struct bigint *other);
/* Or to 0, if `other` is more. */
void bigint_subtract(struct bigint *n, const struct bigint *other);
void bigint_add_number(struct bigint *n, uint64_t other);
bool bigint_small(const struct bigint *n, uint64_t *value); /* false: it does not fit */
void bigint_format(const struct bigint *n, struct str *out);
void bigint_free(struct bigint *n);

#endif
