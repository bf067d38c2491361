// OPTIONS: --poison
// OUTCOMES: 0 0; 1 0; 1 1
// COUNTS: 6 executions, 6 runs, 3 failure points
// OPTIONS: --poison --coherence=cxlmc
// OUTCOMES: 0 0; 1 0; 1 1
// COUNTS: 6 executions, 6 runs, 3 failure points
// Poison belongs to the line: y is lost, so x cannot be read either, although it was flushed.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    clflush(&X);
    Y = 1;
    return 0;
  }
  tidemark_on_poison(count_poison);
  unsigned long x = X;
  tidemark_assume(x == 1 || poisoned == 0);
  SHOW("%lu %d", x, poisoned);
}
