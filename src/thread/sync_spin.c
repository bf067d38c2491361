/* Spin locks.  Waiting for one is waiting, not spinning, so that a deadlock is seen.  A spin lock
 * is a word of memory: a failed machine's stays held. */
#include "thread/entered.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>

struct sync_spin {
  struct sync_object base;
  struct thread *owner;
};

static struct sync_spin *get(pthread_spinlock_t *lock) {
  return sync_get((const void *)(uintptr_t)lock, SYNC_SPIN, sizeof(struct sync_spin));
}

const struct thread *sync_spin_owner(const struct sync_object *o) {
  return ((const struct sync_spin *)o)->owner;
}

static void release(struct sync_spin *s) {
  thread_memory.order(EVENT_RELEASE, s->base.address, 0);
  s->owner = NULL;
  if (!sync_hands_over())
    sync_wake_all(&s->base.waiters);
  else if (s->base.waiters.first) {
    s->owner = s->base.waiters.first;
    thread_wake(s->owner);
  }
}

INTERPOSE int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  (void)shared;
  sync_enter(SYNC_PLAIN, (const void *)lock);
  sync_write((void *)(uintptr_t)lock, 0, sizeof(int));
  struct sync_spin *s = sync_on_host() ? NULL : sync_find((void *)(uintptr_t)lock, SYNC_SPIN);
  if (s)
    s->owner = NULL;
  return 0;
}

INTERPOSE int pthread_spin_destroy(pthread_spinlock_t *lock) {
  return pthread_spin_init(lock, 0);
}

INTERPOSE int pthread_spin_lock(pthread_spinlock_t *lock) {
  ENTERED();
  sync_enter_as(SYNC_LOCKED, (const void *)lock, OPERATION_LOCK_ACQUIRE);
  if (sync_on_host())
    return 0;
  struct sync_spin *s = get(lock);
  while (s->owner) {
    thread_wait_in(&s->base.waiters, s->base.address, "spin lock", 0);
    if (sync_hands_over())
      return 0;
    thread_at(s->base.address, NULL, OPERATION_LOCK_TRY);
  }
  s->owner = thread_current();
  thread_memory.order(EVENT_ACQUIRE, s->base.address, 0);
  return 0;
}

INTERPOSE int pthread_spin_trylock(pthread_spinlock_t *lock) {
  ENTERED();
  sync_enter_as(SYNC_LOCKED, (const void *)lock, OPERATION_LOCK_TRY);
  if (sync_on_host())
    return 0;
  struct sync_spin *s = get(lock);
  if (s->owner)
    return EBUSY;
  s->owner = thread_current();
  thread_memory.order(EVENT_ACQUIRE, s->base.address, 0);
  return 0;
}

INTERPOSE int pthread_spin_unlock(pthread_spinlock_t *lock) {
  sync_enter_as(SYNC_PLAIN, (const void *)lock, OPERATION_LOCK_RELEASE);
  if (sync_on_host())
    return 0;
  struct sync_spin *s = get(lock);
  if (s->owner != thread_current())
    sync_not_held("spin lock", s->owner);
  release(s);
  return 0;
}
