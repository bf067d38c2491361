/* A thread that was woken by one pthread_cancel is cancelled although a second one comes before it goes on. */
#include "twin.h"
#include <semaphore.h>

static sem_t empty;

static void *takes(void *unused) {
#ifndef FIXED
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
#endif
  sem_wait(&empty);
  return unused;
}

int main(void) {
  pthread_t t;
  void *result;
  sem_init(&empty, 0, 0);
  pthread_create(&t, NULL, takes, NULL);
  pthread_cancel(t);
  pthread_cancel(t);
  pthread_join(t, &result);
  assert(result == PTHREAD_CANCELED);
}
