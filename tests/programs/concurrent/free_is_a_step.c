/* Nothing but the free itself comes between the look and the end of the block: it is never written to by
 * threads, and memory of the same size is wanted right after. */
#include "twin.h"

static int *block;
static atomic_bool given_back;

static void *looks(void *unused) {
#ifdef FIXED
  if (atomic_load(&given_back))
    return unused;
#endif
  assert(*block == 1);
  return unused;
}

static void *gives_back(void *unused) {
#ifndef FIXED
  free(block);
  int *next = malloc(sizeof *next);
  *(volatile int *)next = 2;
#endif
  atomic_store(&given_back, true);
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  *block = 1;
  run_both(looks, gives_back);
}
