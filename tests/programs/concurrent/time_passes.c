/* A thread waits in a loop for one whose wait is over only because nobody else can go on. */
#include "twin.h"
#include <time.h>

static _Atomic int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

/* The second time that a wait is over comes when nobody else can go on (--timeouts). */
static void *sleeps(void *unused) {
  struct timespec end;
  for (int i = 0; i < 2; i++) {
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &end);
    pthread_mutex_unlock(&mutex);
  }
  flag = 1;
  return unused;
}

static void *waits(void *unused) {
  while (!flag)
    ;
#ifndef FIXED
  assert(!flag);
#endif
  return unused;
}

int main(void) {
  run_both(sleeps, waits);
}
