// Normal, recursive and error-checking mutexes; static and dynamic initialisation; deadlines.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t counter_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static int counter;

static void *count(void *unused) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&counter_mutex);
    int old = counter;
    if (i % 10 == 0)
      sched_yield();
    counter = old + 1;
    pthread_mutex_unlock(&counter_mutex);
  }
  return unused;
}

static void *try_them(void *unused) {
  assert(pthread_mutex_trylock(&recursive) == EBUSY);
  assert(pthread_mutex_trylock(&checked) == EBUSY);
  assert(pthread_mutex_unlock(&recursive) == EPERM);
  assert(pthread_mutex_unlock(&checked) == EPERM);
  return unused;
}

static void kinds(void) {
  pthread_t t;
  assert(pthread_mutex_lock(&recursive) == 0);
  assert(pthread_mutex_lock(&recursive) == 0);
  assert(pthread_mutex_unlock(&recursive) == 0);
  assert(pthread_mutex_lock(&checked) == 0);
  assert(pthread_mutex_lock(&checked) == EDEADLK);
  pthread_create(&t, NULL, try_them, NULL);
  pthread_join(t, NULL);
  assert(pthread_mutex_unlock(&recursive) == 0);
  assert(pthread_mutex_unlock(&recursive) == EPERM);
  assert(pthread_mutex_unlock(&checked) == 0);
  assert(pthread_mutex_unlock(&checked) == EPERM);
  assert(pthread_mutex_lock(&adaptive) == 0 && pthread_mutex_unlock(&adaptive) == 0);
}

static void attributes(void) {
  pthread_mutexattr_t attr;
  pthread_mutex_t m;
  assert(pthread_mutexattr_init(&attr) == 0);
  assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
  assert(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
  assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
  assert(pthread_mutex_init(&m, &attr) == 0);
  assert(pthread_mutexattr_destroy(&attr) == 0);
  assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_trylock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == 0 && pthread_mutex_destroy(&m) == EBUSY);
  assert(pthread_mutex_unlock(&m) == 0 && pthread_mutex_destroy(&m) == 0);
}

static void *too_late(void *unused) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_sec++;
    t.tv_nsec -= 1000000000;
  }
  assert(pthread_mutex_timedlock(&counter_mutex, &t) == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &t);
  assert(pthread_mutex_clocklock(&counter_mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  return unused;
}

static void deadlines(void) {
  pthread_t t;
  pthread_mutex_lock(&counter_mutex);
  pthread_create(&t, NULL, too_late, NULL);
  pthread_join(t, NULL);
  pthread_mutex_unlock(&counter_mutex);
}

int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, count, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  assert(counter == 400);
  kinds();
  attributes();
  deadlines();
  return 0;
}
