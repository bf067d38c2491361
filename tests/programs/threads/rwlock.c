// Read-write locks, also with try and deadlines.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *write_both(void *unused) {
  for (int i = 0; i < 20; i++) {
    pthread_rwlock_wrlock(&lock);
    a++;
    sched_yield();
    b++;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void *read_both(void *unused) {
  for (int i = 0; i < 20; i++) {
    pthread_rwlock_rdlock(&lock);
    assert(a == b);
    pthread_rwlock_unlock(&lock);
    sched_yield();
  }
  return unused;
}

static void *try_both(void *unused) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  assert(pthread_rwlock_timedrdlock(&lock, &t) == ETIMEDOUT);
  assert(pthread_rwlock_timedwrlock(&lock, &t) == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &t);
  assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  return unused;
}

static void *read_too(void *unused) {
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  assert(pthread_rwlock_unlock(&lock) == 0);
  return unused;
}

static void run(void *(*body)(void *)) {
  pthread_t t;
  pthread_create(&t, NULL, body, NULL);
  pthread_join(t, NULL);
}

int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, i % 2 ? write_both : read_both, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  assert(a == 40 && b == 40);
  assert(pthread_rwlock_wrlock(&lock) == 0);
  assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
  run(try_both);
  assert(pthread_rwlock_unlock(&lock) == 0);
  assert(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_rdlock(&lock) == 0);
  run(read_too);
  assert(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
  assert(pthread_rwlock_destroy(&lock) == 0);
  return 0;
}
