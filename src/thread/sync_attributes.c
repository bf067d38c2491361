/* What a program may ask about a thread or wish for it.  There is one kind of thread here, so wishes are
 * remembered and have no effect, and the answers do not depend on the computer. */
#include "process/virtual_clock.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

INTERPOSE int pthread_setname_np(pthread_t handle, const char *name) {
  struct thread *t = thread_of_handle(handle);
  size_t n = strlen(name);
  if (!t)
    return ESRCH;
  if (n >= sizeof t->name)
    return ERANGE;
  memcpy(t->name, name, n + 1);
  return 0;
}

INTERPOSE int pthread_getname_np(pthread_t handle, char *name, size_t bytes) {
  struct thread *t = thread_of_handle(handle);
  if (!t)
    return ESRCH;
  size_t n = strlen(t->name) + 1;
  if (bytes < n)
    return ERANGE;
  sync_give(name, t->name, n);
  return 0;
}

INTERPOSE int pthread_getattr_np(pthread_t handle, pthread_attr_t *attr) {
  struct thread *t = thread_of_handle(handle);
  if (!t)
    return ESRCH;
  pthread_attr_init(attr);
  pthread_attr_setdetachstate(attr,
                              t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_attr_setschedpolicy(attr, t->wish.policy & ~SCHED_RESET_ON_FORK);
  pthread_attr_setschedparam(attr, &(struct sched_param){.sched_priority = t->wish.priority});
  return pthread_attr_setstack(attr, (void *)t->fiber.stack_low,
                               t->fiber.stack_high - t->fiber.stack_low);
}

INTERPOSE int pthread_getcpuclockid(pthread_t handle, clockid_t *clock) {
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return thread_of_handle(handle) ? 0 : ESRCH;
}

/* The thread that a number of gettid or getpid means; 0 is the current one. */
static struct thread *thread_of_tid(pid_t tid) {
  if (sync_on_host() || !tid)
    return sync_on_host() ? NULL : thread_current();
  struct thread *t = thread_by_id(tid - VIRTUAL_PROCESS);
  bool lives = t && t->state != THREAD_UNUSED && t->state != THREAD_DONE;
  return lives && t->machine == thread_current()->machine ? t : NULL;
}

/* For functions that set errno. */
static int fail(int error) {
  if (!error)
    return 0;
  errno = error;
  return -1;
}

/* --- processors --- */

static uint32_t cpus_in(size_t bytes, const cpu_set_t *set) {
  uint32_t cpus = 0;
  for (int i = 0; i < THREAD_CPUS; i++)
    cpus |= CPU_ISSET_S(i, bytes, set) ? 1u << i : 0;
  return cpus;
}

static uint32_t cpus_of(const struct thread *t) {
  return t->wish.cpus ? t->wish.cpus : (1u << THREAD_CPUS) - 1;
}

/* A set without any that we have is meant for another computer: it changes nothing. */
static int set_cpus(struct thread *t, size_t bytes, const cpu_set_t *set) {
  if (!t)
    return ESRCH;
  uint32_t cpus = cpus_in(bytes, set);
  if (cpus)
    t->wish.cpus = cpus;
  return CPU_COUNT_S(bytes, set) ? 0 : EINVAL;
}

static int get_cpus(const struct thread *t, size_t bytes, cpu_set_t *set) {
  if (!t)
    return ESRCH;
  memset(set, 0, bytes);
  for (int i = 0; i < THREAD_CPUS; i++)
    if (cpus_of(t) & 1u << i)
      CPU_SET_S(i, bytes, set);
  return 0;
}

INTERPOSE int pthread_setaffinity_np(pthread_t handle, size_t bytes, const cpu_set_t *set) {
  return set_cpus(thread_of_handle(handle), bytes, set);
}

INTERPOSE int pthread_getaffinity_np(pthread_t handle, size_t bytes, cpu_set_t *set) {
  return get_cpus(thread_of_handle(handle), bytes, set);
}

INTERPOSE int sched_setaffinity(pid_t tid, size_t bytes, const cpu_set_t *set) {
  return fail(set_cpus(thread_of_tid(tid), bytes, set));
}

INTERPOSE int sched_getaffinity(pid_t tid, size_t bytes, cpu_set_t *set) {
  return fail(get_cpus(thread_of_tid(tid), bytes, set));
}

int sync_cpu(void) {
  return sync_on_host() ? 0 : __builtin_ctz(cpus_of(thread_current()));
}

INTERPOSE int sched_getcpu(void) {
  return sync_cpu();
}

INTERPOSE int get_nprocs(void) {
  return THREAD_CPUS;
}

INTERPOSE int get_nprocs_conf(void) {
  return THREAD_CPUS;
}

INTERPOSE long sysconf(int name) {
  if (CALLED_BY_PROGRAM() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF))
    return THREAD_CPUS;
  return REAL(sysconf)(name);
}

/* --- scheduling: everybody may wish for any policy, and who goes first does not depend on it --- */

static int set_policy(struct thread_wish *w, int policy, int priority) {
  int plain = policy & ~SCHED_RESET_ON_FORK;
  bool real_time = plain == SCHED_FIFO || plain == SCHED_RR;
  if (!real_time && plain != SCHED_OTHER && plain != SCHED_BATCH && plain != SCHED_IDLE)
    return EINVAL;
  if (real_time ? priority < 1 || priority > 99 : priority != 0)
    return EINVAL;
  w->policy = policy;
  w->priority = priority;
  return 0;
}

static int set_policy_of(struct thread *t, int policy, int priority) {
  return t ? set_policy(&t->wish, policy, priority) : ESRCH;
}

int sync_wish(const pthread_attr_t *attr, struct thread_wish *w) {
  struct sched_param p = {0};
  int from = PTHREAD_INHERIT_SCHED, policy = SCHED_OTHER;
  cpu_set_t set;
  *w = thread_current()->wish;
  if (!attr)
    return 0;
  if (pthread_attr_getaffinity_np(attr, sizeof set, &set) == 0 && CPU_COUNT(&set) < CPU_SETSIZE &&
      cpus_in(sizeof set, &set)) /* all: it was not set */
    w->cpus = cpus_in(sizeof set, &set);
  if (pthread_attr_getinheritsched(attr, &from) || from != PTHREAD_EXPLICIT_SCHED)
    return 0;
  pthread_attr_getschedpolicy(attr, &policy);
  pthread_attr_getschedparam(attr, &p);
  return set_policy(w, policy, p.sched_priority);
}

INTERPOSE int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *p) {
  return set_policy_of(thread_of_handle(handle), policy, p->sched_priority);
}

INTERPOSE int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *p) {
  const struct thread *t = thread_of_handle(handle);
  if (!t)
    return ESRCH;
  sync_give(policy, &t->wish.policy, sizeof *policy);
  sync_give(p, &(struct sched_param){.sched_priority = t->wish.priority}, sizeof *p);
  return 0;
}

INTERPOSE int pthread_setschedprio(pthread_t handle, int priority) {
  struct thread *t = thread_of_handle(handle);
  return set_policy_of(t, t ? t->wish.policy : SCHED_OTHER, priority);
}

INTERPOSE int sched_setscheduler(pid_t tid, int policy, const struct sched_param *p) {
  return fail(set_policy_of(thread_of_tid(tid), policy, p->sched_priority));
}

INTERPOSE int sched_getscheduler(pid_t tid) {
  const struct thread *t = thread_of_tid(tid);
  return t ? t->wish.policy : fail(ESRCH);
}

INTERPOSE int sched_setparam(pid_t tid, const struct sched_param *p) {
  struct thread *t = thread_of_tid(tid);
  return fail(set_policy_of(t, t ? t->wish.policy : SCHED_OTHER, p->sched_priority));
}

INTERPOSE int sched_getparam(pid_t tid, struct sched_param *p) {
  const struct thread *t = thread_of_tid(tid);
  if (t)
    p->sched_priority = t->wish.priority;
  return t ? 0 : fail(ESRCH);
}

/* --- fork --- */

/* What pthread_atfork calls.  fork is refused, so the handlers will never run. */
INTERPOSE int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                                void *dso);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso) {
  (void)prepare, (void)parent, (void)child, (void)dso;
  return 0;
}
