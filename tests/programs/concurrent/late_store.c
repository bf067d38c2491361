/* Under tso only: a store to the block is still in the buffer when its thread has looked whether it may use the
 * block, and the other one has given it back. */
#include "twin.h"

static atomic_int *block;
static atomic_bool busy, over;

static void *uses(void *unused) {
  atomic_store_explicit(&busy, true, memory_order_relaxed);
#ifdef FIXED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  if (!atomic_load_explicit(&over, memory_order_relaxed))
    atomic_store_explicit(block, 2, memory_order_relaxed);
  atomic_store_explicit(&busy, false, memory_order_release);
  return unused;
}

static void *gives_back(void *unused) {
  atomic_store(&over, true);
  if (!atomic_load_explicit(&busy, memory_order_acquire))
    free(block);
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  atomic_init(block, 1);
  run_both(uses, gives_back);
}
