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
void tally_add(struct tally *t, const struct tally *more);
void tally_free(struct tally *t);

#endif
