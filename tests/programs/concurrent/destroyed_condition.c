/* Who has told the other one that it may go on destroys the condition variable; the other one may still have to wait for
 * the one that it has not seen yet.  In its new life, by a plain store, it can be used again. */
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool told;

static void *waits(void *unused) {
  pthread_mutex_lock(&lock);
  while (!told)
    pthread_cond_wait(&condition, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, waits, NULL);
#ifdef FIXED
  pthread_mutex_lock(&lock);
  told = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&lock);
  pthread_join(other, NULL);
  pthread_cond_destroy(&condition);
  condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pthread_cond_signal(&condition);
#else
  pthread_cond_destroy(&condition);
  pthread_mutex_lock(&lock);
  told = true;
  pthread_mutex_unlock(&lock);
  pthread_join(other, NULL);
#endif
}
