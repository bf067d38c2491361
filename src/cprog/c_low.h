/* What is known of the lowest bits of a value that can be anything: the address of a field of an
 * element, base + 16 * i + 8, ends in 8 whatever i is.  So an array of structures, of which the
 * index is not known, is not accessed at all of its places. */
#ifndef CPROG_C_LOW_H
#define CPROG_C_LOW_H

#include "axiom/domain.h"
#include <stdbool.h>

struct low {
  int bits; /* so many are known */
  uint64_t value;
};

/* Of an expression; `domain` has the values of each. */
struct low c_low(const struct program *p, const struct values *domain, int e);

bool c_low_may_be(struct low a, int64_t value);

/* May accesses of so many bytes at these addresses have a byte in common? */
bool c_low_may_meet(struct low a, int a_bytes, struct low b, int b_bytes);

#endif
