// OPTIONS: --machines=3
// OUTCOMES: 4 5
// COUNTS: 16 executions, 13 runs, 5 failure points
// OPTIONS: --machines=3 --coherence=cxlmc
// OUTCOMES: 0 5; 2 5; 4 5
// COUNTS: 12 executions, 11 runs, 3 failure points
// Figure 4 with machine 0 alive when machine 1 stores to the line: the protocol writes its stores
// back, the paper's rules do not.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    Y = 1;
    X = 2;
    Y = 3;
    X = 4;
    yield_rounds(1);
    *cxl_word(16) = 1;
    clflush(cxl_word(16));
    return 0;
  case 1:
    Y = 5;
    clflush(&Y);
    commit();
    return 0;
  default:
    yield_rounds(1);
    tidemark_assume(Z == 1 && *cxl_word(16) == 1);
    tidemark_assume(tidemark_machine_failed(0) && tidemark_machine_failed(1));
    unsigned long x = X, y = Y;
    SHOW("%lu %lu", x, y);
  }
}
