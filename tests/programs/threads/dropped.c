// Threads that still wait or spin when main returns are dropped.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int started;

static void *wait_forever(void *unused) {
  pthread_mutex_lock(&mutex);
  started++;
  for (;;)
    pthread_cond_wait(&never, &mutex);
  return unused;
}

static void *spin_forever(void *unused) {
  started++;
  for (;;)
    atomic_load(&started);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, wait_forever, NULL);
  pthread_create(&t, NULL, spin_forever, NULL);
  while (started < 2)
    ;
  return 0;
}
