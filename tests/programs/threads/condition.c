// Condition variables: a bounded queue, broadcast, deadlines on both clocks.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#define ITEMS 50

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int queue[4], used, sum, go, gone;

static void *produce(void *unused) {
  for (int i = 1; i <= ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (used == 4)
      pthread_cond_wait(&emptied, &mutex);
    queue[used++] = i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void *consume(void *unused) {
  for (int i = 1; i <= ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (used == 0)
      pthread_cond_wait(&filled, &mutex);
    sum += queue[--used];
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&emptied);
  }
  return unused;
}

static void *wait_to_go(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!go)
    pthread_cond_wait(&filled, &mutex);
  gone++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void bounded_queue(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, i % 2 ? produce : consume, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  assert(sum == ITEMS * (ITEMS + 1) && used == 0);
}

static void broadcast(void) {
  pthread_t t[5];
  for (int i = 0; i < 5; i++)
    pthread_create(&t[i], NULL, wait_to_go, NULL);
  sched_yield();
  pthread_mutex_lock(&mutex);
  go = 1;
  pthread_cond_broadcast(&filled);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 5; i++)
    pthread_join(t[i], NULL);
  assert(gone == 5);
}

static struct timespec soon(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += 2000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_sec++;
    t.tv_nsec -= 1000000000;
  }
  return t;
}

static void deadlines(void) {
  struct timespec t = soon(CLOCK_REALTIME);
  pthread_condattr_t attr;
  pthread_cond_t never;
  int result;
  pthread_mutex_lock(&mutex);
  while ((result = pthread_cond_timedwait(&filled, &mutex, &t)) == 0)
    ;
  assert(result == ETIMEDOUT);
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&never, &attr);
  t = soon(CLOCK_MONOTONIC);
  while ((result = pthread_cond_timedwait(&never, &mutex, &t)) == 0)
    ;
  assert(result == ETIMEDOUT);
  t = soon(CLOCK_MONOTONIC);
  while ((result = pthread_cond_clockwait(&filled, &mutex, CLOCK_MONOTONIC, &t)) == 0)
    ;
  assert(result == ETIMEDOUT);
  t.tv_nsec = -1;
  assert(pthread_cond_timedwait(&never, &mutex, &t) == EINVAL);
  pthread_mutex_unlock(&mutex);
  assert(pthread_cond_destroy(&never) == 0);
}

int main(void) {
  bounded_queue();
  broadcast();
  deadlines();
  return 0;
}
