// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 5 executions, 5 runs, 1 failure points
// Between two flushes of a machine that stores nothing more, a failure leaves nothing that one before the
// first does not leave: it is asked once.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Z = 1;
    clflush(&X);
    clflush(&Z);
    return 0;
  }
  yield_rounds(1);
  SHOW("%lu %lu", NUMBER(X), NUMBER(Z));
}
