/* Mutexes: normal, recursive, error-checking and robust ones, and who holds them. */
#include "event/window.h"
#include "thread/entered.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>

#define KIND_TYPE 3 /* PTHREAD_MUTEX_* */
#define KIND_ROBUST 16
#define KIND_KNOWN 0x3ff /* bits that glibc uses in __kind */
#define KIND_DESTROYED (-1)

struct sync_mutex {
  struct sync_object base;
  struct thread *owner;
  struct thread *granted; /* the waiter to whom the lock was handed while it waited */
  unsigned depth;         /* of a recursive one */
  int kind;               /* glibc's encoding */
  bool known;             /* kind was read or set; matters in watched memory only */
  bool inconsistent;      /* robust: an owner died, nobody has repaired it yet */
  bool unrecoverable;     /* robust: unlocked without repair */
  bool failed_release;    /* last released because its owner's machine failed */
  bool left_locked;       /* pm: its bytes say locked, but nobody in this execution did it */
  struct sync_mutex *held_next, *held_previous; /* other mutexes of the owner */
};

static int type_of(const struct sync_mutex *m) {
  return m->kind & KIND_TYPE;
}

static bool is_robust(const struct sync_mutex *m) {
  return m->kind & KIND_ROBUST;
}

static pthread_mutex_t *bytes_of(const struct sync_mutex *m) {
  return (pthread_mutex_t *)(uintptr_t)m->base.address;
}

/* --- ownership --- */

static void set_word(struct sync_mutex *m, int word) {
  int *p = &bytes_of(m)->__data.__lock;
  if (!thread_memory.lock_store(p, (uint64_t)word, sizeof *p))
    sync_write(p, (uint64_t)word, sizeof *p);
}

static void take(struct sync_mutex *m, struct thread *t) {
  if (t == thread_current())
    thread_memory.order(EVENT_ACQUIRE, m->base.address, 0);
  m->owner = t;
  m->depth = 1;
  m->held_previous = NULL;
  m->held_next = t->mutexes;
  if (t->mutexes)
    t->mutexes->held_previous = m;
  t->mutexes = m;
  set_word(m, 1);
}

static void drop(struct sync_mutex *m) {
  thread_memory.order(EVENT_RELEASE, m->base.address, 0);
  if (thread_strategy.released)
    thread_strategy.released(m->owner, m->base.address);
  if (m->held_previous)
    m->held_previous->held_next = m->held_next;
  else
    m->owner->mutexes = m->held_next;
  if (m->held_next)
    m->held_next->held_previous = m->held_previous;
  m->owner = NULL;
  m->granted = NULL;
  set_word(m, 0);
}

/* The mutex is free: whose turn is it? */
static void pass_on(struct sync_mutex *m) {
  struct thread *next = m->base.waiters.first;
  if (!next)
    return;
  if (m->unrecoverable || !sync_hands_over()) {
    sync_wake_all(&m->base.waiters);
    return;
  }
  take(m, next);
  m->granted = next;
  thread_wake(next);
}

static int known_kind(uint64_t kind) {
  if ((uint32_t)kind == (uint32_t)KIND_DESTROYED)
    return KIND_DESTROYED;
  return kind & ~(uint64_t)KIND_KNOWN ? PTHREAD_MUTEX_NORMAL : (int)kind;
}

/* In persistent memory: what an earlier execution, or plain stores of this one, left in its bytes. */
static bool look_at_bytes(struct sync_mutex *m, const pthread_mutex_t *mutex) {
  uint64_t kind, word;
  if (!thread_memory.lock_load(&mutex->__data.__kind, sizeof(int), &kind) ||
      !thread_memory.lock_load(&mutex->__data.__lock, sizeof(int), &word))
    return false;
  m->kind = known_kind(kind);
  m->left_locked = word != 0;
  return true;
}

/* The state of a mutex; a kind from its bytes if they may be news. */
static struct sync_mutex *get(const pthread_mutex_t *mutex) {
  struct sync_mutex *m = sync_get(mutex, SYNC_MUTEX, sizeof *m);
  bool watched = window_has((uintptr_t)mutex);
  if (m->owner) {
    /* Locked, yet the lock word is zero: other plain stores began a new life of these bytes. */
    if (!watched && mutex->__data.__lock == 0 && !m->base.waiters.first) {
      drop(m);
      sync_forget(m, sizeof *m);
    } else
      return m;
  }
  if (look_at_bytes(m, mutex) || (watched && m->known))
    return m;
  uint64_t kind = sync_read(&mutex->__data.__kind, sizeof(int));
  m->kind = watched ? known_kind(kind) : (int)kind;
  m->known = true;
  return m;
}

/* glibc's mutexes use plain instructions until a second thread is created. */
static enum sync_instruction mutex_instruction(void) {
  return thread_count() > 1 ? SYNC_LOCKED : SYNC_PLAIN;
}

static const struct sync_mutex *held_already(const pthread_mutex_t *mutex) {
  const struct sync_mutex *m = sync_on_host() ? NULL : sync_find(mutex, SYNC_MUTEX);
  return m && m->owner == thread_current() ? m : NULL;
}

/* Will the thread be told that it holds it already (EDEADLK)? */
static bool is_refused(const pthread_mutex_t *mutex) {
  const struct sync_mutex *m = held_already(mutex);
  return m && type_of(m) == PTHREAD_MUTEX_ERRORCHECK;
}

/* Where a thread locks what it holds already: an owner that it only looks at, and counts. */
static enum sync_instruction locking_instruction(const pthread_mutex_t *mutex, bool wait) {
  const struct sync_mutex *m = held_already(mutex);
  bool again = m && (type_of(m) == PTHREAD_MUTEX_RECURSIVE || (wait && is_refused(mutex)));
  return again ? SYNC_PLAIN : mutex_instruction();
}

static enum sync_instruction unlocking_instruction(const pthread_mutex_t *mutex) {
  const struct sync_mutex *m = held_already(mutex);
  return m && m->depth > 1 ? SYNC_PLAIN : mutex_instruction();
}

/* The owner's machine may fail before it is seen to hold the mutex. */
static void observe_owner(const struct sync_mutex *m) {
  if (m->owner)
    thread_memory.observe_machine(m->owner->machine);
}

/* False: it was destroyed. */
static bool is_alive(const struct sync_mutex *m) {
  if (m->kind == KIND_DESTROYED)
    sync_was_destroyed(m->base.address, SYNC_MUTEX);
  else if (m->kind & ~KIND_KNOWN)
    sync_was_not_made(m->base.address, SYNC_MUTEX);
  return m->kind != KIND_DESTROYED;
}

static int lock(struct sync_mutex *m, bool wait, unsigned long deadline) {
  struct thread *self = thread_current();
  if (!is_alive(m))
    return EINVAL;
  if (m->owner == self) {
    if (type_of(m) == PTHREAD_MUTEX_RECURSIVE) {
      m->depth++;
      return 0;
    }
    if (type_of(m) == PTHREAD_MUTEX_ERRORCHECK && wait)
      return EDEADLK;
  }
  for (bool observed = false;;) {
    if (m->unrecoverable)
      return ENOTRECOVERABLE;
    if (!m->owner && !m->left_locked) {
      take(m, self);
      break;
    }
    if (!wait && observed)
      return EBUSY;
    if (!observed && (!wait || deadline)) {
      observed = true;
      observe_owner(m);
      continue;
    }
    const char *what = m->left_locked ? THREAD_LEFT_LOCKED : "mutex";
    if (!thread_wait_in(&m->base.waiters, m->base.address, what, deadline))
      return ETIMEDOUT;
    if (m->granted == self) {
      thread_memory.order(EVENT_ACQUIRE, m->base.address, 0);
      break;
    }
    ENTERED(); /* the same each time */
    thread_at(m->base.address, NULL, OPERATION_LOCK_TRY);
  }
  m->granted = NULL;
  if (is_robust(m)) /* should this machine fail, the next owner is told that it was locked */
    thread_memory.order(EVENT_RELEASE, m->base.address, 0);
  return m->inconsistent ? EOWNERDEAD : 0;
}

static int unlock(struct sync_mutex *m) {
  if (!is_alive(m))
    return EINVAL;
  bool plain = !is_robust(m) &&
               (type_of(m) == PTHREAD_MUTEX_NORMAL || type_of(m) == PTHREAD_MUTEX_ADAPTIVE_NP);
  if (m->owner != thread_current() && !plain)
    return EPERM;
  if (m->owner != thread_current() && !m->left_locked)
    sync_not_held("mutex", m->owner);
  if (m->left_locked) { /* somebody repairs it */
    m->left_locked = false;
    set_word(m, 0);
    sync_wake_all(&m->base.waiters);
  }
  if (!m->owner)
    return 0;
  if (--m->depth > 0)
    return 0;
  if (m->inconsistent) {
    m->inconsistent = false;
    m->unrecoverable = true;
  }
  m->failed_release = false;
  drop(m);
  pass_on(m);
  return 0;
}

int sync_mutex_release(void *mutex) {
  return unlock(get(mutex));
}

int sync_mutex_reacquire(void *mutex) {
  thread_at(mutex, NULL, OPERATION_LOCK_ACQUIRE);
  return lock(get(mutex), true, 0);
}

bool sync_mutex_blocks(const struct sync_object *o, const struct thread *t) {
  const struct sync_mutex *m = (const struct sync_mutex *)o;
  bool again = m->owner == t && type_of(m) == PTHREAD_MUTEX_RECURSIVE;
  return !m->unrecoverable && (m->left_locked || (m->owner && !again));
}

const struct thread *sync_mutex_owner(const struct sync_object *o) {
  return ((const struct sync_mutex *)o)->owner;
}

static void owner_gone(struct sync_mutex *m, bool machine_failed) {
  m->inconsistent = is_robust(m);
  m->failed_release = machine_failed;
  drop(m);
  pass_on(m);
}

void sync_mutex_thread_exit(struct thread *t) {
  for (struct sync_mutex *m = t->mutexes, *next; m; m = next) {
    next = m->held_next;
    if (is_robust(m))
      owner_gone(m, false);
  }
}

static struct sync_mutex *robust_one(const struct thread *t) {
  struct sync_mutex *m = t->mutexes;
  while (m && !is_robust(m))
    m = m->held_next;
  return m;
}

void sync_mutex_thread_ends(struct thread *t) {
  for (struct sync_mutex *m;
       (m = robust_one(t)) && thread_at(m->base.address, NULL, OPERATION_LOCK_RELEASE);)
    if (--m->depth == 0) /* as often as it was locked: a release belongs to one acquisition */
      owner_gone(m, false);
}

const void *sync_mutex_left(const struct thread *t) {
  return t->state == THREAD_DONE && t->mutexes ? t->mutexes->base.address : NULL;
}

void sync_mutex_machine_failed(struct thread *t) {
  while (t->mutexes)
    owner_gone(t->mutexes, true);
}

/* --- what the program calls --- */

/* Who has locked it, if there is somebody and its bytes are still those of that mutex. */
static const struct thread *holder_of(const pthread_mutex_t *mutex) {
  const struct sync_mutex *m = sync_on_host() ? NULL : sync_find(mutex, SYNC_MUTEX);
  return m && !window_has((uintptr_t)mutex) && mutex->__data.__lock ? m->owner : NULL;
}

INTERPOSE int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
  sync_enter_as(SYNC_PLAIN, mutex, OPERATION_LOCK_SETUP);
  int type = PTHREAD_MUTEX_NORMAL, robust = PTHREAD_MUTEX_STALLED;
  if (attr) {
    pthread_mutexattr_gettype(attr, &type);
    pthread_mutexattr_getrobust(attr, &robust);
  }
  int kind = type | (robust == PTHREAD_MUTEX_ROBUST ? KIND_ROBUST : 0);
  const struct thread *holder = holder_of(mutex);
  if (holder != thread_current())
    sync_check_unused(mutex, SYNC_MUTEX, "initialised", holder, NULL);
  if (!window_has((uintptr_t)mutex)) {
    *mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    mutex->__data.__kind = kind;
    if (!sync_find(mutex, SYNC_MUTEX))
      return 0;
  }
  if (sync_on_host())
    return 0;
  for (size_t at = 0; at < sizeof *mutex; at += sizeof(uint64_t))
    thread_memory.lock_store((char *)mutex + at, 0, sizeof(uint64_t));
  thread_memory.lock_store(&mutex->__data.__kind, (uint64_t)kind, sizeof(int));
  struct sync_mutex *m = sync_get(mutex, SYNC_MUTEX, sizeof *m);
  if (m->owner)
    drop(m);
  sync_forget(m, sizeof *m);
  m->kind = kind;
  m->known = true;
  return 0;
}

INTERPOSE int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  sync_enter_as(SYNC_PLAIN, mutex, OPERATION_LOCK_SETUP);
  if (sync_on_host())
    return 0;
  if (window_has((uintptr_t)mutex) || thread_strategy.strict || sync_find(mutex, SYNC_MUTEX)) {
    struct sync_mutex *m = get(mutex);
    is_alive(m);
    sync_check_unused(mutex, SYNC_MUTEX, "destroyed", m->owner, m->base.waiters.first);
    if (m->owner || m->base.waiters.first)
      return EBUSY;
    sync_forget(m, sizeof *m);
    sync_note_destroyed(&m->base);
  }
  int *kind = &mutex->__data.__kind;
  if (!thread_memory.lock_store(kind, (uint32_t)KIND_DESTROYED, sizeof *kind))
    sync_write(kind, (uint32_t)KIND_DESTROYED, sizeof *kind);
  return 0;
}

INTERPOSE int pthread_mutex_lock(pthread_mutex_t *mutex) {
  ENTERED();
  /* One that is refused is not where others could have come first. */
  sync_enter_as(locking_instruction(mutex, true), mutex,
                is_refused(mutex) ? OPERATION_LOCK_FAILED : OPERATION_LOCK_ACQUIRE);
  return sync_on_host() ? 0 : lock(get(mutex), true, 0);
}

INTERPOSE int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  ENTERED();
  sync_enter_as(locking_instruction(mutex, false), mutex, OPERATION_LOCK_TRY);
  return sync_on_host() ? 0 : lock(get(mutex), false, 0);
}

INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *time) {
  ENTERED();
  if (is_refused(mutex))
    return pthread_mutex_lock(mutex);
  sync_enter_as(locking_instruction(mutex, true), mutex, OPERATION_LOCK_TRY);
  if (sync_on_host())
    return 0;
  struct sync_mutex *m = get(mutex);
  int result = lock(m, false, 0);
  if (result != EBUSY)
    return result;
  unsigned long deadline;
  result = sync_deadline(clock, time, &deadline);
  if (!result && thread_times_out(deadline))
    return ETIMEDOUT;
  return result ? result : lock(m, true, deadline);
}

INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

INTERPOSE int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  sync_enter_as(unlocking_instruction(mutex), mutex, OPERATION_LOCK_RELEASE);
  return sync_on_host() ? 0 : unlock(get(mutex));
}

INTERPOSE int pthread_mutex_consistent(pthread_mutex_t *mutex) {
  sync_enter(SYNC_PLAIN, mutex);
  if (sync_on_host())
    return 0;
  struct sync_mutex *m = get(mutex);
  if (!is_robust(m) || !m->inconsistent || m->owner != thread_current())
    return EINVAL;
  m->inconsistent = false;
  return 0;
}

INTERPOSE int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling) {
  (void)mutex;
  *ceiling = 0;
  return 0;
}

INTERPOSE int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old) {
  (void)mutex, (void)ceiling;
  *old = 0;
  return 0;
}

INTERPOSE int tidemark_mutex_owner_failed(pthread_mutex_t *mutex) {
  if (sync_on_host())
    return 0;
  struct sync_mutex *m = get(mutex);
  observe_owner(m);
  return m->failed_release;
}

/* Names that older libraries were linked with. */
INTERPOSE int __pthread_mutex_lock(pthread_mutex_t *mutex) {
  return pthread_mutex_lock(mutex);
}

INTERPOSE int __pthread_mutex_unlock(pthread_mutex_t *mutex) {
  return pthread_mutex_unlock(mutex);
}
