/* The life of synchronisation objects in ordinary programs: what POSIX leaves undefined about it is a finding.
 *
 * Where an object was destroyed is kept with it; that it was is in its bytes, so that plain stores begin a new life
 * (a static initialiser, another object in that memory). */
#include "event/window.h"
#include "thread/sync_internal.h"

#define DESTROYED 0xd357207eu /* no value of a semaphore */

static const char *name_of(enum sync_kind kind) {
  static const char *const names[] = {[SYNC_MUTEX] = "mutex",
                                      [SYNC_COND] = "condition variable",
                                      [SYNC_RWLOCK] = "read-write lock",
                                      [SYNC_SPIN] = "spin lock",
                                      [SYNC_BARRIER] = "barrier",
                                      [SYNC_SEMAPHORE] = "semaphore"};
  return names[kind];
}

static bool concerns(const void *object) {
  return thread_strategy.strict && !sync_on_host() && !window_has((uintptr_t)object);
}

void sync_was_destroyed(const void *object, enum sync_kind kind) {
  const struct sync_object *o = concerns(object) ? sync_find(object, kind) : NULL;
  if (o && o->destroyed)
    stop_freed(STOP_LOCK_MISUSE, NULL, o->destroyed, o->destroyed_by,
               "thread %d has destroyed this %s before", o->destroyed_by, name_of(kind));
  if (concerns(object))
    stop_with(STOP_LOCK_MISUSE, NULL, "this %s was destroyed", name_of(kind));
}

void sync_was_not_made(const void *object, enum sync_kind kind) {
  if (concerns(object))
    stop_with(STOP_LOCK_MISUSE, NULL,
              "this %s was never initialised, or something else was stored there", name_of(kind));
}

void sync_check_alive(const void *object, enum sync_kind kind) {
  if (concerns(object) && (uint32_t)sync_read(object, sizeof(int)) == DESTROYED)
    sync_was_destroyed(object, kind);
}

void sync_check_unused(const void *object, enum sync_kind kind, const char *what,
                       const struct thread *holder, const struct thread *waiter) {
  if (concerns(object) && (holder || waiter))
    stop_with(STOP_LOCK_MISUSE, NULL, "this %s is %s while thread %d %s it", name_of(kind), what,
              holder ? holder->id : waiter->id, holder ? "holds" : "waits for");
}

void sync_check_one_mutex(const void *condition, const struct thread *waiter) {
  if (concerns(condition) && waiter)
    stop_with(STOP_LOCK_MISUSE, NULL,
              "thread %d waits for this condition variable with another mutex", waiter->id);
}

void sync_note_destroyed(struct sync_object *o) {
  if (!concerns(o->address))
    return;
  o->destroyed = thread_strategy.caller();
  o->destroyed_by = thread_current()->id;
  if (o->kind != SYNC_MUTEX) /* which says so itself, as glibc's do */
    sync_write((void *)(uintptr_t)o->address, DESTROYED, sizeof(int));
}
