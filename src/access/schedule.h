/* Scheduling points of the pm and cxl models, while schedules are explored (--schedule other than fixed).
 *
 * Before a thread does something that others could notice it calls schedule_point.  What can happen next is then any
 * announced operation of a thread that can go on, or the draining of the oldest entry of a store buffer; the search
 * says which (door->pick).  Entering something into one's own store buffer is noticed by nobody and is no scheduling
 * point.
 *
 * Two ways: state by state (schedule.c), and by traces (schedule_trace.c, search/traces.h), where every operation is a
 * choice of its own and is reported, so that the reduction knows what depends on what.  Ordinary programs (sc, tso)
 * have turn.h instead. */
#ifndef ACCESS_SCHEDULE_H
#define ACCESS_SCHEDULE_H

#include "event/operation.h"
#include "explore/strategy.h"
#include "process/fiber.h"
#include "process/world.h"

extern struct schedule {
  bool explores, bounded;
  bool heaps;               /* threads have heaps of their own */
  uint32_t preemptions_max; /* bounded:K */
  bool traces;              /* executions follow traces (search/traces.h) */
  bool compares;            /* traces: states are compared (search/trace_state.h) */
  const char *unfit; /* traces: something the program does that operations do not show, or NULL */
} schedule;

/* heaps: each thread has one of its own (pm). */
void schedule_init(const struct strategy *s, bool heaps);

/* If states are compared: wipe what our functions have left below their frames.  Later frames, ours and the program's, have
 * gaps there, which are a part of the state, and what they would hold depends on what else the checker did. */
void schedule_wipe_stack(void);

/* Executions follow traces from now on, or do not; call it before they begin.  Then everything another thread could
 * notice is an operation, even if no other thread can go on at the moment; and which operations a thread has depends on
 * what it has read, not on when its store buffer drains. */
void schedule_set_traces(bool on);

/* The program does something that its operations do not show: the execution ends, with schedule.unfit set. */
_Noreturn void schedule_refuse_trace(const char *why);

/* Are schedules explored, and is this the program? */
static inline bool schedule_explores(void) {
  return schedule.explores && fiber_current();
}

/* Traces: is there another thread that could notice? */
bool schedule_concerns_others(void);

/* Traces: are these bytes part of the operation under way? */
bool schedule_covers(uintptr_t address, size_t size);

/* Traces: the number of the operation that the current thread is in the middle of, or that drains its buffer;
 * 0: there was no second thread yet. */
uint32_t schedule_operation(bool drains);

/* Traces: numbers of operations are no part of a state. */
void schedule_add_gaps(world_gap_list *gaps);

/* Traces, host side: the execution is over; what still lies in store buffers leaves them. */
void schedule_drain_rest(void);

/* The current thread is about to do this; returns when it is its turn.  drained: it must wait until
 * its store buffer is empty. */
void schedule_point(enum operation_kind kind, const void *address, size_t size, bool drained,
                    const struct abi_site *site);

/* The same for a locked instruction.  expected: NULL, or the bytes that a compare-and-swap must find to store
 * anything.  operand: the bytes that it stores, or computes with, or NULL. */
void schedule_point_locked(const void *address, size_t size, const void *expected,
                           const void *operand, const struct abi_site *site);

/* Traces: the current thread is about to change ordinary memory there, which is no operation, but ends a round of a
 * waiting loop (vain.h). */
void schedule_leave_round(uintptr_t address);

/* Traces: the search does not let anybody go on: tell it about threads that wait for locks (door->waits). */
void schedule_tell_who_waits(void);

/* The program is about to end; returns when it may. */
void schedule_exit(void);

/* An operation happens that has not come through schedule_point (of locks). */
void schedule_note(const struct operation *o);

#endif
