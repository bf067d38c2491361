// OPTIONS: --machines=3
// OUTCOMES: 0 0; 0 7; 1 0; 1 7
// COUNTS: 6 executions, 6 runs, 2 failure points
// Machine 1 stores to the line of a failed machine, flushes and fails: its y = 7 is certain only if
// it came that far; machine 0's x = 1 never is.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    X = 1;
    return 0;
  case 1:
    tidemark_assume(tidemark_machine_failed(0));
    Y = 7;
    clflush(&X);
    return 0;
  default:
    tidemark_assume(tidemark_machine_failed(1));
    unsigned long x = X, y = Y;
    SHOW("%lu %lu", x, y);
  }
}
