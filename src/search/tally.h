/* How often executions ended in which way: exact numbers, for whatever the numbers of the ways
 * (memo_node.result) mean.  Host memory. */
#ifndef SEARCH_TALLY_H
#define SEARCH_TALLY_H

#include "base/bigint.h"

struct tally_item {
  uint32_t result;
  struct bigint count;
};

struct tally {
  VEC(struct tally_item) items; /* by result, ascending */
};

void tally_one(struct tally *t, uint32_t result);
void tally_more(struct tally *t, uint32_t result, const struct bigint *count);
void tally_add(struct tally *t, const struct tally *more);
uint64_t tally_sum(const struct tally *t,
                   uint64_t more); /* with so many more; at most UINT64_MAX */
void tally_multiply(struct tally *t, uint32_t factor);
void tally_divide(struct tally *t, uint32_t divisor); /* pre: nothing is left over */
void tally_free(struct tally *t);

#endif
