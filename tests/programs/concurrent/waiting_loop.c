/* A loop that waits for a value which another thread may overwrite. */
#include "twin.h"

static _Atomic int state;

static void *waits(void *unused) {
#ifdef FIXED
  while (state < 1)
#else
  while (state != 1)
#endif
    ;
  return unused;
}

static void *goes_on(void *unused) {
  state = 1;
  state = 2;
  return unused;
}

int main(void) {
  run_both(waits, goes_on);
}
