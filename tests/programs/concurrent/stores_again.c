/* A loop that stores what is there already ends nevertheless, if a register counts its rounds. */
#include "twin.h"

static atomic_uchar shared = 1;
static atomic_int rounds = 3;

static void *fills(void *unused) {
  int left = rounds;
  atomic_exchange(&shared, 255);
  while (left--)
    shared = 255;
  return unused;
}

static void *ends(void *unused) {
  return unused;
}

int main(void) {
  run_both(fills, ends);
#ifdef FIXED
  assert(shared == 255);
#else
  assert(shared == 1);
#endif
}
