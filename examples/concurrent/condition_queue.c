/* A queue of one place with two condition variables: full and empty. */
#include "threads.h"

#define CONSUMERS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int count, sum;

#ifdef BUG_IF
#define WAIT_WHILE \
  if /* BUG_IF: somebody else may have been faster than the thread that was woken */
#else
#define WAIT_WHILE while
#endif

static void put(void) {
  pthread_mutex_lock(&mutex);
  WAIT_WHILE(count == 1)
  pthread_cond_wait(&not_full, &mutex);
  count++;
#ifndef BUG_NO_SIGNAL
  pthread_cond_signal(&not_empty); /* BUG_NO_SIGNAL: who waits already is not woken */
#endif
  pthread_mutex_unlock(&mutex);
}

static void take(void) {
  pthread_mutex_lock(&mutex);
  WAIT_WHILE(count == 0)
  pthread_cond_wait(&not_empty, &mutex);
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
