/* One thread goes on while others come and go, one after the other: these never race with each other, but with it. */
#include "twin.h"

static atomic_int shared;
static int plain;

static void *goes_on(void *unused) {
  atomic_fetch_add(&shared, 1);
#ifndef FIXED
  plain = 1;
#endif
  return unused;
}

static void *comes_and_goes(void *unused) {
  atomic_fetch_add(&shared, 2);
  plain = 2;
  return unused;
}

int main(void) {
  pthread_t first, next;
  pthread_create(&first, NULL, goes_on, NULL);
  for (int i = 0; i < 9; i++) {
    pthread_create(&next, NULL, comes_and_goes, NULL);
    pthread_join(next, NULL);
  }
  pthread_join(first, NULL);
  assert(shared == 19);
}
