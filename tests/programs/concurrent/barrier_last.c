/* Whoever comes last at a barrier does what is to be done once: for each round it can be any of the three.  The mistake:
 * it takes for granted that it is the one that was created last. */
#include <assert.h>
#include <pthread.h>

#define THREADS 3
#define ROUNDS 2

static pthread_barrier_t barrier;
#ifdef FIXED
static int done; /* by the last one, behind the barrier and before the next */
#endif

static void *work(void *argument) {
  for (int round = 0; round < ROUNDS; round++) {
    if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD)
      continue;
#ifdef FIXED
    done++;
#else
    assert((long)argument == THREADS - 1 || round > 0);
#endif
  }
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
#ifdef FIXED
  assert(done == ROUNDS);
#endif
  return 0;
}
