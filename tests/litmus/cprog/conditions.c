// Condition variables: whoever waits goes on after a signal, and never without one.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// ENDS sc
// CHECK rc11 -DTWICE: violated 36
// CHECK sc -DNO_SIGNAL: verified
// HANG sc -DNO_SIGNAL
// CHECK sc -DNO_TEST: verified
// HANG sc -DNO_TEST
// CHECK rc11 -DUNLOCKED: violated
// CHECK rc11 -DC11: verified
#include <assert.h>
#include <pthread.h>
#include <threads.h>
#ifdef C11
static cnd_t c;
static mtx_t m;
#define WAIT cnd_wait
#define SIGNAL cnd_signal
#else
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define WAIT pthread_cond_wait
#define SIGNAL pthread_cond_signal
#endif
#define LOCK(m) pthread_mutex_lock((pthread_mutex_t *)(m))
#define UNLOCK(m) pthread_mutex_unlock((pthread_mutex_t *)(m))
static int items, taken;
static void *consumer(void *p) {
  LOCK(&m);
#ifdef NO_TEST
  WAIT(&c, &m);
#elif defined TWICE
  while (items < 2) {
    assert(items == 0);
    WAIT(&c, &m);
  }
#else
  while (!items)
    WAIT(&c, &m);
#endif
  assert(items > 0);
  taken = items;
  UNLOCK(&m);
  return p;
}
static void put(void) {
#ifndef UNLOCKED
  LOCK(&m);
#endif
  items++;
#ifndef NO_SIGNAL
  SIGNAL(&c);
#endif
#ifndef UNLOCKED
  UNLOCK(&m);
#endif
}
int main(void) {
  pthread_t t;
#ifdef C11
  cnd_init(&c);
  mtx_init(&m, mtx_plain);
#endif
  pthread_create(&t, 0, consumer, 0);
  put();
#ifdef TWICE
  put();
#endif
  pthread_join(t, 0);
  assert(taken);
}
