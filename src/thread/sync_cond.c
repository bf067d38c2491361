/* Condition variables.  Signals wake waiters in the order of their arrival, or, where schedules of ordinary programs
 * are explored, any of them.  A signal given to a
 * thread whose machine then fails is gone with it. */
#include "event/window.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>

#define WREFS_MONOTONIC 2u /* glibc: this bit of __wrefs says which clock timedwait means */

struct sync_cond {
  struct sync_object base;
  bool known; /* monotonic was set; matters in watched memory only */
  bool monotonic;
  const pthread_mutex_t *mutex; /* with which those who wait do so */
};

static struct sync_cond *get(const pthread_cond_t *cond) {
  struct sync_cond *c = sync_get(cond, SYNC_COND, sizeof *c);
  if (!window_has((uintptr_t)cond))
    c->monotonic = cond->__data.__wrefs & WREFS_MONOTONIC;
  else if (!c->known) {
    c->monotonic = sync_read(&cond->__data.__wrefs, sizeof(int)) & WREFS_MONOTONIC;
    c->known = true;
  }
  return c;
}

/* Who wakes up without a reason need not have waited: a signal would have found others. */
static int wait(struct sync_cond *c, pthread_mutex_t *mutex, unsigned long deadline,
                enum thread_way way) {
  sync_check_alive(c->base.address, SYNC_COND);
  if (c->mutex != mutex)
    sync_check_one_mutex(c->base.address, c->base.waiters.first);
  int result = sync_mutex_release(mutex);
  if (result)
    return result;
  c->mutex = mutex;
  bool woken = way == THREAD_WAKES_ITSELF || !sync_cancel_waits() ||
               (way == THREAD_WOKEN &&
                thread_wait_in(&c->base.waiters, c->base.address, "condition variable", deadline));
  if (way == THREAD_TIMES_OUT)
    thread_pass_deadline(deadline);
  result = sync_mutex_reacquire(mutex);
  sync_cancel_has_waited();
  if (result)
    return result;
  return woken ? 0 : ETIMEDOUT;
}

INTERPOSE int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) {
  sync_enter_as(SYNC_PLAIN, thread_strategy.at ? cond : NULL, OPERATION_LOCK_SETUP);
  clockid_t clock = CLOCK_REALTIME;
  if (attr)
    pthread_condattr_getclock(attr, &clock);
  bool monotonic = clock == CLOCK_MONOTONIC;
  if (!window_has((uintptr_t)cond)) {
    *cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    cond->__data.__wrefs = monotonic ? WREFS_MONOTONIC : 0;
    return 0;
  }
  if (sync_on_host())
    return 0;
  struct sync_cond *c = sync_get(cond, SYNC_COND, sizeof *c);
  c->known = true;
  c->monotonic = monotonic;
  return 0;
}

INTERPOSE int pthread_cond_destroy(pthread_cond_t *cond) {
  sync_enter_as(SYNC_PLAIN, thread_strategy.at ? cond : NULL, OPERATION_LOCK_SETUP);
  if (sync_on_host())
    return 0;
  sync_check_alive(cond, SYNC_COND);
  struct sync_cond *c = thread_strategy.strict ? get(cond) : sync_find(cond, SYNC_COND);
  if (!c)
    return 0;
  sync_check_unused(cond, SYNC_COND, "destroyed", NULL, c->base.waiters.first);
  if (c->base.waiters.first)
    return EBUSY;
  sync_forget(c, sizeof *c);
  sync_note_destroyed(&c->base);
  return 0;
}

/* Without a waiter nothing but a load happens.  There may be one when it is this thread's turn. */
static uint32_t enter_to_wake(const pthread_cond_t *cond, bool all) {
  if (sync_on_host())
    return 0;
  uint32_t which = 0;
  if (!all)
    which = thread_at_signal(cond, &get(cond)->base.waiters);
  else if (!thread_at(cond, NULL, OPERATION_LOCK_OTHER))
    thread_at_lock(NULL, OPERATION_LOCK_OTHER);
  sync_check_alive(cond, SYNC_COND);
  if (get(cond)->base.waiters.first)
    thread_memory.full_fence();
  thread_memory.synchronise();
  return which;
}

INTERPOSE int pthread_cond_signal(pthread_cond_t *cond) {
  uint32_t which = enter_to_wake(cond, false);
  if (sync_on_host())
    return 0;
  struct thread *t = get(cond)->base.waiters.first;
  while (t && which-- > 0)
    t = t->queue_next;
  if (t)
    thread_wake(t);
  return 0;
}

INTERPOSE int pthread_cond_broadcast(pthread_cond_t *cond) {
  enter_to_wake(cond, true);
  if (!sync_on_host())
    sync_wake_all(&get(cond)->base.waiters);
  return 0;
}

/* It is put into the queue and the mutex released in one step. */
static enum thread_way enter_to_wait(const pthread_cond_t *cond, const pthread_mutex_t *mutex,
                                     bool timed) {
  if (sync_on_host())
    return THREAD_WOKEN;
  sync_cancel_begin(cond);
  enum thread_way way = thread_at_wait(cond, mutex, timed);
  thread_memory.full_fence();
  thread_memory.synchronise();
  return way;
}

INTERPOSE int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  enum thread_way way = enter_to_wait(cond, mutex, false);
  if (sync_on_host())
    return 0;
  int result = wait(get(cond), mutex, 0, way);
  sync_cancel_end();
  return result;
}

INTERPOSE int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *time) {
  unsigned long deadline;
  int result = sync_on_host() ? 0 : sync_deadline(clock, time, &deadline);
  bool late = !sync_on_host() && !result && thread_is_late(deadline);
  enum thread_way way = enter_to_wait(cond, mutex, !late);
  if (sync_on_host())
    return result;
  if (!result)
    result = wait(get(cond), mutex, deadline, late ? THREAD_TIMES_OUT : way);
  sync_cancel_end();
  return result;
}

INTERPOSE int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                     const struct timespec *time) {
  clockid_t clock = CLOCK_REALTIME;
  if (!sync_on_host() && get(cond)->monotonic)
    clock = CLOCK_MONOTONIC;
  return pthread_cond_clockwait(cond, mutex, clock, time);
}
