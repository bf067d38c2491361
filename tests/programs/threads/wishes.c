// What a thread wishes for - policy, priority, processors - is remembered and inherited.  Wrong arguments are errors, and so
// are those of pthread_sigmask and sem_open.
// RUN: %tidemark_cc %s -o %t
// RUN: for m in sc tso pm; do %tidemark check --model=$m --allow-empty %t > %t.out 2>&1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: no findings; the search is complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void expect(int policy, int priority, int cpu) {
  struct sched_param p;
  int now;
  assert(pthread_getschedparam(pthread_self(), &now, &p) == 0);
  assert(now == policy && p.sched_priority == priority && sched_getcpu() == cpu);
}

static void *child(void *unused) {
  expect(SCHED_RR, 7, 2);
  assert(sched_getscheduler(gettid()) == SCHED_RR && sched_getscheduler(getpid()) == *(int *)unused);
  return unused;
}

static void run(pthread_attr_t *attr, int main_policy) {
  pthread_t t;
  assert(pthread_create(&t, attr, child, &main_policy) == 0);
  pthread_join(t, NULL);
}

static void wrong_arguments(void) {
  struct sched_param p = {.sched_priority = 7};
  sigset_t all;
  clockid_t clock;
  char name[300] = "/";
  sigfillset(&all);
  memset(name + 1, 'x', sizeof name - 2);
  assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p) == EINVAL);
  assert(sched_setscheduler(0, 77, &p) == -1 && errno == EINVAL);
  assert(sched_setscheduler(1, SCHED_RR, &p) == -1 && errno == ESRCH);
  assert(pthread_setschedprio(pthread_self(), 100) == EINVAL);
  assert(pthread_sigmask(77, &all, NULL) == EINVAL && pthread_sigmask(77, NULL, NULL) == 0);
  assert(sigprocmask(77, &all, NULL) == -1 && errno == EINVAL);
  assert(sem_open(name, O_CREAT, 0600, 1) == SEM_FAILED && errno == ENAMETOOLONG);
  assert(sem_unlink(name) == -1 && errno == ENAMETOOLONG);
  assert(clock_getcpuclockid(0, &clock) == 0 && clock_getcpuclockid(getpid(), &clock) == 0);
}

int main(void) {
  pthread_attr_t a;
  struct sched_param p = {.sched_priority = 7};
  cpu_set_t two;
  CPU_ZERO(&two);
  CPU_SET(2, &two);
  pthread_attr_init(&a);
  pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&a, SCHED_RR);
  pthread_attr_setschedparam(&a, &p);
  pthread_attr_setaffinity_np(&a, sizeof two, &two);
  run(&a, SCHED_OTHER);
  expect(SCHED_OTHER, 0, 0);
  wrong_arguments();
  assert(pthread_setaffinity_np(pthread_self(), sizeof two, &two) == 0);
  assert(sched_setscheduler(getpid(), SCHED_RR, &p) == 0);
  expect(SCHED_RR, 7, 2);
  run(NULL, SCHED_RR);
  CPU_ZERO(&two);
  assert(sched_getaffinity(0, sizeof two, &two) == 0 && CPU_COUNT(&two) == 1 && CPU_ISSET(2, &two));
  assert(pthread_setschedprio(pthread_self(), 9) == 0);
  expect(SCHED_RR, 9, 2);
}
