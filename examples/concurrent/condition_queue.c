/* A queue of one place with two condition variables: full and empty. */
#include "threads.h"

#define CONSUMERS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int count, sum;

static void wait_until(int wanted, pthread_cond_t *changed) {
  while (count != wanted) {
    pthread_cond_wait(changed, &mutex);
#ifdef BUG_IF
    break; /* BUG_IF: somebody else may have been faster than the thread that was woken */
#endif
  }
}

static void put(void) {
  pthread_mutex_lock(&mutex);
  wait_until(0, &not_full);
  count++;
#ifndef BUG_NO_SIGNAL
  pthread_cond_signal(&not_empty); /* BUG_NO_SIGNAL: who waits already is not woken */
#endif
  pthread_mutex_unlock(&mutex);
}

static void take(void) {
  pthread_mutex_lock(&mutex);
  wait_until(1, &not_empty);
  assert(count == 1);
  count--;
  sum++;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&mutex);
}

static void *work(void *number) {
  if ((intptr_t)number < CONSUMERS) {
    take();
  } else {
    for (int i = 0; i < CONSUMERS; i++)
      put();
  }
  return NULL;
}

int main(void) {
  run_threads(CONSUMERS + 1, work);
  assert(sum == CONSUMERS);
}
