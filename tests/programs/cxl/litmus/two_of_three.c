// OPTIONS: --machines=3
// OUTCOMES: 0 0 1 1; 0 1 1 0; 0 1 1 1; 1 0 0 1; 1 0 1 1; 1 1 0 0; 1 1 0 1; 1 1 1 0; 1 1 1 1
// COUNTS: 11 executions, 11 runs, 4 failure points
// OPTIONS: --machines=3 --failures=1
// OUTCOMES: 0 1 1 0; 1 0 0 1; 1 1 0 0; 1 1 0 1; 1 1 1 0
// COUNTS: 5 executions, 5 runs, 2 failure points
// OPTIONS: --machines=3 --failures=0
// OUTCOMES: 1 1 0 0
// COUNTS: 1 executions, 1 runs, 0 failure points
// Any two of three machines fail.
#include "../cxl.h"

int main(void) {
  int self = tidemark_machine();
  if (self < 2) {
    *cxl_word(8 * self) = 1;
    return 0;
  }
  unsigned long x = X, z = Z;
  int first = tidemark_machine_failed(0);
  SHOW("%lu %lu %d %d", x, z, first, tidemark_machine_failed(1));
}
