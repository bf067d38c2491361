/* Lamport's bakery: a thread draws a number higher than all it sees and waits for those with lower ones.
 *
 * Two may draw the same number, then the thread's own decides.  While a thread is choosing nobody knows
 * its number, so the others wait for that, too.  Two announcements have to be visible before the thread
 * looks at the others': that it chooses, and its number. */
#include "mutex.h"

static _Atomic int choosing[THREADS], number[THREADS];

static void draw_number(int me) {
  int highest = 0;
  store(&choosing[me], 1);
#ifndef BUG_CHOOSING_FENCE
  full_fence(); /* BUG_CHOOSING_FENCE: others do not wait for a number that is being drawn */
#endif
  for (int i = 0; i < THREADS; i++) {
    int seen = load(&number[i]);
    if (seen > highest)
      highest = seen;
  }
  store(&number[me], highest + 1);
  store(&choosing[me], 0);
#ifndef BUG_NUMBER_FENCE
  full_fence(); /* BUG_NUMBER_FENCE: both may look before either number is visible */
#endif
}

static bool goes_first(int other, int me, int my_number) {
  int seen = load(&number[other]);
  return seen && (seen < my_number || (seen == my_number && other < me));
}

static void lock(int me) {
  draw_number(me);
  int my_number = load(&number[me]);
  for (int other = 0; other < THREADS; other++) {
    if (other == me)
      continue;
    while (load(&choosing[other]))
      ;
    while (goes_first(other, me, my_number))
      ;
  }
}

static void unlock(int me) {
  store(&number[me], 0);
}
