/* A loop that waits and counts on its stack, up to a number at which it begins anew: as a queue of liburcu does, which
 * sleeps after every ten rounds. */
#include "twin.h"
#include <poll.h>

static atomic_int given;

static __attribute__((noinline)) void pause_now_and_then(int *rounds) {
  if (++*rounds < 10)
    return;
  poll(NULL, 0, 10);
  *rounds = 0;
}

static void *waits(void *unused) {
  int rounds = 0;
  while (!given)
    pause_now_and_then(&rounds);
  return unused;
}

static void *gives(void *unused) {
#ifdef FIXED
  given = 1;
#endif
  return unused;
}

int main(void) {
  run_both(waits, gives);
}
