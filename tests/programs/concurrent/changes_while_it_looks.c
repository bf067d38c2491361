/* A loop of two looks.  What the first one saw may change before the second: that is no waiting. */
#include "twin.h"

static _Atomic int wanted, turn;

static void *waits(void *unused) {
  while (wanted)
    if (turn != 0)
      break;
  return unused;
}

static void *gives_up(void *unused) {
#ifdef FIXED
  wanted = 0;
#endif
  return unused;
}

int main(void) {
  wanted = 1;
  run_both(waits, gives_up);
}
