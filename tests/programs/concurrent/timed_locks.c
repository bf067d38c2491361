/* Whoever tries for a while may not get it, however long the while is: locks, semaphores, ends of threads. */
#define _GNU_SOURCE
#include "twin.h"
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static sem_t items;
static int had[4];

static void *uses(void *unused) {
  pthread_mutex_lock(&lock);
  pthread_rwlock_rdlock(&shelf);
  sem_post(&items);
  pthread_rwlock_unlock(&shelf);
  pthread_mutex_unlock(&lock);
  return unused;
}

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1000;
  return time;
}

int main(void) {
  pthread_t user;
  struct timespec time = soon();
  sem_init(&items, 0, 0);
  pthread_create(&user, NULL, uses, NULL);
  if ((had[0] = !pthread_mutex_timedlock(&lock, &time)))
    pthread_mutex_unlock(&lock);
  if ((had[1] = !pthread_rwlock_timedwrlock(&shelf, &time)))
    pthread_rwlock_unlock(&shelf);
  had[2] = !sem_timedwait(&items, &time);
  had[3] = !pthread_timedjoin_np(user, NULL, &time);
  if (!had[3])
    pthread_join(user, NULL);
#ifndef FIXED
  assert(had[0]);
  assert(had[1]);
  assert(had[2]);
  assert(had[3]);
#endif
}
