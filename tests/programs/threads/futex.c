// Threads that use the futex system call themselves.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static long futex(int op, int value, const struct timespec *timeout, unsigned bits) {
  return syscall(SYS_futex, &word, op, value, timeout, NULL, bits);
}

static void *wait_for_one(void *unused) {
  while (atomic_load(&word) == 0)
    futex(FUTEX_WAIT_PRIVATE, 0, NULL, 0);
  assert(word == 1);
  return unused;
}

static void *identify(void *tid) {
  *(long *)tid = syscall(SYS_gettid);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, wait_for_one, NULL);
  sched_yield();
  atomic_store(&word, 1);
  futex(FUTEX_WAKE_PRIVATE, 3, NULL, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(futex(FUTEX_WAIT, 0, NULL, 0) == -1 && errno == EAGAIN);
  struct timespec time = {.tv_nsec = 1000};
  assert(futex(FUTEX_WAIT, 1, &time, 0) == -1 && errno == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &time);
  assert(futex(FUTEX_WAIT_BITSET, 1, &time, 1) == -1 && errno == ETIMEDOUT);
  assert(futex(FUTEX_WAKE_BITSET, 1, NULL, 2) == 0);
  long other = 0;
  pthread_create(&t[0], NULL, identify, &other);
  pthread_join(t[0], NULL);
  assert(other != syscall(SYS_gettid) && syscall(SYS_gettid) == syscall(SYS_getpid));
  return 0;
}
