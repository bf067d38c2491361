/* While threads wait for a condition variable it belongs to the mutex that they have released: to wait for it with
 * another one is undefined.  When nobody waits any more it may be used with another one. */
#include "twin.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int number;

#ifdef FIXED
#define SECOND first
#else
#define SECOND second
#endif

static void *waits(void *argument) {
  pthread_mutex_lock(&first);
  while (!number)
    pthread_cond_wait(&changed, &first);
  pthread_mutex_unlock(&first);
  return argument;
}

static void *waits_too(void *argument) {
  pthread_mutex_lock(&SECOND);
  while (!number)
    pthread_cond_wait(&changed, &SECOND);
  pthread_mutex_unlock(&SECOND);
  return argument;
}

static void *wakes(void *argument) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  number = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return argument;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, waits, NULL);
  run_both(waits_too, wakes);
  pthread_join(a, NULL);
  /* with another one, one after the other */
  pthread_create(&a, NULL, wakes, NULL);
  waits_too(NULL);
  pthread_join(a, NULL);
}
