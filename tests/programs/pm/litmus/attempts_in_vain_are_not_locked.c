// Attempts that fail, and locking a recursive mutex again, execute no locked instruction: a clwb before them still waits.
// OUTCOMES: x=0 y=0; x=1 y=0; x=0 y=1; x=1 y=1
// COUNTS: 5 executions, 5 runs, 1 failure points
#define _GNU_SOURCE
#include "../pm.h"
#include <pthread.h>
#include <semaphore.h>

static void *nothing(void *unused) {
  return unused;
}

static void before(union pm_line *line) {
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t semaphore;
  pthread_t other; /* since then mutexes have locked instructions */
  pthread_create(&other, NULL, nothing, NULL);
  pthread_join(other, NULL);
  sem_init(&semaphore, 0, 0);
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&rwlock);
  X = 1;
  clwb(&X);
  sem_trywait(&semaphore);
  pthread_rwlock_tryrdlock(&rwlock);
  pthread_rwlock_trywrlock(&rwlock);
  pthread_mutex_lock(&mutex);
  pthread_mutex_trylock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&mutex);
  Y = 1;
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_unlock(&rwlock);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(2)
