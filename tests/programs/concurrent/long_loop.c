/* A loop that counts its rounds does not wait; there are as many executions as rounds, and more (--unroll). */
#include "twin.h"

static atomic_int flag, seen;

static void *tries(void *unused) {
  for (int i = 0; i < 1000000; i++)
    if (atomic_load(&flag)) {
      seen = i;
      break;
    }
  return unused;
}

static void *sets(void *unused) {
  atomic_store(&flag, 1);
#ifndef FIXED
  assert(seen != 2);
#endif
  return unused;
}

int main(void) {
  run_both(tries, sets);
}
