// OPTIONS:
// OUTCOMES: 0 0 0; 1 0 1; 1 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0 0; 1 0 1; 1 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// A load by another machine is a write-back: after it x = 1 cannot be lost.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    yield_rounds(1);
    commit();
    return 0;
  }
  unsigned long first = X;
  yield_rounds(1);
  unsigned long z = Z, x = X;
  SHOW("%lu %lu %lu", first, z, x);
}
