// OPTIONS: --machines=3
// OUTCOMES: 0 5; 2 5; 4 5
// COUNTS: 7 executions, 6 runs, 3 failure points
// OPTIONS: --machines=3 --coherence=cxlmc
// OUTCOMES: 0 5; 2 5; 4 5
// COUNTS: 7 executions, 6 runs, 3 failure points
// Figure 4: machine 0 fails, then machine 1 stores, flushes and fails; separate constraints.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    Y = 1;
    X = 2;
    Y = 3;
    X = 4;
    return 0;
  case 1:
    tidemark_assume(tidemark_machine_failed(0));
    Y = 5;
    clflush(&Y);
    commit();
    return 0;
  default:
    tidemark_assume(Z == 1 && tidemark_machine_failed(1));
    unsigned long x = X, again = X, y = Y;
    tidemark_assert(x == again);
    SHOW("%lu %lu", x, y);
  }
}
