/* Locks that are tried again until they are free: a mutex, a lock for reading and writing, a semaphore.  Who counts its
 * attempts may give up. */
#include "twin.h"
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static sem_t turn;
static int done;

static void *one(void *unused) {
#ifdef FIXED
  while (pthread_mutex_trylock(&lock))
    sched_yield();
#else
  for (int attempts = 0; pthread_mutex_trylock(&lock); attempts++)
    assert(attempts < 2);
#endif
  done++;
  pthread_mutex_unlock(&lock);
  while (pthread_rwlock_tryrdlock(&shelf))
    sched_yield();
  pthread_rwlock_unlock(&shelf);
  sem_post(&turn);
  return unused;
}

static void *two(void *unused) {
  while (pthread_mutex_trylock(&lock))
    sched_yield();
  done++;
  pthread_mutex_unlock(&lock);
  while (pthread_rwlock_trywrlock(&shelf))
    sched_yield();
  pthread_rwlock_unlock(&shelf);
  while (sem_trywait(&turn))
    sched_yield();
  return unused;
}

int main(void) {
  sem_init(&turn, 0, 0);
  run_both(one, two);
  assert(done == 2);
}
