/* Two variables in one word: what is not yet published is not the one that was. */
#include "twin.h"

static int slots[2];
static _Atomic int published;

static void *write(void *unused) {
  slots[0] = 1;
  atomic_store_explicit(&published, 1, memory_order_release);
  slots[1] = 2;
  return unused;
}

static void *read(void *unused) {
  if (atomic_load_explicit(&published, memory_order_acquire)) {
#ifdef FIXED
    assert(slots[0] == 1);
#else
    assert(slots[0] + slots[1]);
#endif
  }
  return unused;
}

int main(void) {
  run_both(write, read);
}
