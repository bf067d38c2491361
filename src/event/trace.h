/* The execution under way as a list of steps: what happened since the program first started, over all failures, in
 * order.
 *
 * An event of the search's list may belong to many executions (they share beginnings and recoveries), and occur twice
 * in one; a step is one occurrence of it.  Steps are numbered from 0; going back to a choice shortens the list.  Host
 * memory. */
#ifndef EVENT_TRACE_H
#define EVENT_TRACE_H

#include "event/event.h"

struct trace_step {
  uint32_t event; /* in the search's list */
  uint8_t level;  /* failures before it */
};

struct trace {
  const event_list *events;
  VEC(struct trace_step) steps;
};

#define TRACE_NONE UINT32_MAX /* no step */

static inline const struct event *trace_event(const struct trace *t, uint32_t step) {
  return &t->events->data[t->steps.data[step].event];
}

#endif
