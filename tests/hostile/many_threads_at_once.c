// EXPECT: refused 3
// ONLY: pm (a machine with so many threads takes long until then, and says the same)
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *start(void *argument) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  static pthread_t threads[2000];
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 2000; i++)
    if (pthread_create(&threads[i], NULL, start, NULL))
      return 1;
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2000; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
