/* An alarm that would end a run which takes too long does not stand in the way. */
#include "twin.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *unused) {
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
  return unused;
}

static void *back(void *unused) {
#ifdef FIXED
  return forth(unused);
#else
  pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
  return unused;
#endif
}

int main(void) {
  assert(alarm(10) == 0);
  assert(alarm(20) == 10);
  struct itimerval often = {.it_value.tv_usec = 1};
  assert(setitimer(ITIMER_VIRTUAL, &often, NULL) == 0);
  run_both(forth, back);
  assert(alarm(0) > 0);
}
