// OPTIONS:
// OUTCOMES: 0 0 0 0; 0 1 1 0; 2 1 1 2; 2 3 3 2; 2 3 3 4; 2 5 5 4; 2 5 5 6
// COUNTS: 9 executions, 9 runs, 2 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0 0 0; 0 1 1 0; 2 1 1 2; 2 3 3 2; 2 3 3 4; 2 5 5 4; 2 5 5 6
// COUNTS: 11 executions, 11 runs, 3 failure points
// Figure 3: machine 1 loads x before machine 0 goes on and fails, then y twice, then x.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    Y = 1;
    X = 2;
    yield_rounds(1);
    Y = 3;
    X = 4;
    Y = 5;
    X = 6;
    return 0;
  }
  unsigned long first = X;
  yield_rounds(1);
  unsigned long y = Y, again = Y, x = X;
  SHOW("%lu %lu %lu %lu", first, y, again, x);
}
