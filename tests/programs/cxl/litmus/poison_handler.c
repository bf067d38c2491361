// OPTIONS: --poison
// OUTCOMES: 0 0 0; 0 0 1; 0 1 0; 0 1 1; 1 1 0
// COUNTS: 6 executions, 6 runs, 3 failure points
// OPTIONS: --poison --coherence=cxlmc
// OUTCOMES: 0 0 0; 0 0 1; 0 1 0; 0 1 1; 1 1 0
// COUNTS: 8 executions, 8 runs, 4 failure points
// A handler is told about every load of a line that has lost something.  x = 1 is flushed before
// z = 1 is stored: either x or z is poisoned, never both.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    clflush(&X);
    Z = 1;
    return 0;
  }
  tidemark_on_poison(count_poison);
  unsigned long z = Z, x = X;
  SHOW("%lu %lu %d", z, x, poisoned);
}
