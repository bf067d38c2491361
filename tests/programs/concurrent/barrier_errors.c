/* To look whether a barrier has failed is not to look at who was the last: one execution.  The mistake: an error is taken
 * for what the last one is told. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3

static pthread_barrier_t barrier;
static int cells[THREADS], rounds;

static void *work(void *argument) {
  long me = (long)argument;
  cells[me] = 1;
  int failed = pthread_barrier_wait(&barrier);
#ifdef FIXED
  if (failed != 0 && failed != PTHREAD_BARRIER_SERIAL_THREAD) {
#else
  if (failed) {
#endif
    fprintf(stderr, "pthread_barrier_wait: %d\n", failed);
    abort();
  }
  assert(cells[(me + 1) % THREADS] == 1);
  int again = pthread_barrier_wait(&barrier);
  assert(again == PTHREAD_BARRIER_SERIAL_THREAD || again == 0);
  cells[me] = 2;
  if (pthread_barrier_wait(&barrier) > 0)
    rounds = -1;
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  assert(rounds == 0);
  return 0;
}
