/* Shards of a search over schedules become one search again.
 *
 * Each has explored units that others know nothing of, under numbers of its own; which unit it was is told by a key
 * (units.h).  The search is gone through once more, from its beginning, and whatever is said about a unit
 * in one of the directories is taken over as if a worker had said it now. */
#ifndef CLI_UNITS_MERGE_H
#define CLI_UNITS_MERGE_H

#include "cli/saved.h"

struct units_merge {
  VEC(struct saved_search) searches;
};

void units_merge_add(struct units_merge *m, struct saved_search *s); /* takes it over */

/* pre: the parts are as parts_init leaves them.  Leaves nothing of m behind.  False: a shard has relied on what another
 * one has seen not to hold. */
bool units_merge_join(struct units_merge *m, struct parts *p);

#endif
