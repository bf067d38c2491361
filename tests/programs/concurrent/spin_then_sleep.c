/* A thread looks a thousand times, pauses longer and longer, and then sleeps.  Whoever sets the flag and signals without
 * the lock may do both while it is about to sleep. */
#include "twin.h"

#define LOOKS 1000

static atomic_bool flag;
static atomic_int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void take(void) {
  for (unsigned delay = 1;; delay *= 2) {
    int free = 0;
    if (atomic_compare_exchange_strong(&taken, &free, 1))
      return;
    for (unsigned i = 0; i < delay; i++)
      __builtin_ia32_pause();
  }
}

static void *waits(void *unused) {
  take();
  atomic_store(&taken, 0);
  for (int looks = 0; looks < LOOKS; looks++) {
    if (atomic_load(&flag))
      return unused;
    __builtin_ia32_pause();
  }
  pthread_mutex_lock(&lock);
  while (!atomic_load(&flag))
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *sets(void *unused) {
  take();
  atomic_store(&taken, 0);
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  atomic_store(&flag, true);
  pthread_cond_signal(&changed);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return unused;
}

int main(void) {
  run_both(waits, sets);
}
