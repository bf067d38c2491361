/* What a program may ask about a thread or wish for it.  There is one kind of thread here, so most
 * wishes are granted without effect, and the answers do not depend on the computer. */
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
  memcpy(name, t->name, n);
  return 0;
}

INTERPOSE int pthread_getattr_np(pthread_t handle, pthread_attr_t *attr) {
  struct thread *t = thread_of_handle(handle);
  if (!t)
    return ESRCH;
  pthread_attr_init(attr);
  pthread_attr_setdetachstate(attr,
                              t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  return pthread_attr_setstack(attr, (void *)t->fiber.stack_low,
                               t->fiber.stack_high - t->fiber.stack_low);
}

INTERPOSE int pthread_getcpuclockid(pthread_t handle, clockid_t *clock) {
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return thread_of_handle(handle) ? 0 : ESRCH;
}

/* --- processors --- */

static void fill_processors(cpu_set_t *set, size_t bytes) {
  memset(set, 0, bytes);
  for (int i = 0; i < THREAD_CPUS; i++)
    CPU_SET_S(i, bytes, set);
}

INTERPOSE int pthread_setaffinity_np(pthread_t handle, size_t bytes, const cpu_set_t *set) {
  (void)bytes, (void)set;
  return thread_of_handle(handle) ? 0 : ESRCH;
}

INTERPOSE int pthread_getaffinity_np(pthread_t handle, size_t bytes, cpu_set_t *set) {
  fill_processors(set, bytes);
  return thread_of_handle(handle) ? 0 : ESRCH;
}

INTERPOSE int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set) {
  (void)pid, (void)bytes, (void)set;
  return 0;
}

INTERPOSE int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set) {
  (void)pid;
  fill_processors(set, bytes);
  return 0;
}

INTERPOSE int sched_getcpu(void) {
  return 0;
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

/* --- scheduling --- */

INTERPOSE int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *p) {
  (void)policy, (void)p;
  return thread_of_handle(handle) ? 0 : ESRCH;
}

INTERPOSE int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *p) {
  *policy = SCHED_OTHER;
  memset(p, 0, sizeof *p);
  return thread_of_handle(handle) ? 0 : ESRCH;
}

INTERPOSE int pthread_setschedprio(pthread_t handle, int priority) {
  (void)priority;
  return thread_of_handle(handle) ? 0 : ESRCH;
}

INTERPOSE int sched_setscheduler(pid_t pid, int policy, const struct sched_param *p) {
  (void)pid, (void)policy, (void)p;
  return 0;
}

INTERPOSE int sched_getscheduler(pid_t pid) {
  (void)pid;
  return SCHED_OTHER;
}

INTERPOSE int sched_setparam(pid_t pid, const struct sched_param *p) {
  (void)pid, (void)p;
  return 0;
}

INTERPOSE int sched_getparam(pid_t pid, struct sched_param *p) {
  (void)pid;
  memset(p, 0, sizeof *p);
  return 0;
}

/* --- fork --- */

/* What pthread_atfork calls.  fork is refused, so the handlers will never run. */
INTERPOSE int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                                void *dso);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso) {
  (void)prepare, (void)parent, (void)child, (void)dso;
  return 0;
}
