// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// OPTIONS: --failures=2
// OUTCOMES: 0 0; 0 1; 1 1
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
