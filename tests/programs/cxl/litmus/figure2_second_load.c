// OPTIONS:
// OUTCOMES: 1 1 2; 3 3 2; 3 3 4; 5 5 4; 5 5 6
// COUNTS: 13 executions, 12 runs, 3 failure points
// Figure 2: what a load has read decides what later loads of the line may read.
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
  unsigned long y = Y, again = Y, x = X;
  SHOW("%lu %lu %lu", y, again, x);
}
