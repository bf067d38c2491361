// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// A compare-and-swap that fails is a fence all the same: it completes the clwb.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    uint64_t expected = 7;
    X = 1;
    clwb(&X);
    __atomic_compare_exchange_n(cxl_word(16), &expected, 8, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    Z = 1;
    return 0;
  }
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
