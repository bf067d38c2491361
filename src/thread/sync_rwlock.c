/* Read-write locks.  Readers are preferred, as glibc does it, unless the attribute prefers
 * writers.  A failed machine's holds are released; POSIX has no way to tell the next holder. */
#include "event/window.h"
#include "process/world.h"
#include "thread/entered.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

struct reader {
  struct thread *thread;
  unsigned count;
};

/* base.waiters are the writers. */
struct sync_rwlock {
  struct sync_object base;
  struct thread_queue readers_waiting;
  struct thread *writer;
  struct reader *readers; /* who holds it for reading, world memory */
  unsigned reader_count, reader_capacity;
  bool known; /* matters in watched memory only */
  bool prefer_writers;
};

static struct reader *reader_of(struct sync_rwlock *l, const struct thread *t) {
  for (unsigned i = 0; i < l->reader_count; i++)
    if (l->readers[i].thread == t)
      return &l->readers[i];
  return NULL;
}

static pthread_rwlock_t *bytes_of(const struct sync_rwlock *l) {
  return (pthread_rwlock_t *)(uintptr_t)l->base.address;
}

static void mirror(struct sync_rwlock *l) {
  unsigned word = l->writer ? 1 : l->reader_count << 3;
  sync_write(&bytes_of(l)->__data.__readers, word, sizeof(int));
}

static void add_reader(struct sync_rwlock *l, struct thread *t) {
  if (t == thread_current())
    thread_memory.order(EVENT_ACQUIRE, l->base.address, 0);
  struct reader *r = reader_of(l, t);
  if (r) {
    r->count++;
    return;
  }
  WORLD_ROOM(l->readers, l->reader_count, l->reader_capacity);
  l->readers[l->reader_count++] = (struct reader){t, 1};
  mirror(l);
}

static void remove_reader(struct sync_rwlock *l, struct reader *r) {
  *r = l->readers[--l->reader_count];
  mirror(l);
}

static void set_writer(struct sync_rwlock *l, struct thread *t) {
  l->writer = t;
  mirror(l);
}

static struct sync_rwlock *get(const pthread_rwlock_t *lock) {
  struct sync_rwlock *l = sync_get(lock, SYNC_RWLOCK, sizeof *l);
  l->readers_waiting.object = &l->base;
  bool watched = window_has((uintptr_t)lock);
  if ((l->writer || l->reader_count) && !watched && lock->__data.__readers == 0) {
    /* Held, yet its bytes say free: plain stores began a new life of these bytes. */
    l->writer = NULL;
    l->reader_count = 0;
  }
  if (watched && l->known)
    return l;
  unsigned flags = (unsigned)sync_read(&lock->__data.__flags, sizeof(int));
  l->prefer_writers = flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
  l->known = true;
  return l;
}

static bool may_read(const struct sync_rwlock *l) {
  return !l->writer && !(l->prefer_writers && l->base.waiters.first);
}

bool sync_rwlock_fails(const struct sync_object *o, bool read) {
  const struct sync_rwlock *l = (const struct sync_rwlock *)o;
  return read ? !may_read(l) : l->writer || l->reader_count;
}

/* Something was given up: whose turn is it? */
static void pass_on(struct sync_rwlock *l) {
  if (l->writer)
    return;
  if (!sync_hands_over()) {
    sync_wake_all(&l->readers_waiting);
    if (!l->reader_count)
      sync_wake_all(&l->base.waiters);
    return;
  }
  while (l->readers_waiting.first && may_read(l)) {
    add_reader(l, l->readers_waiting.first);
    thread_wake(l->readers_waiting.first);
  }
  struct thread *next = l->base.waiters.first;
  if (next && !l->reader_count) {
    set_writer(l, next);
    thread_wake(next);
  }
}

static int lock_read(struct sync_rwlock *l, bool wait, unsigned long deadline) {
  struct thread *self = thread_current();
  sync_check_alive(l->base.address, SYNC_RWLOCK);
  if (l->writer == self)
    return wait ? EDEADLK : EBUSY;
  while (!may_read(l)) {
    if (!wait)
      return EBUSY;
    if (thread_times_out(deadline) ||
        !thread_wait_in(&l->readers_waiting, l->base.address, "read lock", deadline))
      return ETIMEDOUT;
    if (sync_hands_over())
      return 0;
    thread_at(l->base.address, NULL, OPERATION_LOCK_AGAIN);
  }
  if (!wait)
    sync_attempts();
  add_reader(l, self);
  return 0;
}

static int lock_write(struct sync_rwlock *l, bool wait, unsigned long deadline) {
  struct thread *self = thread_current();
  sync_check_alive(l->base.address, SYNC_RWLOCK);
  if (l->writer == self)
    return wait ? EDEADLK : EBUSY;
  while (l->writer || l->reader_count) {
    if (!wait)
      return EBUSY;
    if (thread_times_out(deadline))
      return ETIMEDOUT;
    if (!thread_wait_in(&l->base.waiters, l->base.address, "write lock", deadline)) {
      pass_on(l); /* readers may have waited for this writer only */
      return ETIMEDOUT;
    }
    if (sync_hands_over())
      return 0;
    thread_at(l->base.address, NULL, OPERATION_LOCK_AGAIN);
  }
  if (!wait)
    sync_attempts();
  set_writer(l, self);
  thread_memory.order(EVENT_ACQUIRE, l->base.address, 0);
  return 0;
}

static int unlock(struct sync_rwlock *l) {
  struct thread *self = thread_current();
  sync_check_alive(l->base.address, SYNC_RWLOCK);
  if (l->writer != self && !reader_of(l, self))
    sync_not_held("read-write lock", sync_rwlock_owner(&l->base));
  thread_memory.order(EVENT_RELEASE, l->base.address, 0);
  if (l->writer)
    set_writer(l, NULL);
  else {
    struct reader *r = reader_of(l, self);
    if (!r && l->reader_count)
      r = &l->readers[0]; /* not ours: undefined, and in glibc just one reader less */
    if (!r)
      return 0;
    if (--r->count == 0)
      remove_reader(l, r);
  }
  pass_on(l);
  return 0;
}

const struct thread *sync_rwlock_owner(const struct sync_object *o) {
  const struct sync_rwlock *l = (const struct sync_rwlock *)o;
  return l->writer ? l->writer : l->reader_count ? l->readers[0].thread : NULL;
}

void sync_rwlock_machine_failed(int machine) {
  for (struct sync_object *o = sync_first(); o; o = o->next) {
    struct sync_rwlock *l = (struct sync_rwlock *)o;
    if (o->kind != SYNC_RWLOCK)
      continue;
    if (l->writer && l->writer->machine == machine)
      set_writer(l, NULL);
    for (unsigned i = l->reader_count; i > 0; i--)
      if (l->readers[i - 1].thread->machine == machine)
        remove_reader(l, &l->readers[i - 1]);
    pass_on(l);
  }
}

/* --- what the program calls --- */

INTERPOSE int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr) {
  sync_enter_as(SYNC_PLAIN, lock, OPERATION_LOCK_SETUP);
  int kind = PTHREAD_RWLOCK_PREFER_READER_NP;
  if (attr)
    pthread_rwlockattr_getkind_np(attr, &kind);
  if (!window_has((uintptr_t)lock)) {
    *lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    lock->__data.__flags = (unsigned)kind;
    if (!sync_find(lock, SYNC_RWLOCK))
      return 0;
  }
  if (sync_on_host())
    return 0;
  struct sync_rwlock *l = get(lock);
  l->writer = NULL;
  l->reader_count = 0;
  l->prefer_writers = kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
  return 0;
}

INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  sync_enter_as(SYNC_PLAIN, lock, OPERATION_LOCK_SETUP);
  if (sync_on_host())
    return 0;
  sync_check_alive(lock, SYNC_RWLOCK);
  struct sync_rwlock *l = sync_find(lock, SYNC_RWLOCK);
  if (!l && !thread_strategy.strict)
    return 0;
  l = get(lock);
  sync_check_unused(lock, SYNC_RWLOCK, "destroyed", sync_rwlock_owner(&l->base),
                    l->base.waiters.first);
  if (l->writer || l->reader_count)
    return EBUSY;
  l->known = false;
  sync_note_destroyed(&l->base);
  return 0;
}

INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  ENTERED();
  sync_enter_as(SYNC_LOCKED, lock, OPERATION_LOCK_ENTER);
  return sync_on_host() ? 0 : lock_read(get(lock), true, 0);
}

INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  ENTERED();
  sync_enter_as(SYNC_PLAIN, lock, OPERATION_LOCK_TRY_READ);
  return sync_on_host() ? 0 : lock_read(get(lock), false, 0);
}

INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  ENTERED();
  sync_enter_as(SYNC_LOCKED, lock, OPERATION_LOCK_ENTER);
  return sync_on_host() ? 0 : lock_write(get(lock), true, 0);
}

INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  ENTERED();
  sync_enter_as(SYNC_PLAIN, lock, OPERATION_LOCK_TRY);
  return sync_on_host() ? 0 : lock_write(get(lock), false, 0);
}

INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *time) {
  sync_enter(SYNC_LOCKED, lock);
  unsigned long deadline;
  int bad = sync_deadline(clock, time, &deadline);
  return bad || sync_on_host() ? bad : lock_read(get(lock), true, deadline);
}

INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *time) {
  sync_enter(SYNC_LOCKED, lock);
  unsigned long deadline;
  int bad = sync_deadline(clock, time, &deadline);
  return bad || sync_on_host() ? bad : lock_write(get(lock), true, deadline);
}

INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time) {
  return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, time);
}

INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time) {
  return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, time);
}

INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  sync_enter_as(SYNC_LOCKED, lock, OPERATION_LOCK_LEAVE);
  return sync_on_host() ? 0 : unlock(get(lock));
}
