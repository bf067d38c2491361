/* A thread that waits as it should, for a second item that never comes: no wake-up is lost. */
#include "twin.h"

#ifdef FIXED
#define ITEMS 1
#else
#define ITEMS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *takes(void *unused) {
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (!items)
      pthread_cond_wait(&changed, &mutex);
    items--;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void *gives(void *unused) {
  pthread_mutex_lock(&mutex);
  items++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_both(takes, gives);
}
