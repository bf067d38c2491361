/* What was stored before a barrier is seen behind it. */
#include "twin.h"

static pthread_barrier_t all_here;
static int first, second;

static void meet(void) {
#ifdef FIXED
  pthread_barrier_wait(&all_here);
#endif
}

static void *one(void *unused) {
  first = 1;
  meet();
  assert(second == 1);
  return unused;
}

static void *two(void *unused) {
  second = 1;
  meet();
  assert(first == 1);
  return unused;
}

int main(void) {
  pthread_barrier_init(&all_here, NULL, 2);
  run_both(one, two);
  pthread_barrier_destroy(&all_here);
}
