/* Barriers.  An arrival counts even if the thread's machine fails while it waits, as it would in
 * shared memory; a thread that never arrives is missed for good. */
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>

struct sync_barrier {
  struct sync_object base;
  unsigned count; /* 0: not initialised */
  unsigned arrived;
};

static struct sync_barrier *get(const pthread_barrier_t *barrier) {
  return sync_get(barrier, SYNC_BARRIER, sizeof(struct sync_barrier));
}

INTERPOSE int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
                                   unsigned count) {
  (void)attr;
  sync_enter_as(SYNC_PLAIN, barrier, OPERATION_LOCK_SETUP);
  if (count == 0)
    return EINVAL;
  if (sync_on_host())
    return 0;
  struct sync_barrier *b = get(barrier);
  sync_write(barrier, 0, sizeof(int));
  b->count = count;
  b->arrived = 0;
  return 0;
}

INTERPOSE int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  sync_enter_as(SYNC_PLAIN, barrier, OPERATION_LOCK_SETUP);
  if (sync_on_host())
    return 0;
  struct sync_barrier *b = get(barrier);
  sync_check_alive(barrier, SYNC_BARRIER);
  sync_check_unused(barrier, SYNC_BARRIER, "destroyed", NULL, b->base.waiters.first);
  if (b->base.waiters.first)
    return EBUSY;
  b->count = b->arrived = 0;
  sync_note_destroyed(&b->base);
  return 0;
}

INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier) {
  sync_enter(SYNC_LOCKED, barrier);
  if (sync_on_host())
    return PTHREAD_BARRIER_SERIAL_THREAD;
  struct sync_barrier *b = get(barrier);
  sync_check_alive(barrier, SYNC_BARRIER);
  if (b->count == 0) {
    sync_was_not_made(barrier, SYNC_BARRIER);
    return EINVAL;
  }
  thread_memory.order(EVENT_RELEASE, barrier, 0);
  if (++b->arrived >= b->count) {
    b->arrived = 0;
    thread_memory.order(EVENT_ACQUIRE, barrier, 0);
    for (struct thread *t = b->base.waiters.first; t; t = t->queue_next)
      t->turn.learns = true;
    sync_wake_all(&b->base.waiters);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  thread_wait_in(&b->base.waiters, barrier, "barrier", 0);
  return 0;
}
