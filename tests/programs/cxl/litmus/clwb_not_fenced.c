// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 7 executions, 7 runs, 2 failure points
// clwb with no fence after it has written nothing back, not even when the program ends.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    clwb(&X);
    Z = 1;
    return 0;
  }
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
