/* A thread that is cancelled while it waits for a condition has the mutex again when its handlers run: one of them has to
 * release it. */
#include "twin.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

#ifdef FIXED
static int cleaned;

static void release(void *unused) {
  (void)unused;
  cleaned++;
  pthread_mutex_unlock(&mutex);
}
#endif

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
#ifdef FIXED
  pthread_cleanup_push(release, NULL);
#endif
  for (;;)
    pthread_cond_wait(&never, &mutex);
#ifdef FIXED
  pthread_cleanup_pop(1);
#endif
  return unused;
}

int main(void) {
  pthread_t other;
  void *result;
  pthread_create(&other, NULL, waits, NULL);
  assert(pthread_cancel(other) == 0);
  pthread_join(other, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_mutex_lock(&mutex);
#ifdef FIXED
  assert(cleaned == 1);
#endif
  pthread_mutex_unlock(&mutex);
}
