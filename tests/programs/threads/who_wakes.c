// Whoever is not meant goes on waiting; whoever waits for somebody who has given up does not.
// RUN: %tidemark_cc %s -o %t && %tidemark check --allow-empty %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t lock;
static int word, woken, rounds, got;

static void let_others_run(void) {
  for (int i = 0; i < 20; i++)
    sched_yield();
}

static void *waits_for_signal(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&cond, &mutex);
  woken++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *waits_twice(void *unused) {
  for (; rounds < 2; rounds++)
    pthread_barrier_wait(&barrier);
  return unused;
}

static void *waits_with_bit(void *unused) {
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 1);
  return unused;
}

static void *gives_up_writing(void *unused) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_sec++;
  assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  return unused;
}

static void *reads(void *unused) {
  pthread_rwlock_rdlock(&lock);
  got = 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void signal_wakes_one(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waits_for_signal, NULL);
  pthread_create(&b, NULL, waits_for_signal, NULL);
  let_others_run();
  pthread_cond_signal(&cond);
  let_others_run();
  assert(woken == 1);
  pthread_cond_signal(&cond);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

static void barrier_closes_again(void) {
  pthread_t a;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&a, NULL, waits_twice, NULL);
  pthread_barrier_wait(&barrier);
  let_others_run();
  assert(rounds == 1);
  pthread_barrier_wait(&barrier);
  pthread_join(a, NULL);
}

static void bits_select(void) {
  pthread_t a;
  pthread_create(&a, NULL, waits_with_bit, NULL);
  let_others_run();
  assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 2) == 0);
  assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1) == 1);
  pthread_join(a, NULL);
}

static void readers_wait_for_writers_that_wait(void) {
  pthread_rwlockattr_t attr;
  pthread_t a, b;
  pthread_rwlockattr_init(&attr);
  pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attr);
  pthread_rwlock_rdlock(&lock);
  pthread_create(&a, NULL, gives_up_writing, NULL);
  let_others_run();
  pthread_create(&b, NULL, reads, NULL);
  let_others_run();
  assert(!got);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(got);
}

int main(void) {
  signal_wakes_one();
  barrier_closes_again();
  bits_select();
  readers_wait_for_writers_that_wait();
  return 0;
}
