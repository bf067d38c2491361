// OPTIONS:
// OUTCOMES: 0 0 0; 0 1 0; 0 1 1; 1 0 0; 1 1 0; 1 1 1
// COUNTS: 10 executions, 10 runs, 2 failure points
// OPTIONS: --flush=global
// OUTCOMES: 0 0 0; 0 1 0; 0 1 1; 1 1 0; 1 1 1
// COUNTS: 10 executions, 10 runs, 3 failure points
// With --flush=global a clwb by another machine reaches x = 1, but not y = 1, which was stored
// between the clwb and its fence.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    yield_rounds(1);
    Y = 1;
    yield_rounds(1);
    commit();
    return 0;
  }
  clwb(&X);
  yield_rounds(1);
  _mm_sfence();
  yield_rounds(1);
  unsigned long z = Z, x = X, y = Y;
  SHOW("%lu %lu %lu", z, x, y);
}
