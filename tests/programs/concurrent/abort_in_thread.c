/* A thread that gives up if it is not the first. */
#include "twin.h"

static _Atomic int first;

static void *claims(void *unused) {
  int nobody = 0;
  bool claimed = atomic_compare_exchange_strong(&first, &nobody, 1);
#ifndef FIXED
  if (!claimed)
    abort();
#endif
  (void)claimed;
  return unused;
}

int main(void) {
  run_both(claims, claims);
}
