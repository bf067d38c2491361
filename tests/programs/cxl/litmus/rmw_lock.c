// OPTIONS:
// OUTCOMES: 0 2; 1 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// A lock word: whoever swaps it first; the lock of a failed machine may be lost or stay for ever.
#include "../cxl.h"

int main(void) {
  uint64_t expected = 0;
  unsigned long self = (unsigned long)tidemark_machine();
  __atomic_compare_exchange_n(&X, &expected, self + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (self == 1)
    SHOW("%lu %lu", NUMBER(expected), NUMBER(X));
}
