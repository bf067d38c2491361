/* Threads as the program creates, joins and asks about them. */
#include "base/hash.h"
#include "thread/entered.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/single_threaded.h>

/* What pthread_self returns: not a pointer, but it looks like one. */
#define HANDLE_BASE 0x710000000000ul
#define HANDLE_STEP 0x1000ul

static pthread_t handle_of_id(int id) {
  return HANDLE_BASE + (unsigned long)id * HANDLE_STEP;
}

static pthread_t handle_of(const struct thread *t) {
  return handle_of_id(t->id);
}

struct thread *thread_ever_of_handle(pthread_t handle) {
  if (sync_on_host() || handle < HANDLE_BASE || handle % HANDLE_STEP)
    return NULL;
  unsigned long id = (handle - HANDLE_BASE) / HANDLE_STEP;
  struct thread *t = id < THREADS_EVER_MAX ? thread_by_id((int)id) : NULL;
  return t && t->machine == thread_current()->machine ? t : NULL;
}

static bool is_gone(const struct thread *t) {
  return t->joined || (t->detached && t->state == THREAD_DONE);
}

struct thread *thread_of_handle(pthread_t handle) {
  struct thread *t = thread_ever_of_handle(handle);
  return t && !is_gone(t) ? t : NULL;
}

/* Only a thread that nobody has joined or detached may be, once.  glibc says so if it can tell, and otherwise uses what
 * has been freed. */
static void check_joinable(const struct thread *t, const char *done) {
  if (!thread_strategy.strict || sync_on_host())
    return;
  if (!t)
    stop_with(STOP_THREAD_MISUSE, NULL, "what is %s is no thread", done);
  if (t->joined || t->detached)
    stop_with(STOP_THREAD_MISUSE, NULL, "thread %d is %s, but was %s before", t->id, done,
              t->joined ? "joined" : "detached");
  if (t->joiner >= 0 && t->joiner != thread_current()->id)
    stop_with(STOP_THREAD_MISUSE, NULL, "thread %d is %s, but thread %d waits for its end already",
              t->id, done, t->joiner);
}

static size_t stack_size_of(const pthread_attr_t *attr) {
  pthread_attr_t fresh;
  size_t standard = 0, wanted = 0;
  if (!attr || pthread_attr_getstacksize(attr, &wanted))
    return THREAD_STACK_BYTES;
  pthread_attr_init(&fresh);
  pthread_attr_getstacksize(&fresh, &standard);
  pthread_attr_destroy(&fresh);
  return wanted == standard           ? THREAD_STACK_BYTES
         : wanted < FIBER_STACK_BYTES ? FIBER_STACK_BYTES
                                      : wanted;
}

static const char births;

static void give_handle(pthread_t *to, int id) {
  sync_give(to, &(pthread_t){handle_of_id(id)}, sizeof *to);
}

/* As in glibc, the handle is there before the thread is; others may look at that place at any time.  Returns who it will
 * be, which nobody else is then. */
static int give_early(pthread_t *to, int id) {
  id = id < 0 ? thread_count() : id;
  if (thread_count() > 1)
    thread_expect(id);
  give_handle(to, id);
  return id;
}

uint64_t thread_descent(uint64_t creator, uint32_t number) {
  return hash_u64(hash_u64(creator, 0x9e3779b97f4a7c15u), number) | 1;
}

INTERPOSE int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
                             void *argument) {
  int detached = PTHREAD_CREATE_JOINABLE;
  if (sync_on_host())
    return EAGAIN;
  struct thread *self = thread_current();
  struct thread_wish wish;
  int bad = sync_wish(attr, &wish);
  if (bad)
    return bad;
  bool known = false;
  bool early = thread_strategy.birth;
  int id = early ? give_early(handle, thread_strategy.birth(self, &known)) : -1;
  /* Unless it is known who will be who, threads are numbered in their order. */
  sync_enter_as(SYNC_LOCKED, known ? (const void *)&self->children : &births,
                OPERATION_LOCK_NUMBER);
  if (attr)
    pthread_attr_getdetachstate(attr, &detached);
  struct thread *t = thread_create(id, stack_size_of(attr), start, argument);
  if (!t)
    stop_refuse(thread_live() < THREADS_MAX ? "creating tens of thousands of threads"
                                            : "having more than 1024 threads at once");
  t->wish = wish;
  t->detached = detached == PTHREAD_CREATE_DETACHED;
  thread_memory.order(EVENT_CREATE, NULL, (uint32_t)t->id);
  __libc_single_threaded = 0;
  if (!early)
    give_handle(handle, t->id);
  return 0;
}

static int join_thread(struct thread *t, void **result, bool wait, unsigned long deadline) {
  struct thread *self = thread_current();
  /* Who waits for the end notices no more than that it came; others look whether it has. */
  bool cancellable = wait && t && sync_cancel_concerns();
  if (cancellable)
    sync_cancel_begin(t);
  if (wait && !deadline && t && t != self && thread_strategy.at && !cancellable)
    sync_enter_as(SYNC_LOCKED, t, OPERATION_LOCK_JOIN);
  else if (!wait && t && t != self) {
    self->tries_to_join = t;
    sync_enter_as(SYNC_PLAIN, t, OPERATION_LOCK_TRY);
  } else
    sync_enter(SYNC_LOCKED, wait && !deadline && !cancellable ? self : t);
  check_joinable(t, "joined");
  if (!t || is_gone(t))
    return ESRCH;
  if (t == self || (self->joiner == t->id && t->state != THREAD_DONE))
    return EDEADLK;
  if (t->detached || t->joiner >= 0)
    return EINVAL;
  if (t->state != THREAD_DONE) {
    if (!wait)
      return EBUSY;
    if (thread_times_out(deadline))
      return ETIMEDOUT;
    t->joiner = self->id;
    bool ended = !sync_cancel_waits() || thread_wait(NULL, "the end of", deadline);
    t->joiner = -1;
    sync_cancel_has_waited();
    if (!ended)
      return ETIMEDOUT;
    thread_at(t, NULL, OPERATION_LOCK_JOIN); /* knows what it has done */
  }
  sync_cancel_joins(t);
  check_joinable(t, "joined");
  if (!wait)
    sync_attempts();
  t->joined = true;
  thread_memory.order(EVENT_JOIN, NULL, (uint32_t)t->id);
  if (result)
    sync_give(result, &t->result, sizeof *result);
  return 0;
}

static int join(pthread_t handle, void **result, bool wait, unsigned long deadline) {
  if (sync_on_host())
    return ESRCH;
  struct thread *t = thread_ever_of_handle(handle);
  if (!t || t->detached) /* need not have ended to say so */
    check_joinable(t, "joined");
  int failed = join_thread(t, result, wait, deadline);
  sync_cancel_end();
  return failed;
}

INTERPOSE int pthread_join(pthread_t handle, void **result) {
  return join(handle, result, true, 0);
}

INTERPOSE int pthread_tryjoin_np(pthread_t handle, void **result) {
  ENTERED();
  return join(handle, result, false, 0);
}

INTERPOSE int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                   const struct timespec *time) {
  unsigned long deadline = 0;
  int bad = time ? sync_deadline(clock, time, &deadline) : 0;
  return bad ? bad : join(handle, result, true, deadline);
}

INTERPOSE int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *time) {
  return pthread_clockjoin_np(handle, result, CLOCK_REALTIME, time);
}

INTERPOSE int pthread_detach(pthread_t handle) {
  struct thread *t = thread_ever_of_handle(handle);
  check_joinable(t, "detached");
  if (!t || is_gone(t))
    return ESRCH;
  if (t->detached)
    return EINVAL;
  t->detached = true;
  return 0;
}

INTERPOSE pthread_t pthread_self(void) {
  return sync_on_host() ? HANDLE_BASE - HANDLE_STEP : handle_of(thread_current());
}

INTERPOSE int sched_yield(void) {
  if (!sync_on_host())
    thread_yield();
  return 0;
}
