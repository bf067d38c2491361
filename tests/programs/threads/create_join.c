// Threads are created, joined, detached and asked about.
// RUN: %tidemark_cc %s -lm -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static pthread_t self_of_child;
static volatile int hold = 1;

static void *twice(void *n) {
  return (void *)((long)n * 2);
}

static void *say_self(void *unused) {
  self_of_child = pthread_self();
  pthread_exit(unused);
}

static void *held(void *unused) {
  while (hold)
    sched_yield();
  return unused;
}

static void *rounds_down(void *unused) {
  assert(fegetround() == FE_UPWARD);
  fesetround(FE_DOWNWARD);
  return unused;
}

/* As its creator did then. */
static void rounding(void) {
  pthread_t t;
  fesetround(FE_UPWARD);
  pthread_create(&t, NULL, rounds_down, NULL);
  fesetround(FE_TOWARDZERO);
  pthread_join(t, NULL);
  assert(fegetround() == FE_TOWARDZERO);
  fesetround(FE_TONEAREST);
}

static void results(void) {
  pthread_t t[8];
  for (long i = 0; i < 8; i++)
    assert(pthread_create(&t[i], NULL, twice, (void *)i) == 0);
  for (long i = 7; i >= 0; i--) {
    void *result = NULL;
    assert(pthread_join(t[i], &result) == 0);
    assert((long)result == i * 2);
  }
}

static void identity(void) {
  pthread_t t;
  void *result = NULL;
  assert(pthread_create(&t, NULL, say_self, &t) == 0);
  assert(pthread_join(t, &result) == 0 && result == &t);
  assert(pthread_equal(t, self_of_child) && !pthread_equal(t, pthread_self()));
}

static void attributes(void) {
  pthread_attr_t attr;
  pthread_t t;
  size_t bytes = 0;
  char name[16];
  assert(pthread_attr_init(&attr) == 0);
  assert(pthread_attr_setstacksize(&attr, 1 << 20) == 0);
  assert(pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes == 1 << 20);
  assert(pthread_create(&t, &attr, held, NULL) == 0);
  assert(pthread_setname_np(t, "held") == 0);
  assert(pthread_getname_np(t, name, sizeof name) == 0 && strcmp(name, "held") == 0);
  assert(pthread_setname_np(t, "a name that is too long") == ERANGE);
  assert(pthread_kill(t, 0) == 0);
  assert(pthread_tryjoin_np(t, NULL) == EBUSY);
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 0;
  assert(pthread_timedjoin_np(t, NULL, &soon) == ETIMEDOUT);
  hold = 0;
  assert(pthread_join(t, NULL) == 0);
  assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
  assert(pthread_create(&t, &attr, twice, NULL) == 0);
  assert(pthread_attr_destroy(&attr) == 0);
}

static void own_stack(void) {
  pthread_attr_t attr;
  void *low = NULL;
  size_t bytes = 0;
  assert(pthread_getattr_np(pthread_self(), &attr) == 0);
  assert(pthread_attr_getstack(&attr, &low, &bytes) == 0);
  assert((char *)&attr >= (char *)low && (char *)&attr < (char *)low + bytes);
  pthread_attr_destroy(&attr);
}

int main(void) {
  pthread_t t;
  results();
  rounding();
  identity();
  attributes();
  own_stack();
  assert(pthread_join(pthread_self(), NULL) == EDEADLK);
  assert(pthread_create(&t, NULL, twice, NULL) == 0);
  assert(pthread_detach(t) == 0);
  return 0;
}
