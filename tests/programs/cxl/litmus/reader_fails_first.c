// OPTIONS: --machines=3
// OUTCOMES: 0; 1
// OPTIONS: --machines=3 --failures=1
// OUTCOMES: 1
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
