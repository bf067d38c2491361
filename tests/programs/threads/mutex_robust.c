// A robust mutex tells that its owner has died.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *die_with_it(void *unused) {
  assert(pthread_mutex_lock(&mutex) == 0);
  return unused;
}

static void let_it_die(void) {
  pthread_t t;
  pthread_create(&t, NULL, die_with_it, NULL);
  pthread_join(t, NULL);
}

int main(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  assert(pthread_mutex_init(&mutex, &attr) == 0);

  let_it_die();
  assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0);

  let_it_die();
  assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
  assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
  assert(pthread_mutex_destroy(&mutex) == 0);
  return 0;
}
