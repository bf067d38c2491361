// OPTIONS: --machines=3
// OUTCOMES: 0; 1
// COUNTS: 13 executions, 13 runs, 5 failure points
// OPTIONS: --machines=3 --failures=1
// OUTCOMES: 1
// COUNTS: 5 executions, 5 runs, 3 failure points
// The machine that would have taken the line over fails first: then nothing was written back,
// although machine 0 goes on.  With one failure only that is not possible.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    X = 1;
    yield_rounds(1);
    commit();
    return 0;
  case 1:
    Y = 1;
    return 0;
  default:
    yield_rounds(1);
    tidemark_assume(Z == 1);
    SHOW("%lu", NUMBER(X));
  }
}
