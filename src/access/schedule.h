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
  bool heaps;               /* threads have heaps of their own */
  uint32_t preemptions_max; /* bounded:K */
  bool traces;       /* every operation is asked for, and told, by itself (search/traces.h) */
  const char *unfit; /* traces: what the execution does that they do not cover, or NULL */
} schedule;

/* heaps: each thread has one of its own (pm). */
void schedule_init(const struct strategy *s, bool heaps);

/* Have executions follow traces, or not; before they begin.  What another thread could notice
 * then is an operation of its own, even if nobody can go on at the moment, and what those of a thread
 * are depends on what it has read and not on when its store buffer drains. */
void schedule_set_traces(bool on);

/* The execution cannot be told by its operations: it ends, and says so in schedule.unfit. */
_Noreturn void schedule_refuse_trace(const char *why);

/* Are schedules explored, and is this the program? */
static inline bool schedule_explores(void) {
  return schedule.explores && fiber_current();
}

/* Traces: is there anybody else? */
bool schedule_concerns_others(void);

/* Traces: does the operation under way say that these bytes are touched? */
bool schedule_covers(uintptr_t address, size_t size);

/* Traces: the number of the operation that the current thread is in the middle of, or that drains its buffer;
 * 0: there was no second thread yet. */
uint32_t schedule_operation(bool drains);

/* Traces, host side: the execution is over, and so is what still lies in buffers. */
void schedule_drain_rest(void);

/* The current thread is about to do this; returns when it is its turn.  drained: it must wait until
 * its store buffer is empty. */
void schedule_point(enum operation_kind kind, const void *address, size_t size, bool drained,
                    const struct abi_site *site);

/* The same for a locked instruction; expected: NULL, or the bytes that it must find there to store anything. */
void schedule_point_locked(const void *address, size_t size, const void *expected,
                           const struct abi_site *site);

/* Traces: the current thread is about to change ordinary memory there, which is no operation. */
void schedule_leave_round(uintptr_t address);

/* The program is about to end. */
void schedule_exit(void);

/* The operation happens; for those of them that do not come through schedule_point. */
void schedule_note(const struct operation *o);

#endif
