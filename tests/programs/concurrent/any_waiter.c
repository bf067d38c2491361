/* A signal wakes any of those who wait, not who came first. */
#include "twin.h"
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t waits, done;
static int tickets, served;

static void *wait_for_turn(void *number) {
  pthread_mutex_lock(&lock);
  sem_post(&waits);
#ifdef FIXED
  while (!tickets)
#else
  if (!tickets)
#endif
    pthread_cond_wait(&changed, &lock);
  tickets--;
  if (!served)
    served = (int)(long)number;
  pthread_mutex_unlock(&lock);
  sem_post(&done);
  return NULL;
}

static void serve(void) {
  pthread_mutex_lock(&lock);
  tickets++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_t one, two;
  sem_init(&waits, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&one, NULL, wait_for_turn, (void *)1);
  sem_wait(&waits); /* it waits before the other one does */
  pthread_create(&two, NULL, wait_for_turn, (void *)2);
  sem_wait(&waits);
  serve();
  sem_wait(&done);
  serve();
  pthread_join(one, NULL);
  pthread_join(two, NULL);
#ifndef FIXED
  assert(served == 1);
#endif
}
