/* The lock of Mellor-Crummey and Scott: waiting threads form a list, each waits at its own entry.
 *
 *     last ---------------------------+
 *                                     v
 *     [ owner ] -> [ waits ] -> [ waits ] */
#include "mutex.h"
#include <stddef.h>

struct entry {
  struct entry *_Atomic next;
  _Atomic bool waits;
};

static struct entry entries[THREADS];
static struct entry *_Atomic last;

static void lock(int me) {
  struct entry *mine = &entries[me];
  store(&mine->waits, true);
#ifndef BUG_LATE_RESET
  store(&mine->next, NULL);
#endif
  struct entry *before = atomic_exchange(&last, mine);
#ifdef BUG_LATE_RESET
  store(&mine->next, NULL); /* BUG_LATE_RESET: forgets who has come meanwhile */
#endif
  if (!before)
    return;
  store(&before->next, mine);
  while (load(&mine->waits))
    ;
}

static void unlock(int me) {
  struct entry *mine = &entries[me], *expected = mine;
  if (!load(&mine->next)) {
    if (atomic_compare_exchange_strong(&last, &expected, NULL))
      return;
    while (!load(&mine->next)) /* somebody has come and is about to say so */
      ;
  }
  store(&load(&mine->next)->waits, false);
}
