// EXPECT: hang 1
// SAYS: pauses (sleep, timed waits)
#include <pthread.h>
#include <time.h>
int main(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&m);
  for (;;) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec = t.tv_nsec < 999000000 ? t.tv_nsec + 1000000 : t.tv_nsec;
    pthread_cond_timedwait(&c, &m, &t); // HERE
  }
}
