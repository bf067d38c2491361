/* Two increments, of which one can be lost. */
#include "twin.h"

static _Atomic int counter;

static void *add(void *unused) {
#ifdef FIXED
  atomic_fetch_add(&counter, 1);
#else
  atomic_store(&counter, atomic_load(&counter) + 1);
#endif
  return unused;
}

int main(void) {
  run_both(add, add);
  assert(counter == 2);
}
