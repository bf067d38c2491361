/* A ticket lock: draw a ticket, wait until it is called. */
#include "mutex.h"

static _Atomic int next_ticket, called;

static int draw_ticket(void) {
#ifdef BUG_TWO_STEPS
  int ticket = load(&next_ticket); /* BUG_TWO_STEPS: two threads may draw the same ticket */
  store(&next_ticket, ticket + 1);
  return ticket;
#else
  return atomic_fetch_add(&next_ticket, 1);
#endif
}

static void lock(int me) {
  (void)me;
  int ticket = draw_ticket();
  while (load(&called) != ticket)
    ;
}

static void unlock(int me) {
  (void)me;
  store(&called, load_relaxed(&called) + 1);
}
