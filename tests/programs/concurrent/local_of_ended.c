/* A thread-local variable ends with its thread, whoever still has its address.  One that its thread has not left yet may
 * be used. */
#include "twin.h"

static _Thread_local int number;
static _Atomic(int *) address;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *shows(void *argument) {
  number = 7;
  address = &number;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  address = NULL;
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, shows, NULL);
  pthread_mutex_lock(&lock);
  int *found = address;
  if (found)
    assert(*found == 7);
  pthread_mutex_unlock(&lock);
  pthread_join(a, NULL);
}
