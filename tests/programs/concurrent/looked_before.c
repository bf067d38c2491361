/* A loop that waits for ever, after a look at something else that changes meanwhile. */
#include "twin.h"

static _Atomic int early, never;

static void *waits(void *unused) {
#ifdef FIXED
  if (early < 0)
#else
  if (early == 0)
#endif
    while (!never)
      ;
  return unused;
}

static void *changes(void *unused) {
  early = 1;
  return unused;
}

int main(void) {
  run_both(waits, changes);
}
