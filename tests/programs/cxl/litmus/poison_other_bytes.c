// OPTIONS: --poison --coherence=cxlmc
// OUTCOMES: 0 0 0; 0 0 1; 0 0 2; 0 1 0
// COUNTS: 6 executions, 6 runs, 3 failure points
// OPTIONS: --poison
// OUTCOMES: 0 0 0; 0 0 2; 0 1 0
// COUNTS: 4 executions, 4 runs, 2 failure points
// The second word of a line is read before and after the first one, whose machine may fail at any
// time.  By the paper's rule reading the second word does not write the first one back, so the
// line can be poisoned when it is read again; otherwise it is lost before or not at all.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    yield_rounds(1);
    clflush(&X);
    return 0;
  }
  tidemark_on_poison(count_poison);
  unsigned long y = Y;
  yield_rounds(1);
  unsigned long x = X;
  SHOW("%lu %lu %d", y, x, poisoned);
}
