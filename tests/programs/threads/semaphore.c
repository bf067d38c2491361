// Semaphores, unnamed and named.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ping, pong;
static int exchanged;

static void *answer(void *unused) {
  for (int i = 0; i < 10; i++) {
    assert(sem_wait(&ping) == 0);
    exchanged++;
    assert(sem_post(&pong) == 0);
  }
  return unused;
}

static void ping_pong(void) {
  pthread_t t;
  assert(sem_init(&ping, 0, 0) == 0 && sem_init(&pong, 0, 0) == 0);
  pthread_create(&t, NULL, answer, NULL);
  for (int i = 0; i < 10; i++) {
    assert(sem_post(&ping) == 0);
    assert(sem_wait(&pong) == 0);
    assert(exchanged == i + 1);
  }
  pthread_join(t, NULL);
  assert(sem_destroy(&ping) == 0 && sem_destroy(&pong) == 0);
}

static void limits(void) {
  sem_t s;
  int value = -1;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  assert(sem_init(&s, 1, 2) == 0);
  assert(sem_trywait(&s) == 0 && sem_timedwait(&s, &t) == 0);
  assert(sem_trywait(&s) == -1 && errno == EAGAIN);
  assert(sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &t);
  assert(sem_clockwait(&s, CLOCK_MONOTONIC, &t) == -1 && errno == ETIMEDOUT);
  assert(sem_post(&s) == 0 && sem_getvalue(&s, &value) == 0 && value == 1);
  assert(sem_destroy(&s) == 0);
}

static void named(void) {
  sem_unlink("/tidemark-test");
  sem_t *s = sem_open("/tidemark-test", O_CREAT | O_EXCL, 0600, 1);
  assert(s != SEM_FAILED);
  assert(sem_open("/tidemark-test", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
  sem_t *same = sem_open("/tidemark-test", 0);
  assert(same != SEM_FAILED && sem_wait(same) == 0 && sem_trywait(s) == -1);
  assert(sem_close(same) == 0 && sem_close(s) == 0 && sem_unlink("/tidemark-test") == 0);
  assert(sem_open("/tidemark-test", 0) == SEM_FAILED && errno == ENOENT);
}

int main(void) {
  ping_pong();
  limits();
  named();
  return 0;
}
