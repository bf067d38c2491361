// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// OPTIONS: --failures=2
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 6 executions, 6 runs, 3 failure points
// The line is flushed through its first address; the dirty word is another one.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    *cxl_word(3) = 1;
    clflush(cxl_word(0));
    Z = 1;
    return 0;
  }
  unsigned long z = Z, w = *cxl_word(3);
  SHOW("%lu %lu", z, w);
}
