/* Where threads can be cancelled: in waits for semaphores and threads, between pauses in an endless loop, where they ask;
 * not while that is switched off.  What is done in between is done whole, or not at all. */
#include "twin.h"
#include <semaphore.h>
#include <unistd.h>

static sem_t empty;
static int begun, ended;

static void *sleeps(void *unused) {
  for (;;)
    usleep(1000);
  return unused;
}

static void *takes(void *unused) {
  sem_wait(&empty);
  return unused;
}

static void *joins(void *other) {
  pthread_join(*(pthread_t *)other, NULL);
  return NULL;
}

static void *works(void *unused) {
  int old;
#ifdef FIXED
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
#else
  old = PTHREAD_CANCEL_ENABLE;
#endif
  begun++;
  usleep(1);
  ended++;
  pthread_setcancelstate(old, NULL);
  pthread_testcancel();
  return unused;
}

static void end(pthread_t t, bool always) {
  void *result;
  pthread_cancel(t);
  pthread_join(t, &result);
  assert(result == PTHREAD_CANCELED || (!always && result == NULL));
}

int main(void) {
  pthread_t first, second;
  sem_init(&empty, 0, 0);
  pthread_create(&first, NULL, takes, NULL);
  pthread_create(&second, NULL, joins, &first);
  end(second, true);
  end(first, true);
  pthread_create(&first, NULL, sleeps, NULL);
  end(first, true);
  pthread_create(&first, NULL, works, NULL);
  end(first, false);
  assert(begun == ended);
}
