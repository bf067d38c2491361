/* Dekker's mutual exclusion of two threads.
 *
 * A thread says that it wants, then looks whether the other one does.  If both want, the one whose turn
 * it is not steps back.  Correct as long as at least one of two threads that want sees that the other
 * does: its own store must be visible before it looks. */
#include "mutex.h"

static _Atomic int wants[2], turn;

static void say(int me, int want) {
  store(&wants[me], want);
#ifndef BUG_NO_FENCE
  full_fence(); /* BUG_NO_FENCE: both may look before either store is visible */
#endif
}

static void lock(int me) {
  int other = 1 - me;
  say(me, 1);
  while (load(&wants[other]))
    if (load(&turn) != me) {
      say(me, 0);
      while (load(&turn) != me)
        ;
      say(me, 1);
    }
}

static void unlock(int me) {
  store(&turn, 1 - me);
  store(&wants[me], 0);
}
