// Spin locks and barriers.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static int counter, serial, phase[3];

static void *work(void *number) {
  for (int p = 0; p < 3; p++) {
    pthread_spin_lock(&spin);
    counter++;
    phase[p]++;
    pthread_spin_unlock(&spin);
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(phase[p] == 4);
    if (result) {
      pthread_spin_lock(&spin);
      serial++;
      pthread_spin_unlock(&spin);
    }
  }
  return number;
}

int main(void) {
  pthread_t t[4];
  assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
  assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
  assert(pthread_barrier_init(&barrier, NULL, 4) == 0);
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  assert(counter == 12 && serial == 3);
  assert(pthread_spin_trylock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY);
  assert(pthread_spin_unlock(&spin) == 0 && pthread_spin_destroy(&spin) == 0);
  assert(pthread_barrier_destroy(&barrier) == 0);
  return 0;
}
