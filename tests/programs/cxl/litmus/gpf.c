// OPTIONS: --gpf
// OUTCOMES: 0 0 1; 0 1 1; 1 1 0; 1 1 1
// COUNTS: 4 executions, 4 runs, 3 failure points
// OPTIONS:
// OUTCOMES: 0 0 1; 0 1 1; 1 0 1; 1 1 0; 1 1 1
// COUNTS: 7 executions, 7 runs, 2 failure points
// Caches survive, so what is in them is a prefix of the program; but machines fail all the same.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Z = 1;
    return 0;
  }
  unsigned long z = Z, x = X;
  SHOW("%lu %lu %d", z, x, tidemark_machine_failed(0));
}
