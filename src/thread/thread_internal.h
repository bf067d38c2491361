/* The state of the scheduler, which thread.c (who runs next) and thread_life.c (birth and death) share. */
#ifndef THREAD_THREAD_INTERNAL_H
#define THREAD_THREAD_INTERNAL_H

#include "thread/thread.h"

/* Goes back with the program.  Invariants:
 * 1. A thread is in the ready list exactly if it is THREAD_READY and not `current`.
 * 2. It is in the timed list exactly if it is THREAD_WAITING and has a deadline.
 * 3. live counts the threads that are neither THREAD_UNUSED nor THREAD_DONE. */
struct scheduler {
  struct thread **table;
  int count, capacity;
  int live, live_on[MACHINES_MAX];
  struct thread *current;
  unsigned long turns_of[MACHINES_MAX];
  bool paused;        /* the current thread is in the middle of something, whatever its state */
  bool unchosen;      /* the current thread was let go on by the host, not by the strategy */
  int leaves_machine; /* 1 + the machine whose libc is still in place, or 0: the current one's */
  struct thread *ready_first, *ready_last;
  struct thread *timed_first, *timed_last;
  struct thread *dead; /* whose stacks can be given back; linked by ready_next */
  unsigned long due;   /* no deadline in the timed list is earlier */
  long quantum;
  int turns;             /* see TURNS_UNTIL_TIME_JUMPS */
  unsigned pauses;       /* see PAUSES_MAX */
  unsigned vain_waits;   /* of these, for an object */
  const void *looked_at; /* by the current thread, `looks` times in a row */
  int looks;
};
extern struct scheduler sched;

void thread_ready_append(struct thread *t);
void thread_ready_remove(struct thread *t);

/* The wait is over, for whatever reason. */
void thread_stop_waiting(struct thread *t);

/* The current thread cannot go on.  Returns when it can. */
void thread_leave(void);

#endif
