/* Barriers.  An arrival counts even if the thread's machine fails while it waits, as it would in
 * shared memory; a thread that never arrives is missed for good. */
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>

struct sync_barrier {
  struct sync_object base;
  unsigned count; /* 0: not initialised */
  unsigned arrived;
  bool serial;     /* those look at who completes the round */
  unsigned rounds; /* that are over; not 0 again when it is initialised again */
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
  b->rounds++;
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

bool sync_barrier_settle(struct operation *arrival) {
  struct sync_barrier *b = sync_find((const void *)arrival->address, SYNC_BARRIER);
  if (!b || b->count == 0)
    return true;
  unsigned lacks = b->count > b->arrived ? b->count - b->arrived : 1;
  arrival->round = (uint16_t)(1 + b->rounds % UINT16_MAX);
  arrival->lacks = (uint16_t)(lacks < UINT16_MAX ? lacks : UINT16_MAX);
  bool alike = b->arrived == 0 || b->serial == arrival->serial;
  b->serial = arrival->serial;
  return alike;
}

static int arrive(pthread_barrier_t *barrier, enum operation_lock how) {
  sync_enter_as(SYNC_LOCKED, barrier, how);
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
    b->rounds++;
    thread_memory.order(EVENT_ACQUIRE, barrier, 0);
    for (struct thread *t = b->base.waiters.first; t; t = t->queue_next)
      t->turn.learns = true;
    sync_wake_all(&b->base.waiters);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  thread_wait_in(&b->base.waiters, barrier, "barrier", 0);
  return 0;
}

INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier) {
  return arrive(barrier, OPERATION_LOCK_SERIAL);
}

/* Nobody wants to know who was the last, so nothing tells. */
INTERPOSE int ABI_BARRIER_WAIT(pthread_barrier_t *barrier);
int ABI_BARRIER_WAIT(pthread_barrier_t *barrier) {
  int result = arrive(barrier, OPERATION_LOCK_ARRIVE);
  return result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result;
}
