/* Call stacks of what an execution stores and loads, for its report.
 *
 * A search does without them: a few of its accesses are ever reported, and none of them is known before.
 * So the executions that findings of analyses describe are run once more, alone, with this on
 * (finding/job.h, `stacks`).  Host memory. */
#ifndef ACCESS_STACKS_H
#define ACCESS_STACKS_H

#include "event/event.h"

extern bool stacks_on;

/* Keep the running thread's stack: it has recorded the event with that index; it loads these bytes, after so many
 * failures (the first load counts).  pre: on a fiber, stacks_on. */
void stacks_note_event(uint32_t event);
void stacks_note_load(int failures, uintptr_t address, int size, const struct abi_site *site);

/* The stack that was kept; NULL: none was. */
const struct event_frames *stacks_of_event(uint32_t event);
const struct event_frames *stacks_of_load(int failures, uintptr_t address, int size,
                                          const struct abi_site *site);

void stacks_share(void); /* register what a run changes, for --isolate */

#endif
