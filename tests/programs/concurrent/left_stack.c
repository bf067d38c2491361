/* A thread has ended, and its stack with it, when another one uses a variable of it (FIXED: it lasts). */
#include "twin.h"

static _Atomic(atomic_int *) count;

static void *counts(void *unused) {
#ifdef FIXED
  static
#endif
      atomic_int own = 1;
  count = &own;
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, counts, NULL);
  pthread_join(other, NULL);
  atomic_fetch_add(count, 1);
}
