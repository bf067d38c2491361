/* A recursive mutex goes from one thread to another when its outermost holder has released it, in either order. */
#define _GNU_SOURCE
#include "twin.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int first;

static void enter(int number) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (!first)
    first = number;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
}

static void *one(void *unused) {
  enter(1);
  return unused;
}

static void *two(void *unused) {
  enter(2);
  return unused;
}

int main(void) {
  run_both(one, two);
#ifdef FIXED
  assert(first == 1 || first == 2);
#else
  if (first == 1)
    assert(!"the first one was first");
  assert(!"the second one was first");
#endif
}
