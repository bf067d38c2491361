/* A sequence lock: readers store nothing.  The number is odd while the writer is at work; a reader that
 * finds another number after it has read reads again. */
#include "threads.h"

#define READERS 1

static _Atomic unsigned sequence;
static _Atomic int left, right; /* atomic, because a reader may look while they change */

static void write_both(int value) {
  unsigned before = load_relaxed(&sequence);
  store(&sequence, before + 1);
  store(&left, value);
  store(&right, value);
  store(&sequence, before + 2);
}

static void read_both(int *l, int *r) {
  unsigned before;
  do {
    while ((before = load(&sequence)) & 1)
      ;
    *l = load(&left);
    *r = load(&right);
#ifdef BUG_NO_SECOND_LOOK
    break; /* BUG_NO_SECOND_LOOK: the writer may have begun meanwhile */
#endif
  } while (load(&sequence) != before);
}

static void *work(void *number) {
  int l, r;
  if ((intptr_t)number < READERS) {
    read_both(&l, &r);
    assert(l == r);
  } else {
    write_both(1);
  }
  return NULL;
}

int main(void) {
  run_threads(READERS + 1, work);
}
