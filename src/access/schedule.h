/* Scheduling points while schedules are explored (--schedule other than fixed).
 *
 * Before a thread does something that others could notice it comes here.  What can happen next is
 * then any operation of a thread that can go on, or the draining of the oldest entry of a store
 * buffer; the search says which (search/search.h).  Entering something into one's own store buffer
 * is noticed by nobody and is no scheduling point. */
#ifndef ACCESS_SCHEDULE_H
#define ACCESS_SCHEDULE_H

#include "event/operation.h"
#include "explore/strategy.h"
#include "process/fiber.h"

extern struct schedule {
  bool explores, bounded;
  uint32_t preemptions_max; /* bounded:K */
} schedule;

void schedule_init(const struct strategy *s);

/* Are schedules explored, and is this the program? */
static inline bool schedule_explores(void) {
  return schedule.explores && fiber_current();
}

/* The current thread is about to do this; returns when it is its turn.  drained: it must wait until
 * its store buffer is empty. */
void schedule_point(enum operation_kind kind, const void *address, size_t size, bool drained,
                    const struct abi_site *site);

/* The operation happens; for those of them that do not come through schedule_point. */
void schedule_note(const struct operation *o);

#endif
