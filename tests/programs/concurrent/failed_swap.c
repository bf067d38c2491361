/* A compare-and-swap that fails orders by its second order, not by the first; and one that succeeds only by the first. */
#include "twin.h"

#ifdef FIXED
#define FAILURE memory_order_acquire
#define SUCCESS memory_order_acq_rel
#else
#define FAILURE memory_order_relaxed
#define SUCCESS memory_order_release
#endif

static atomic_int ready, taken;
static int value, other;

static void *gives(void *unused) {
  value = 1;
  atomic_store_explicit(&ready, 5, memory_order_release);
  other = 1;
  atomic_store_explicit(&taken, 5, memory_order_release);
  return unused;
}

static void *takes(void *unused) {
  int expected = 4;
  if (!atomic_compare_exchange_strong_explicit(&ready, &expected, 6, memory_order_acq_rel,
                                               FAILURE) &&
      expected == 5)
    assert(value == 1);
  expected = 5;
  if (atomic_compare_exchange_strong_explicit(&taken, &expected, 6, SUCCESS, memory_order_acquire))
    assert(other == 1);
  return unused;
}

int main(void) {
  run_both(gives, takes);
}
