// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 7 executions, 7 runs, 2 failure points
// OPTIONS: --flush=global
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 7 executions, 7 runs, 2 failure points
// OPTIONS: --coherence=cxlmc --flush=global
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// A flush by another machine acts on that machine's own cache.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    yield_rounds(1);
    commit();
    return 0;
  }
  clflush(&X);
  yield_rounds(1);
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
