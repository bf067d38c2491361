/* Who waits for a while and then gives up has to take back what it asked for, as it may be granted meanwhile. */
#include "twin.h"
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t granted_one = PTHREAD_COND_INITIALIZER;
static int wanted, granted, taken;

static void *asks(void *unused) {
  struct timespec later;
  clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 10;
  pthread_mutex_lock(&lock);
  wanted++;
  int late = 0;
  while (!granted && !late)
    late = pthread_cond_timedwait(&granted_one, &lock, &later);
#ifdef FIXED
  if (!granted)
    wanted--;
#else
  if (late)
    wanted--; /* also if it was granted in the meantime */
#endif
  else {
    granted--;
    taken++;
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *grants(void *unused) {
  pthread_mutex_lock(&lock);
  if (wanted) {
    wanted--;
    granted++;
    pthread_cond_signal(&granted_one);
  }
  assert(wanted >= 0);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(asks, grants);
  assert(wanted == 0 && granted == 0);
}
