/* Which pages of a large world have changed since a snapshot.
 *
 * When memory is as a snapshot says its pages are protected (process/track.h), so that only those are compared and copied later
 * that were written since.  A page that is written costs a fault, which does not pay where much is: a
 * balance is kept, and it is tried again later.  Not guarded are stacks, which change without being written (what lies
 * below their pointers is dead), and whatever else its owner says; all of that counts as written.  Host memory. */
#ifndef PROCESS_GUARD_H
#define PROCESS_GUARD_H

#include "process/page_map.h"
#include "process/ranges.h"

struct guard {
  /* Provided by the owner: may pages be guarded, and do the two lie in one area? */
  bool (*may)(uintptr_t page);
  bool (*together)(uintptr_t a, uintptr_t b);

  bool always;        /* whatever it costs: for tests */
  bool exact;         /* memory was as the snapshot says, except where: */
  range_list written; /* as found last, with everything that is not guarded */
  range_list guarded, touched;
  int64_t balance;     /* of what that has spared, in pages, */
  uint32_t paid;       /* and for how many snapshots it was not negative */
  uint32_t wait, left; /* how many were waited for last, and are left of those */
};

/* These pages were found to be unprotected: now they are all that may differ from the sealed ones. */
void guard_found(struct guard *g, range_list *dirty);

/* The owner writes a page to make memory as a snapshot says, if it is exact; ascending, from guard_touch_none on. */
void guard_touch_none(struct guard *g);
void guard_touch(struct guard *g, uintptr_t page);

/* Memory is as the snapshot says; `dirty` was found right before.  False: it is not worth it. */
bool guard_set(struct guard *g, const struct page_map *snapshot, const range_list *dirty);

void guard_lift(struct guard *g);   /* all pages count as written again */
void guard_forget(struct guard *g); /* nothing is protected any more */

#endif
