/* A mutex is destroyed by who thinks that it is the last to use it.  glibc refuses to lock it then, which nobody
 * looks at, and both threads go on without it. */
#include "twin.h"

static pthread_mutex_t lock;
static int number;

static void *adds(void *last) {
  pthread_mutex_lock(&lock);
  number++;
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  if (last)
    pthread_mutex_destroy(&lock);
#endif
  return last;
}

int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&lock, NULL);
  pthread_create(&a, NULL, adds, NULL);
  pthread_create(&b, NULL, adds, &lock);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef FIXED
  pthread_mutex_destroy(&lock);
#endif
}
