// OPTIONS: --machines=3
// OUTCOMES: 0; 1
// COUNTS: 11 executions, 11 runs, 3 failure points
// OPTIONS: --machines=3 --failures=1
// OUTCOMES: 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// The machine whose load would have written the line back fails before the load.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    X = 1;
    yield_rounds(1);
    commit();
    return 0;
  case 1:
    return X == 2;
  default:
    yield_rounds(1);
    tidemark_assume(Z == 1);
    SHOW("%lu", NUMBER(X));
  }
}
