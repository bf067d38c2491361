/* What both kinds of scheduling points have in common: by states (schedule.c) and by traces (schedule_trace.c). */
#ifndef ACCESS_SCHEDULE_INTERNAL_H
#define ACCESS_SCHEDULE_INTERNAL_H

#include "access/schedule.h"
#include "thread/thread.h"

#define SCHEDULE_OPTIONS_MAX (2 * THREADS_MAX) /* each thread, and its store buffer */

/* Can the thread go on: has its store buffer drained if its next operation needs that? */
bool schedule_can_go(const struct thread *t);

/* The operation by which the oldest entry of its buffer leaves; pre: there is one. */
struct operation schedule_drain_of(const struct thread *t);

/* Announce the current thread's next operation (thread.next). */
void schedule_arrive(enum operation_kind kind, const void *address, size_t size, bool drained,
                     const struct abi_site *site);

/* Traces.  choose: the thread that goes on, or NULL.  check_operation: refuse the execution if it does not have the
 * form that the reduction knows.  exit: the program is about to end.  include: register what goes back with the
 * program. */
struct thread *schedule_choose_in_trace(struct thread *running, struct thread *ready);
void schedule_check_operation(const struct operation *o);
void schedule_exit_trace(void);
void schedule_include_trace(void);

#endif
