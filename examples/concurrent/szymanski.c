/* Szymanski's mutual exclusion: a waiting room with two doors.
 *
 * Who wants to enter waits for the first door to be open, goes in, and waits inside if others still come;
 * the last one in closes the first door and opens the second, through which all leave in the order of
 * their numbers. */
#include "mutex.h"

enum { OUTSIDE, WANTS, WAITS_INSIDE, IN_DOOR, LEAVES };

static _Atomic int place[THREADS];

static void go(int me, int to) {
  store(&place[me], to);
#ifndef BUG_NO_FENCE
  full_fence(); /* BUG_NO_FENCE: the others may still see the thread at its former place */
#endif
}

static void lock(int me) {
  int other = 1 - me;
  go(me, WANTS);
  while (load(&place[other]) >= IN_DOOR)
    ;
  go(me, IN_DOOR);
  if (load(&place[other]) == WANTS) {
    go(me, WAITS_INSIDE);
    while (load(&place[other]) != LEAVES)
      ;
  }
  go(me, LEAVES);
  if (other < me)
    while (load(&place[other]) >= WAITS_INSIDE)
      ;
}

static bool is_in_doorway(int thread) {
  int seen = load(&place[thread]);
  return seen == WAITS_INSIDE || seen == IN_DOOR;
}

static void unlock(int me) {
  int other = 1 - me;
  if (other > me)
    while (is_in_doorway(other))
      ;
  store(&place[me], OUTSIDE);
}
