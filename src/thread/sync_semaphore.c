/* Semaphores, also named ones, whose names all machines know, as they do those of shared-memory objects.
 * Units that a failed machine took are gone. */
#include "event/window.h"
#include "process/world.h"
#include "thread/entered.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>

struct sync_semaphore {
  struct sync_object base;
  bool known; /* value was set by sem_init or read from the bytes */
  unsigned value;
};

struct named {
  struct named *next;
  bool unlinked;
  sem_t semaphore;
  char name[];
};

static struct named *all_named; /* goes back with the program */

void sync_semaphore_init(void) {
  world_include(&all_named, sizeof all_named);
}

static void set_value(struct sync_semaphore *s, unsigned value) {
  s->known = true;
  s->value = value;
  void *p = (void *)(uintptr_t)s->base.address;
  if (!thread_memory.lock_store(p, value, sizeof(int)))
    sync_write(p, value, sizeof(int));
}

static struct sync_semaphore *get(sem_t *semaphore) {
  struct sync_semaphore *s = sync_get(semaphore, SYNC_SEMAPHORE, sizeof *s);
  uint64_t value;
  if (s->known)
    return s;
  if (thread_memory.lock_load(semaphore, sizeof(int), &value)) {
    s->known = true;
    s->value = (unsigned)value;
  } else {
    set_value(s, (unsigned)sync_read(semaphore, sizeof(int)));
  }
  return s;
}

static struct sync_semaphore *alive(sem_t *semaphore) {
  sync_check_alive(semaphore, SYNC_SEMAPHORE);
  return get(semaphore);
}

bool sync_semaphore_empty(const struct sync_object *o) {
  const struct sync_semaphore *s = (const struct sync_semaphore *)o;
  return s->known && s->value == 0;
}

static int fail(int error) {
  errno = error;
  return -1;
}

static int take(struct sync_semaphore *s, unsigned long deadline) {
  while (s->value == 0) {
    if (thread_times_out(deadline))
      return fail(ETIMEDOUT);
    bool woken = !sync_cancel_waits() ||
                 thread_wait_in(&s->base.waiters, s->base.address, "semaphore", deadline);
    sync_cancel_has_waited();
    if (!woken)
      return fail(ETIMEDOUT);
    if (sync_hands_over())
      return 0;
    thread_at(s->base.address, NULL, OPERATION_LOCK_AGAIN);
  }
  set_value(s, s->value - 1);
  thread_memory.order(EVENT_ACQUIRE, s->base.address, 0);
  return 0;
}

static int init(sem_t *semaphore, unsigned value) {
  if (value > SEM_VALUE_MAX)
    return fail(EINVAL);
  if (!window_has((uintptr_t)semaphore)) {
    memset(semaphore, 0, sizeof *semaphore);
    sync_write(semaphore, value, sizeof(int));
    if (!sync_find(semaphore, SYNC_SEMAPHORE))
      return 0;
  }
  if (sync_on_host())
    return 0;
  set_value(sync_get(semaphore, SYNC_SEMAPHORE, sizeof(struct sync_semaphore)), value);
  return 0;
}

INTERPOSE int sem_init(sem_t *semaphore, int shared, unsigned value) {
  (void)shared;
  sync_enter_as(SYNC_PLAIN, semaphore, OPERATION_LOCK_SETUP);
  return init(semaphore, value);
}

INTERPOSE int sem_destroy(sem_t *semaphore) {
  sync_enter_as(SYNC_PLAIN, semaphore, OPERATION_LOCK_SETUP);
  if (sync_on_host())
    return 0;
  sync_check_alive(semaphore, SYNC_SEMAPHORE);
  struct sync_semaphore *s =
      thread_strategy.strict ? get(semaphore) : sync_find(semaphore, SYNC_SEMAPHORE);
  if (!s)
    return 0;
  sync_check_unused(semaphore, SYNC_SEMAPHORE, "destroyed", NULL, s->base.waiters.first);
  s->known = false;
  sync_note_destroyed(&s->base);
  return 0;
}

INTERPOSE int sem_wait(sem_t *semaphore) {
  if (sync_on_host())
    return 0;
  sync_cancel_begin(semaphore);
  ENTERED();
  sync_enter_as(SYNC_LOCKED, semaphore, OPERATION_LOCK_ENTER);
  int result = take(alive(semaphore), 0);
  sync_cancel_end();
  return result;
}

INTERPOSE int sem_trywait(sem_t *semaphore) {
  ENTERED();
  sync_enter_as(SYNC_PLAIN, semaphore, OPERATION_LOCK_TRY);
  if (sync_on_host())
    return 0;
  struct sync_semaphore *s = alive(semaphore);
  if (s->value == 0)
    return fail(EAGAIN);
  sync_attempts();
  return take(s, 0);
}

INTERPOSE int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time) {
  unsigned long deadline;
  if (sync_deadline(clock, time, &deadline))
    return fail(EINVAL);
  if (sync_on_host())
    return 0;
  sync_cancel_begin(semaphore);
  sync_enter(SYNC_LOCKED, semaphore);
  int result = take(alive(semaphore), deadline);
  sync_cancel_end();
  return result;
}

INTERPOSE int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, time);
}

INTERPOSE int sem_post(sem_t *semaphore) {
  sync_enter_as(SYNC_LOCKED, semaphore, OPERATION_LOCK_LEAVE);
  if (sync_on_host())
    return 0;
  struct sync_semaphore *s = alive(semaphore);
  if (s->value == SEM_VALUE_MAX)
    return fail(EOVERFLOW);
  thread_memory.order(EVENT_RELEASE, s->base.address, 0);
  if (s->base.waiters.first && sync_hands_over()) {
    set_value(s, s->value + 1); /* a failure may come before the waiter takes it */
    set_value(s, s->value - 1);
    thread_wake(s->base.waiters.first);
    return 0;
  }
  set_value(s, s->value + 1);
  sync_wake_all(&s->base.waiters);
  return 0;
}

INTERPOSE int sem_getvalue(sem_t *semaphore, int *value) {
  sync_enter_as(SYNC_PLAIN, semaphore, OPERATION_LOCK_LOOK);
  int now = sync_on_host() ? 0 : (int)get(semaphore)->value;
  sync_give(value, &now, sizeof now);
  return 0;
}

static struct named *find_named(const char *name) {
  for (struct named *n = all_named; n; n = n->next)
    if (!n->unlinked && strcmp(n->name, name) == 0)
      return n;
  return NULL;
}

/* Behind "sem." in a file's name. */
static bool too_long(const char *name) {
  return strlen(name + (*name == '/')) > NAME_MAX - 4;
}

INTERPOSE sem_t *sem_open(const char *name, int flags, ...) {
  sync_enter(SYNC_LOCKED, &all_named);
  if (too_long(name)) {
    errno = ENAMETOOLONG;
    return SEM_FAILED;
  }
  struct named *n = find_named(name);
  if (n && (flags & O_CREAT) && (flags & O_EXCL)) {
    errno = EEXIST;
    return SEM_FAILED;
  }
  if (n)
    return &n->semaphore;
  if (!(flags & O_CREAT)) {
    errno = ENOENT;
    return SEM_FAILED;
  }
  va_list args;
  va_start(args, flags);
  (void)va_arg(args, unsigned); /* mode */
  unsigned value = va_arg(args, unsigned);
  va_end(args);
  size_t bytes = strlen(name) + 1;
  n = world_alloc(sizeof *n + bytes);
  memcpy(n->name, name, bytes);
  if (init(&n->semaphore, value))
    return SEM_FAILED;
  n->next = all_named;
  all_named = n;
  return &n->semaphore;
}

INTERPOSE int sem_close(sem_t *semaphore) {
  (void)semaphore;
  return 0;
}

INTERPOSE int sem_unlink(const char *name) {
  sync_enter(SYNC_LOCKED, &all_named);
  struct named *n = find_named(name);
  if (!n)
    return fail(too_long(name) ? ENAMETOOLONG : ENOENT);
  n->unlinked = true;
  return 0;
}
