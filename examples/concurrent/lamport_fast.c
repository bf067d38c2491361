/* Lamport's fast mutual exclusion: without contention a thread makes five stores and two loads.
 *
 * Who comes writes its name on the first board, and if the second one is empty, there, too.  If the first
 * one still shows its name it enters.  Otherwise it waits until nobody is busy, and enters if it was the
 * last one to write on the second board. */
#include "mutex.h"

#define NOBODY 0

static _Atomic int busy[THREADS], first, second;

static void wait_until_empty(void) {
  while (load(&second) != NOBODY)
    ;
}

/* True if the thread may enter. */
static bool try(int me) {
  int name = me + 1;
  store(&busy[me], 1);
  store(&first, name);
#ifndef BUG_FIRST_FENCE
  full_fence(); /* BUG_FIRST_FENCE: the second board is looked at before the name is on the first */
#endif
  if (load(&second) != NOBODY) {
    store(&busy[me], 0);
    wait_until_empty();
    return false;
  }
  store(&second, name);
#ifndef BUG_SECOND_FENCE
  full_fence(); /* BUG_SECOND_FENCE: the first board is looked at before the name is on the second */
#endif
  if (load(&first) == name)
    return true;
  store(&busy[me], 0);
  full_fence();
  for (int i = 0; i < THREADS; i++)
    while (load(&busy[i]))
      ;
  if (load(&second) == name)
    return true;
  wait_until_empty();
  return false;
}

static void lock(int me) {
  while (!try(me))
    ;
}

static void unlock(int me) {
  store(&second, NOBODY);
  store(&busy[me], 0);
}
