/* A readers-writers lock for many readers: each has a flag of its own, so that they do not disturb
 * each other.  A reader raises its flag and then looks for a writer; a writer says that it is there and
 * then looks at the flags. */
#include "threads.h"

#define READERS 2

static _Atomic int reads[READERS], writes;
static int left, right; /* equal, whenever a reader looks */

static void read_lock(int me) {
  for (;;) {
    store(&reads[me], 1);
#ifndef BUG_NO_FENCE
    full_fence(); /* BUG_NO_FENCE: reader and writer may both look before they are seen */
#endif
    if (!load(&writes))
      return;
    store(&reads[me], 0);
    while (load(&writes))
      ;
  }
}

static void read_unlock(int me) {
  store(&reads[me], 0);
}

static void write_lock(void) {
  int nobody = 0;
  while (!atomic_compare_exchange_strong(&writes, &nobody, 1))
    nobody = 0;
  for (int i = 0; i < READERS; i++)
    while (load(&reads[i]))
      ;
}

static void write_unlock(void) {
  store(&writes, 0);
}

static void *work(void *number) {
  int me = (int)(intptr_t)number;
  if (me == READERS) {
    write_lock();
    left++;
    right++;
    write_unlock();
  } else {
    read_lock(me);
    assert(left == right);
    read_unlock(me);
  }
  return NULL;
}

int main(void) {
  run_threads(READERS + 1, work);
}
