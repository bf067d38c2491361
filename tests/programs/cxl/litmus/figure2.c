// OPTIONS:
// OUTCOMES: 2 1; 2 3; 4 3; 4 5; 6 5
// COUNTS: 13 executions, 12 runs, 3 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 2 1; 2 3; 4 3; 4 5; 6 5
// COUNTS: 13 executions, 12 runs, 3 failure points
// Figure 2 of the CXLMC paper: the flush is the lower bound of what survives.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    Y = 1;
    X = 2;
    clflush(&X);
    Y = 3;
    X = 4;
    Y = 5;
    X = 6;
    commit();
    return 0;
  }
  tidemark_assume(Z == 1);
  unsigned long x = X, y = Y;
  SHOW("%lu %lu", x, y);
}
