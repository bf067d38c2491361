/* A flag that does not order what it announces. */
#include "twin.h"

#ifdef FIXED
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif

static _Atomic bool ready;
static int value;

static void *gives(void *unused) {
  value = 1;
  atomic_store_explicit(&ready, true, STORE);
  return unused;
}

static void *takes(void *unused) {
  if (atomic_load_explicit(&ready, LOAD))
    assert(value == 1);
  return unused;
}

int main(void) {
  run_both(gives, takes);
}
