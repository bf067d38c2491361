/* Cancelling threads (pthread_cancel), where they allow it: at cancellation points.
 *
 * A point at which the thread may have to wait for an object is three steps: it looks whether it was cancelled, does what
 * it does to the object, and looks again.  Who cancels it between the two looks makes a step on the object, too, and
 * thereby comes before or after; a thread that waits by then is woken.  So the order of any two steps that matter to each
 * other is that of two steps on one object.  Programs that never call pthread_cancel have none of these. */
#include "process/image.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>

static void step_on(const void *object, enum operation_lock how) {
  if (!thread_at(object, NULL, how))
    thread_at_lock(object, how);
  thread_memory.synchronise();
}

static bool concerns(const struct thread *self) {
  return image_cancels && !self->cancel.off && thread_count() > 1;
}

static _Noreturn void act(struct thread *self) {
  self->cancel = (struct thread_cancel){.off = true};
  sync_unwind(PTHREAD_CANCELED);
}

void thread_cancel_point(void) {
  struct thread *self = fiber_current() ? thread_current() : NULL;
  if (!self || !concerns(self))
    return;
  step_on(&self->cancel, OPERATION_LOCK_TRY);
  if (self->cancel.asked)
    act(self);
}

bool sync_cancel_fails(const struct thread *t, const void *object) {
  return object == &t->cancel && !t->cancel.asked;
}

void sync_cancel_begin(const void *object) {
  struct thread *self = thread_current();
  if (!concerns(self))
    return;
  step_on(&self->cancel, OPERATION_LOCK_OTHER);
  if (self->cancel.asked)
    act(self);
  self->cancel.at = object;
  self->cancel.stage = CANCEL_BEFORE;
}

bool sync_cancel_waits(void) {
  struct thread_cancel *c = &thread_current()->cancel;
  c->stage = CANCEL_WAITS;
  return !c->woken;
}

void sync_cancel_has_waited(void) {
  struct thread *self = thread_current();
  self->cancel.stage = CANCEL_AFTER;
  if (self->cancel.woken)
    act(self);
}

void sync_cancel_end(void) {
  struct thread *self = thread_current();
  if (!self->cancel.at)
    return;
  self->cancel.stage = CANCEL_AFTER;
  step_on(&self->cancel, OPERATION_LOCK_OTHER);
  self->cancel.at = NULL;
  self->cancel.woken = false;
}

bool sync_cancel_concerns(void) {
  return concerns(thread_current());
}

void thread_check_uncancelled(const char *what) {
  if (thread_current()->cancel.asked && !thread_current()->cancel.off)
    stop_refuse(what);
  thread_current()->cancel.refused = what;
}

void thread_end_uncancelled(void) {
  thread_current()->cancel.refused = NULL;
}

/* It is between its looks at the object: before its step there, waiting, or behind it. */
static void interrupt(struct thread *t, const void *object) {
  step_on(object, OPERATION_LOCK_OTHER);
  if (t->cancel.at != object)
    return;
  bool waits = t->cancel.stage == CANCEL_WAITS && t->state == THREAD_WAITING;
  t->cancel.woken |= t->cancel.stage == CANCEL_BEFORE || waits; /* or by an earlier call */
  if (waits)
    thread_wake(t);
}

/* It is about to be joined, after which there is nobody to cancel. */
void sync_cancel_joins(struct thread *t) {
  if (image_cancels && thread_count() > 1)
    step_on(&t->cancel, OPERATION_LOCK_OTHER);
}

INTERPOSE int pthread_cancel(pthread_t handle) {
  struct thread *t = thread_ever_of_handle(handle);
  if (!t)
    return ESRCH;
  if (t->cancel.asynchronous)
    stop_refuse("pthread_cancel of a thread that can be cancelled at any time "
                "(PTHREAD_CANCEL_ASYNCHRONOUS)");
  if (t != thread_current())
    step_on(&t->cancel, OPERATION_LOCK_OTHER);
  if (!thread_of_handle(handle))
    return ESRCH;
  if (t->cancel.refused && !t->cancel.off)
    stop_refuse(t->cancel.refused);
  t->cancel.asked = true;
  if (t != thread_current() && t->cancel.at)
    interrupt(t, t->cancel.at);
  return 0;
}

INTERPOSE int pthread_setcancelstate(int state, int *old) {
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
    return EINVAL;
  if (sync_on_host())
    return 0;
  struct thread *self = thread_current();
  int before = self->cancel.off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  if (old)
    sync_give(old, &before, sizeof before);
  self->cancel.off = state == PTHREAD_CANCEL_DISABLE;
  return 0;
}

INTERPOSE int pthread_setcanceltype(int type, int *old) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
    return EINVAL;
  if (sync_on_host())
    return 0;
  struct thread *self = thread_current();
  int before = self->cancel.asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  if (old)
    sync_give(old, &before, sizeof before);
  self->cancel.asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  return 0;
}

INTERPOSE void pthread_testcancel(void) {
  ENTERED();
  thread_cancel_point();
}
