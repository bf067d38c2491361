/* On x86 the block is never used after it is freed; but nothing in the program orders the two. */
#include "twin.h"

static int *block;
static atomic_bool done;

static void *uses(void *unused) {
  *block = 2;
#ifdef FIXED
  atomic_store_explicit(&done, true, memory_order_release);
#else
  atomic_store_explicit(&done, true, memory_order_relaxed);
#endif
  return unused;
}

static void *frees(void *unused) {
  while (!atomic_load_explicit(&done, memory_order_acquire))
    continue;
  free(block);
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  run_both(uses, frees);
}
