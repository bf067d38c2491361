// OPTIONS: --machines=3 --failures=2 --coherence=cxlmc
// OUTCOMES: 0 0; 0 1; 0 2; 1 0; 1 1; 1 2; 2 0; 2 1; 2 2
// COUNTS: 12 executions, 12 runs, 2 failure points
// OPTIONS: --machines=3 --failures=2
// OUTCOMES: 0 0; 1 0; 2 0; 2 1; 2 2
// COUNTS: 12 executions, 12 runs, 4 failure points
// Two failed machines, one line: each loses its own stores from a point of its own.  Machine 0 lived
// after machine 1 stored (or would have): by the protocol its stores were written back then, unless
// machine 1 failed before it stored.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    X = 1;
    X = 2;
    yield_rounds(1);
    commit();
    return 0;
  case 1:
    Y = 1;
    Y = 2;
    return 0;
  default:
    yield_rounds(1);
    tidemark_assume(Z == 1);
    tidemark_assume(tidemark_machine_failed(0) && tidemark_machine_failed(1));
    unsigned long x = X, y = Y;
    SHOW("%lu %lu", x, y);
  }
}
