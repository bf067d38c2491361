// OPTIONS: --poison
// OUTCOMES: 0; 1
// FINDINGS: poison
// COUNTS: 4 executions, 4 runs, 2 failure points
// OPTIONS: --poison --coherence=cxlmc
// OUTCOMES: 0; 1
// FINDINGS: poison
// COUNTS: 6 executions, 6 runs, 3 failure points
// OPTIONS:
// OUTCOMES: 0; 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// OPTIONS: --poison --gpf
// OUTCOMES: 0; 1
// COUNTS: 2 executions, 2 runs, 1 failure points
// Nobody handles poison: a finding.  0 is what is read if machine 0 fails before it stores.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  SHOW("%lu", NUMBER(X));
}
