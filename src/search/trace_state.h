/* The state of an execution that follows a trace, right before its next operation, as a number: two executions with the
 * same number go on alike, and a failure leaves the same in both.
 *
 * A state is the memory, where each thread stands (access/standing.h) and, if a failure can follow, for each line the
 * set of contents that the failure may leave.  Of the stores since its last write-back a line may hold any prefix;
 * which contents these prefixes have matters, not their order, except where a thread has asked for a write-back: that
 * one takes the contents before it away.
 *
 *      lock word   0 1 0 1   and   0 1 1 0   with the same value in memory:   {0, 1} may be left of both
 *
 * States are interned and compared as a whole; they are never restored.  Host memory. */
#ifndef SEARCH_TRACE_STATE_H
#define SEARCH_TRACE_STATE_H

#include "access/outcome.h"
#include "base/intern.h"
#include "event/event.h"

struct trace_states {
  struct intern parts, contents, states;
  uint32_t epoch; /* how often it was emptied: numbers of another epoch mean nothing */
};

/* The number of the state of the execution under way, from 1; 0: it cannot be compared.  Host side.  said: the outcome
 * before the execution.  events: its events, from `begin` on, if a failure can follow; otherwise NULL. */
uint32_t trace_state_take(struct trace_states *t, struct outcome_mark said,
                          const event_list *events, size_t begin);

size_t trace_states_bytes(const struct trace_states *t);
void trace_states_clear(struct trace_states *t);

#endif
