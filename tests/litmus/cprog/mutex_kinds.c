// Recursive mutexes, and those that check who has them.
// CHECK sc: verified
// CHECK x86tso: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DUNLOCK_EARLY: violated
// CHECK rc11 -DKIND=PTHREAD_MUTEX_ERRORCHECK -DREFUSES: verified
// CHECK rc11 -DKIND=PTHREAD_MUTEX_NORMAL: verified
// HANG rc11 -DKIND=PTHREAD_MUTEX_NORMAL
// CHECK rc11 -DSTATIC: verified
// CHECK sc -DC11: verified
// CHECK sc -DC11 -DWRONG: violated
// ENDS sc
// ENDS sc -DC11
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#ifndef KIND
#define KIND PTHREAD_MUTEX_RECURSIVE
#endif
#ifdef C11
typedef mtx_t mutex;
#define lock mtx_lock
#define unlock mtx_unlock
#define trylock mtx_trylock
#else
typedef pthread_mutex_t mutex;
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
#define trylock pthread_mutex_trylock
#endif
#ifdef STATIC
static mutex m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#else
static mutex m;
#endif
static int shared;
static void add(mutex *by, int n) {
  int again = lock(by);
#ifdef REFUSES
  assert(again == EDEADLK);
  shared += n;
#else
  assert(again == 0 && trylock(by) == 0);
  shared += n;
  unlock(by);
  unlock(by);
#endif
}
static void *run(void *p) {
  lock(&m);
#ifdef UNLOCK_EARLY
  unlock(&m);
#endif
  int before = shared;
  add(&m, 1);
  shared = before + 2;
#ifndef UNLOCK_EARLY
  assert(unlock(&m) == 0);
#endif
#ifdef REFUSES
  int twice = unlock(&m);
  assert(twice == EPERM);
#endif
  return p;
}
int main(void) {
  pthread_t t[2];
#ifdef C11
  mtx_init(&m, mtx_plain | mtx_recursive);
#elif !defined STATIC
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, KIND);
  pthread_mutex_init(&m, &a);
#endif
  pthread_create(&t[0], 0, run, 0);
  pthread_create(&t[1], 0, run, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
#ifdef WRONG
  assert(shared != 4);
#else
  assert(shared == 4);
#endif
}
