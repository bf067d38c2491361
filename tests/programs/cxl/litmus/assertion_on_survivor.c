// OPTIONS:
// OUTCOMES: 1
// FINDINGS: assertion
// COUNTS: 6 executions, 6 runs, 2 failure points
// OPTIONS: --gpf
// OUTCOMES: 1
// COUNTS: 3 executions, 2 runs, 2 failure points
// OPTIONS: --failures=0
// OUTCOMES: 1
// COUNTS: 1 executions, 1 runs, 0 failure points
// A missing flush: the flag is there, what it announces is not.  It disappears with gpf.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Z = 1;
    return 0;
  }
  tidemark_assume(Z == 1);
  tidemark_assert(X == 1);
  SHOW("%lu", NUMBER(X));
}
