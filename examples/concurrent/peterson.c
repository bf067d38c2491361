/* Peterson's mutual exclusion of two threads.
 *
 * A thread says that it wants and lets the other one go first; it waits while the other one wants and
 * has not let it go first in turn. */
#include "mutex.h"

static _Atomic int wants[2], first;

static void lock(int me) {
  int other = 1 - me;
  store(&wants[me], 1);
  store(&first, other);
#ifndef BUG_NO_FENCE
  full_fence(); /* BUG_NO_FENCE: both may look before either has said that it wants */
#endif
  while (load(&wants[other]) && load(&first) == other)
    ;
}

static void unlock(int me) {
  store(&wants[me], 0);
}
