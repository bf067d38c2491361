// OPTIONS:
// OUTCOMES: 0 0 0; 1 0 0; 1 0 1; 1 1 1
// COUNTS: 6 executions, 6 runs, 2 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0 0; 1 0 0; 1 0 1; 1 1 0; 1 1 1
// COUNTS: 10 executions, 10 runs, 3 failure points
// The load of x writes the whole line back, y = 1 too; by the paper's rule only up to x = 1.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Y = 1;
    yield_rounds(1);
    commit();
    return 0;
  }
  unsigned long x = X;
  yield_rounds(1);
  unsigned long z = Z, y = Y;
  SHOW("%lu %lu %lu", x, z, y);
}
