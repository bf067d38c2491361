/* Loops that look under a lock, of each kind, and wait for a change that never comes: taking the lock leads nowhere by itself. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static _Atomic int done;

static void *work(void *unused) {
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_wrlock(&lock);
  done = 2;
  pthread_rwlock_unlock(&lock);
#ifdef FIXED
  sem_wait(&semaphore);
  done = 3;
  sem_post(&semaphore);
#endif
  return unused;
}

static int under_mutex(void) {
  pthread_mutex_lock(&mutex);
  int result = done;
  pthread_mutex_unlock(&mutex);
  return result;
}

static int under_lock(void) {
  pthread_rwlock_rdlock(&lock);
  int result = done;
  pthread_rwlock_unlock(&lock);
  return result;
}

static int under_semaphore(void) {
  sem_wait(&semaphore);
  int result = done;
  sem_post(&semaphore);
  return result;
}

int main(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 1);
  pthread_create(&thread, NULL, work, NULL);
  while (under_mutex() < 1)
    continue;
  while (under_lock() < 2)
    continue;
  while (under_semaphore() < 3)
    continue;
  pthread_join(thread, NULL);
  return 0;
}
