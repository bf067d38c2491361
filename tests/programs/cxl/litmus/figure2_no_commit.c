// OPTIONS:
// OUTCOMES: 0 0; 0 1; 2 1; 2 3; 4 3; 4 5; 6 5
// COUNTS: 9 executions, 9 runs, 2 failure points
// Figure 2, failing at any time: every prefix of the stores to the line.
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
    return 0;
  }
  unsigned long x = X, y = Y;
  SHOW("%lu %lu", x, y);
}
