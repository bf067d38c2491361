/* Four threads go through three rounds at a barrier.  In which order they come there makes no difference, so there is one
 * execution.  The mistake: in one round only three are waited for, so who meets whom is open. */
#include <assert.h>
#include <pthread.h>

#define THREADS 4
#define ROUNDS 3

static pthread_barrier_t barrier, smaller;
static int sums[ROUNDS + 1][THREADS];

static pthread_barrier_t *barrier_of(int round) {
#ifdef FIXED
  (void)round;
  return &barrier;
#else
  return round == 1 ? &smaller : &barrier;
#endif
}

static void *work(void *argument) {
  long me = (long)argument;
  for (int round = 0; round < ROUNDS; round++) {
    sums[round + 1][me] = 1 + sums[round][me] + sums[round][(me + 1) % THREADS];
    pthread_barrier_wait(barrier_of(round));
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  pthread_barrier_init(&smaller, NULL, THREADS - 1);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  assert(sums[ROUNDS][0] == (1 << ROUNDS) - 1);
  return 0;
}
