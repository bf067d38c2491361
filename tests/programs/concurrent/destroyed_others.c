/* A read-write lock, a semaphore, a barrier and a mutex that something else was stored to: each thread uses one too late,
 * or too early. */
#include "twin.h"
#include <semaphore.h>
#include <string.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_mutex_t mutex;

static void make(void) {
#ifdef FIXED
  sem_init(&semaphore, 0, 1);
  pthread_barrier_init(&barrier, NULL, 1);
  pthread_mutex_init(&mutex, NULL);
#else
  pthread_rwlock_destroy(&rwlock);
  sem_init(&semaphore, 0, 1);
  sem_destroy(&semaphore);
#endif
}

static void *reads(void *unused) {
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

static void *takes(void *unused) {
  sem_wait(&semaphore);
  return unused;
}

static void *arrives(void *unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *locks(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  memset(&mutex, 0x55, sizeof mutex);
  make();
  void *(*const all[])(void *) = {reads, takes, arrives, locks};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, all[i], NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}
