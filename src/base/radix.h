/* Arrays of numbers that are cheap to keep in many versions: a changed copy shares all parts that
 * did not change with the original, and two arrays are compared by looking only where they do not
 * share.  An array is a number, 0 the one that is 0 everywhere; sets are arrays of 0 and 1.
 *
 *      root --> 16 parts --> ... --> leaf: 16 values          a part is 64 bytes
 *
 * Arrays are counted: whoever gets one from here owns it and gives it back with radix_drop. */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define RADIX_WAYS 16

typedef uint32_t radix_id;

struct radix_part {
  uint32_t at[RADIX_WAYS]; /* values, or parts */
};

struct radix {
  int height;                      /* indices below 16^height; set before the first use */
  VEC(struct radix_part *) chunks; /* parts never move */
  VEC(uint32_t) owners;            /* by part; number 0 is not used */
  VEC(radix_id) unused;
};

size_t radix_limit(const struct radix *r); /* indices are below */

radix_id radix_keep(struct radix *r, radix_id a); /* one more owner */
void radix_drop(struct radix *r, radix_id a);

uint32_t radix_get(const struct radix *r, radix_id a, size_t index);

/* One value of an array that the caller owns is changed, in place where nobody else has the part.
 * pre: index < radix_limit. */
void radix_set(struct radix *r, radix_id *a, size_t index, uint32_t value);

/* What is in one of two sets. */
radix_id radix_join(struct radix *r, radix_id a, radix_id b);

/* Do a and b have the same values at the indices in the set? */
bool radix_agree(const struct radix *r, radix_id a, radix_id b, radix_id set);

void radix_free(struct radix *r); /* everything, whoever owns it */

#endif
