// A loop that looks under a lock, and waits for a change that never comes; the lock alone leads nowhere.
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool done, begun;

static void *work(void *unused) {
  pthread_mutex_lock(&mutex);
  begun = true;
#ifdef FIXED
  done = true;
#endif
  pthread_mutex_unlock(&mutex);
  return unused;
}

static bool is_done(void) {
  pthread_mutex_lock(&mutex);
  bool result = begun && done;
  pthread_mutex_unlock(&mutex);
  return result;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (!is_done())
    continue;
  pthread_join(thread, NULL);
  return 0;
}
