// OPTIONS:
// OUTCOMES: 1
// FINDINGS: assertion
// OPTIONS: --gpf
// OUTCOMES: 1
// OPTIONS: --failures=0
// OUTCOMES: 1
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
