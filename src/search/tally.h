/* How often executions ended in which way: exact counts (of any size) by result, a number whose meaning is the caller's
 * (memo_node.result).  Host memory. */
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
/* The sum of all counts and `more`; at most UINT64_MAX. */
uint64_t tally_sum(const struct tally *t, uint64_t more);
void tally_multiply(struct tally *t, uint32_t factor);
void tally_divide(struct tally *t, uint32_t divisor); /* pre: nothing is left over */
/* Take away what `less` counts, as far as it is there; results with nothing left are dropped. */
void tally_subtract(struct tally *t, const struct tally *less);
bool tally_take_one(struct tally *t, uint32_t result); /* false: it is not there */
void tally_cut(struct tally *t, uint32_t from);        /* drop results from that one on */
void tally_free(struct tally *t);

#endif
