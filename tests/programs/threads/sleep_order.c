// Sleeping threads wake in the order of their deadlines, and after those who did not sleep.
// RUN: %tidemark_cc %s -o %t && %tidemark check %t
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int order;

static void *sleep_long(void *unused) {
  usleep(120000);
  order = order * 10 + 3;
  return unused;
}

static void *sleep_short(void *unused) {
  for (int i = 0; i < 3; i++)
    usleep(10000);
  order = order * 10 + 2;
  return unused;
}

static void *work(void *unused) {
  order = order * 10 + 1;
  return unused;
}

int main(void) {
  pthread_t t[3];
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  pthread_create(&t[0], NULL, sleep_long, NULL);
  pthread_create(&t[1], NULL, sleep_short, NULL);
  pthread_create(&t[2], NULL, work, NULL);
  nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
  assert(order == 123);
  clock_gettime(CLOCK_MONOTONIC, &after);
  long ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
  assert(ms >= 249);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  return 0;
}
