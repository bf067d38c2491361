// Attributes of condition variables, read-write locks and barriers change nothing that is looked at.
// CHECK sc: verified
// CHECK rc11: verified
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_rwlock_t lock;
static int data;

void init(void) {
  pthread_condattr_t c;
  pthread_rwlockattr_t l;
  assert(pthread_condattr_init(&c) == 0 && pthread_condattr_setclock(&c, CLOCK_MONOTONIC) == 0);
  assert(pthread_cond_init(&changed, &c) == 0 && pthread_condattr_destroy(&c) == 0);
  assert(pthread_rwlockattr_init(&l) == 0 && pthread_rwlock_init(&lock, &l) == 0);
}

void thread0(void) {
  pthread_rwlock_wrlock(&lock);
  pthread_mutex_lock(&mutex);
  data = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_unlock(&lock);
}

void thread1(void) {
  pthread_mutex_lock(&mutex);
  while (!data)
    pthread_cond_wait(&changed, &mutex);
  assert(data == 1);
  pthread_mutex_unlock(&mutex);
}
