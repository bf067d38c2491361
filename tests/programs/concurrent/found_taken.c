/* Who finds a lock taken acts upon it: that the holder looked in vain then, and could as well have looked later, is no
 * reason to leave the execution out. */
#include "twin.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *unused) {
  int value = 1;
  if (pthread_mutex_trylock(&mutex) != 0) {
    pthread_mutex_lock(&mutex);
    value = 2;
  }
  done = value;
  pthread_mutex_unlock(&mutex);
  return unused;
}

__attribute__((optnone, noinline)) static int look(void) {
  pthread_mutex_lock(&mutex);
  int result = done;
  pthread_mutex_unlock(&mutex);
  return result;
}

__attribute__((optnone)) int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (look() == 0)
    continue;
  pthread_join(thread, NULL);
#ifdef FIXED
  assert(done == 1 || done == 2);
#else
  assert(done == 1);
#endif
}
