// Waits with a deadline: they get what they wait for, or are told that it is late, and never wait for ever.
// CHECK sc: verified
// CHECK rc11: verified
// ENDS sc
// CHECK sc -DALWAYS: violated 28
// CHECK sc -DNEVER: violated 30
// CHECK sc -DSIGNALS: verified
// HANG sc -DSIGNALS
// ENDS sc -DSIGNALS -DBROADCAST
// ENDS sc -DSIGNALS -DTWO
// ENDS sc -DSIGNALS -DDEADLINE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec soon;
#ifndef SIGNALS
static int inside, got;
void thread0(void) {
  int r = pthread_mutex_timedlock(&m, &soon);
  assert(r == 0 || r == ETIMEDOUT);
#ifdef ALWAYS
  assert(r == 0);
#elif defined NEVER
  assert(r != 0);
#endif
  if (r == 0) {
    assert(inside == 0);
    r = pthread_cond_timedwait(&c, &m, &soon);
    assert(r == ETIMEDOUT || (r == 0 && got == 1));
    pthread_mutex_unlock(&m);
  }
  assert(pthread_rwlock_timedwrlock(&rw, &soon) != EBUSY);
}
void thread1(void) {
  pthread_mutex_lock(&m);
  inside = got = 1;
  pthread_cond_signal(&c);
  inside = 0;
  pthread_mutex_unlock(&m);
}
#else
/* Two wait and one is signalled: the other one waits for ever. */
static int items;
static void *taker(void *p) {
  pthread_mutex_lock(&m);
  while (!items) {
#ifdef DEADLINE
    if (pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT)
      break;
#else
    pthread_cond_wait(&c, &m);
#endif
  }
  pthread_mutex_unlock(&m);
  return p;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, taker, 0);
  pthread_create(&t[1], 0, taker, 0);
  pthread_mutex_lock(&m);
  items = 2;
#ifdef BROADCAST
  pthread_cond_broadcast(&c);
#else
  pthread_cond_signal(&c);
#endif
#ifdef TWO
  pthread_cond_signal(&c);
#endif
  pthread_mutex_unlock(&m);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
#endif
