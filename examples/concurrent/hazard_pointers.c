/* Hazard pointers: a reader says which block it is looking at, and who has replaced a block frees it only
 * when nobody says so.  The reader's word has to be visible before it looks whether the block is still in
 * use; otherwise the writer may have looked at the hazard before it was there. */
#include "threads.h"
#include <stdlib.h>

struct block {
  int value;
};

static struct block *_Atomic current, *_Atomic hazard;

static struct block *new_block(int value) {
  struct block *b = malloc(sizeof *b);
  assert(b);
  b->value = value;
  return b;
}

static struct block *protect(void) {
  struct block *b;
  do {
    b = load(&current);
    store(&hazard, b);
#ifndef BUG_NO_FENCE
    full_fence(); /* BUG_NO_FENCE: the block may be freed before the hazard is visible */
#endif
  } while (load(&current) != b);
  return b;
}

static void *read_value(void *unused) {
  (void)unused;
  int value = protect()->value;
  store(&hazard, NULL);
  assert(value == 1 || value == 2);
  return NULL;
}

static void replace(struct block *new) {
  struct block *old = atomic_exchange(&current, new);
  while (load(&hazard) == old)
    ;
  old->value = 0; /* nobody may see that */
  free(old);
}

static void *work(void *number) {
  if (number == 0)
    return read_value(number);
  replace(new_block(2));
  return NULL;
}

int main(void) {
  store(&current, new_block(1));
  run_threads(2, work);
  free(load(&current));
}
