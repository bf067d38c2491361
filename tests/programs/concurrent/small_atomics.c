/* Two small atomic variables in one word, of which each orders something of its own. */
#include "twin.h"

static _Alignas(8) _Atomic bool ready[2];
static int values[2];

static void *gives(void *unused) {
  values[0] = 1;
#ifdef FIXED
  atomic_store_explicit(&ready[0], true, memory_order_release);
#else
  atomic_store_explicit(&ready[0], true, memory_order_relaxed);
#endif
  atomic_store_explicit(&ready[1], true, memory_order_relaxed);
  return unused;
}

static void *takes(void *unused) {
  if (atomic_load_explicit(&ready[0], memory_order_acquire))
    assert(values[0] == 1);
  return unused;
}

int main(void) {
  run_both(gives, takes);
}
