// OPTIONS:
// OUTCOMES: 0; 1; done + 0; done + 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0; 1; done + 0; done + 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// What a machine said stays said if it fails later, and what it had not flushed can get lost then: "done"
// is no promise for Z.  That it was asked before, at its flush of X, does not cover this.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    Z = 1;
    X = 1;
    clflush(&X);
    SHOW("%s", "done");
    return 0;
  }
  yield_rounds(1);
  SHOW("%lu", NUMBER(Z));
}
