/* A consumer that sleeps while there is no work, and a producer that wakes it up only if it sleeps.
 *
 * The consumer says that it is idle and then looks for work, the producer says that there is work and then
 * looks for an idle consumer.  Sequentially consistent, at least one of them sees the other.  This is the bug
 * of figure 4(b) of Burckhardt and Musuvathi, "Effective Program Verification for Relaxed Memory Models"
 * (CAV 2008). */
#include "threads.h"

static _Atomic bool is_idle, has_work;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_up = PTHREAD_COND_INITIALIZER;

static void block_on_idle(void) {
  pthread_mutex_lock(&mutex);
  store(&is_idle, true);
#ifndef BUG_CONSUMER_FENCE
  full_fence(); /* BUG_CONSUMER_FENCE: the producer may not see that the consumer is about to sleep */
#endif
  if (!load(&has_work))
    pthread_cond_wait(&wake_up, &mutex);
  store(&is_idle, false);
  pthread_mutex_unlock(&mutex);
}

static void notify_potential_work(void) {
  store(&has_work, true);
#ifndef BUG_PRODUCER_FENCE
  full_fence(); /* BUG_PRODUCER_FENCE: the consumer may not see the work */
#endif
  if (load(&is_idle)) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&wake_up);
    pthread_mutex_unlock(&mutex);
  }
}

static void *work(void *number) {
  if (number == 0)
    block_on_idle();
  else
    notify_potential_work();
  return NULL;
}

int main(void) {
  run_threads(2, work);
}
